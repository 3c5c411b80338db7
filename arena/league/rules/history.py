"""All that a league has on record, now or as it was at an earlier moment, and which versions are suspended because of it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from math import inf
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.league.rules.events import (
    LONGEST_TEXT,
    LONGEST_TURN,
    Answered,
    AnyEvent,
    Reason,
    RoundClosed,
    RoundOpened,
    Suspended,
    bot_name,
)
from arena.league.rules.field import LeagueField, Version, fold
from arena.league.rules.rounds import Calendar, calendar, round_of
from arena.moments import Moment
from arena.records import Fault
from arena.stats.pairs import Pair
from arena.stats.second_leg_test import SecondLegs, SecondLegsBuilder


class SuspensionRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A version with faults in more than ``share`` of its matches is suspended, once it has played ``least`` of them."""

    share: Annotated[float, Meta(ge=0, le=1)] = 0.25  # of the matches since it last joined
    least: Annotated[int, Meta(ge=1, le=100_000)] = 8  # matches that it must have played since


class Faulty(Struct, frozen=True):
    """A fixture in which a version was at fault, with the first fault in it."""

    version: str
    fixture: str
    fault: Fault


def first_faults(faults: Iterable[tuple[str, str, Fault]]) -> list[Faulty]:
    """Return the first fault of each version in each fixture; the faults are given with entrant and fixture."""
    found: dict[tuple[str, str], Faulty] = {}
    for version, fixture, fault in faults:
        found.setdefault((version, fixture), Faulty(version, fixture, fault))
    return list(found.values())


def suspensions(
    active: Iterable[Version], played: Sequence[Pair], faults: Sequence[Faulty], rule: SuspensionRule, at: Moment
) -> list[Suspended]:
    """Return the suspensions that follow from the faults since each version last joined."""
    joined = {version.id: version.joined for version in active}
    by_version: dict[str, list[Faulty]] = {}
    for faulty in faults:
        if round_of(faulty.fixture) >= joined.get(faulty.version, inf):
            by_version.setdefault(faulty.version, []).append(faulty)
    matches: Counter[str] = Counter()
    for pair in played if by_version else ():  # nothing to count, if no version was at fault
        for name in (pair.entrant, pair.opponent):
            if name in by_version and round_of(pair.deals) >= joined[name]:
                matches[name] += pair.legs
    found = (_suspension(name, matches[name], by_version[name], rule, at) for name in joined if name in by_version)
    return [event for event in found if event]


def _suspension(version: str, matches: int, faults: Sequence[Faulty], rule: SuspensionRule, at: Moment) -> Suspended | None:
    if matches < rule.least or len(faults) <= rule.share * matches:
        return None
    last = max(faults, key=lambda faulty: (round_of(faulty.fixture), faulty.fixture))  # independent of the order of play
    detail = f"{last.fault.kind}: {last.fault.detail}"
    reason = Reason(f"at fault in {len(faults)} of {matches} matches", detail[:LONGEST_TEXT])
    return Suspended(at=at, version=version, reason=reason, fixture=last.fixture, turn=last.fault.turn[:LONGEST_TURN])


class History(Struct, frozen=True, kw_only=True):
    """Events, in the order in which they were stored, and results."""

    events: tuple[AnyEvent, ...]
    played: tuple[Pair, ...]  # as they were completed, then those of which one leg is missing
    faults: tuple[Faulty, ...]

    def until(self, moment: Moment) -> "History":
        """Return the history as it was at a moment, with the results of the rounds that were closed by then.

        It ends before the first later event: where the clock was set back, all events after it are left out.
        """
        return replace(self, events=tuple(takewhile(lambda event: event.at <= moment, self.events))).closed_rounds()

    def closed_rounds(self) -> "History":
        """Return the history without the results of a round that is open."""
        return self.with_rounds(sum(isinstance(event, RoundClosed) for event in self.events))

    def with_rounds(self, count: int) -> "History":
        """Return the history with the results of the first ``count`` rounds only; all events stay."""
        return replace(
            self,
            played=tuple(pair for pair in self.played if round_of(pair.deals) <= count),
            faults=tuple(faulty for faulty in self.faults if round_of(faulty.fixture) <= count),
        )

    def field(self) -> LeagueField:
        """Return the field. Raises: DamagedError."""
        return fold(self.events)

    def calendar(self) -> Calendar:
        """Return the seasons and rounds. Raises: DamagedError."""
        return calendar(self.events)

    def answers(self) -> Mapping[str, str]:
        """Return each version's answers in the league's positions, with the digest of these."""
        answered = (event for event in self.events if isinstance(event, Answered))
        return {event.version: f"{event.positions} {event.answers}" for event in answered}

    def matches(self) -> Mapping[str, int]:
        """Return the number of matches of each version that has played."""
        found: Counter[str] = Counter()
        for pair in self.played:
            for name in (pair.entrant, pair.opponent):
                found[name] += pair.legs
        return found


def second_legs(history: History) -> dict[str, SecondLegs]:
    """Return each bot's gains in the legs that it played second, in rounds where a coin decided which leg came first.

    Its versions count together, or a bot could end the evidence against it by submitting the same files again.
    """
    with_coin = {event.round for event in history.events if isinstance(event, RoundOpened) and event.coin}
    builder = SecondLegsBuilder(bot_name)
    for pair in history.played:
        if round_of(pair.deals) in with_coin:
            builder.add(pair)
    return builder.gains()
