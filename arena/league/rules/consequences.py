"""Verifies the events of a league: recomputes those that no person decided, and checks that the others were allowed.

A submission is followed at once by its audition; a passed audition by the retirement of the version that is replaced and by the
activation of the new one; a closed round by the suspensions that its faults demand. All of these are pure functions of the events
and results before them, as are the pairings of a round and the challenges that it takes. What a person decides must be possible:
the bot is in a state that allows it, and no author has more active bots or challenges than the spec allows.

Not checked is what depends on more than the league: whether an audition was passed, whether it came after a deadline, how a bot
answered the league's positions, and whether its copy was missing. The order of seasons and rounds is checked by ``Calendar``, and
what bots learn by ``learning``.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from arena.errors import InputError
from arena.league.rules import pairing
from arena.league.rules.challenges import Challenges, drawn_pairs
from arena.league.rules.events import (
    Activated,
    AnyEvent,
    Auditioned,
    Challenged,
    Event,
    Reinstated,
    Retired,
    RoundClosed,
    RoundOpened,
    Submitted,
    Suspended,
    Withdrawn,
    bot_name,
)
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History, suspensions
from arena.league.rules.meetings import Meetings, Pairing
from arena.league.rules.ratings import pairing_strengths
from arena.league.rules.rounds import fixtures, round_of
from arena.league.rules.spec import LeagueSpec
from arena.moments import Moment
from arena.stats.pairs import Pair


def decide_pairings(field: LeagueField, played: Sequence[Pair], number: int, spec: LeagueSpec) -> tuple[Pairing, ...]:
    """Return the pairings of round ``number``, from the drawn results among those of all earlier rounds, ``played``."""
    counted = drawn_pairs(played)
    strengths = pairing_strengths(counted, field.versions, spec.rating_terms)
    return pairing.pairings(field.active, Meetings(counted), strengths, number, spec.pairing, spec.aim)


def separate_deals(field: LeagueField, chosen: Iterable[Pairing]) -> tuple[str, ...]:
    """Return the versions in some pairings that open files while they play, sorted by name."""
    playing = {name for both in chosen for name in both}
    return tuple(sorted(version.id for version in field.versions if version.reads_while_playing and version.id in playing))


def _pairing_differences(opened: RoundOpened, expected: tuple[Pairing, ...]) -> Iterator[str]:
    found = set(opened.pairings)
    for one, other in sorted(found ^ set(expected)):
        state = "was played, but does not follow" if (one, other) in found else "is missing, but follows"
        yield f"round {opened.round}: {one} against {other} {state} from the events and results before it"


def differences(history: History, spec: LeagueSpec) -> Iterator[str]:
    """Yield each event or pairing that does not follow from the events and results before it, or is missing.

    Raises: DamagedError.
    """
    check = _EventCheck(history, spec)
    for event in history.events:
        yield from check.differences(event)
    yield from check.missing()


class _EventCheck:
    """Checks events one after another; keeps the field before the next one, and the events that must follow at once."""

    def __init__(self, history: History, spec: LeagueSpec) -> None:
        self._spec = spec
        self._played = sorted(history.played, key=lambda pair: round_of(pair.deals))
        self._faults = history.faults
        # versions that joined after a deadline; the clock decided that, so it is not checked
        self._waiting = {event.version for event in history.events if isinstance(event, Activated) and event.waits}
        self._field = LeagueField()
        self._challenges = Challenges()
        self._opened: RoundOpened | None = None
        self._due: list[Event] = []

    def differences(self, event: AnyEvent) -> Iterator[str]:
        """Yield the problems of the next event, and add it."""
        expected = self._due.pop(0) if self._due else None
        if expected is not None and not _is_expected(event, expected):
            yield f"{_describe(expected)} is missing, but follows from what was before; found {_describe(event)}"
            self._due.clear()
        elif expected is None and (problem := self._problem(event)):
            yield f"{_describe(event)} {problem}"
        if isinstance(event, RoundOpened):
            self._opened = event
            if event.method == pairing.METHOD:
                expected_pairings = decide_pairings(self._field, self._results(0, event.round), event.round, self._spec)
                yield from _pairing_differences(event, expected_pairings)
            elif not 1 <= event.method < pairing.METHOD:
                yield f"{_describe(event)}: its method {event.method} is not known"
        self._due += self._consequences(event)
        self._field.add(event)
        self._challenges.add(event)

    def _results(self, first: int, end: int) -> list[Pair]:
        """Return the results of the rounds from round ``first`` on and before round ``end``."""
        begin, stop = (bisect_left(self._played, number, key=lambda pair: round_of(pair.deals)) for number in (first, end))
        return self._played[begin:stop]

    def missing(self) -> Iterator[str]:
        """Yield the first event that is still due after the last one."""
        for event in self._due[:1]:
            yield f"{_describe(event)} is missing, but follows from what was before"

    def _problem(self, event: AnyEvent) -> str:
        """Return why an event that is not due is wrong; empty: it is not."""
        problem = ""
        match event:
            case Auditioned() | Activated():
                problem = "does not follow a submission"
            case Suspended() if event.fixture:
                problem = "does not follow from the faults before it"
            case Suspended() | Retired() | Reinstated() | Withdrawn() | Submitted() | Challenged():
                problem = self._reason_impossible(event)
            case RoundOpened():
                problem = (
                    _terms_difference(event, self._spec, self._opened)
                    or _legs_difference(event, self._field)
                    or self._requests_difference(event)
                )
            case RoundClosed() if self._opened:
                problem = self._missing_matches(self._opened)
        return problem

    def _reason_impossible(self, event: AnyEvent) -> str:
        """Return why a person's decision or request was not possible; empty: it was."""
        try:
            if isinstance(event, Challenged):
                self._challenges.check(event, self._field, self._spec.challenges)
            else:
                self._field.apply(event, self._spec.limits)
        except InputError as error:
            return f"cannot be: {error}"
        return ""

    def _requests_difference(self, event: RoundOpened) -> str:
        """Return the difference between the challenges that a round has taken and those that were due."""
        expected = self._challenges.next(self._field, len(event.pairings), event.pairs, self._spec.challenges)
        found, due = ([one.place for one in several] for several in (event.requested, expected))
        return f"has taken the challenges of events {found}; expected {due}" if event.requested != expected else ""

    def _missing_matches(self, opened: RoundOpened) -> str:
        """Return the number of missing matches of a round that is closed, as a message."""
        asked, found = len(list(fixtures(opened))), sum(pair.legs for pair in self._results(opened.round, opened.round + 1))
        return f"has {found} of its {asked} matches on record" if found != asked else ""

    def _consequences(self, event: AnyEvent) -> Sequence[Event]:
        """Return the events that must follow an event."""
        match event:
            case Submitted():
                return [Auditioned(at=event.at, version=event.version, passed=True)]
            case Auditioned(passed=True):
                return acceptance(event.version, self._field, event.at, waits=event.version in self._waiting)
            case RoundClosed():
                faults = [faulty for faulty in self._faults if round_of(faulty.fixture) <= event.round]
                return suspensions(self._field.active, self._results(0, event.round + 1), faults, self._spec.suspension, event.at)
        return []


def acceptance(version: str, field: LeagueField, at: Moment, *, waits: bool) -> list[Event]:
    """Return the events that follow a passed audition: the predecessor is retired if it is active or waits; the version joins.

    A version that waits for the next season replaces a waiting one at once, and an active one only when the season opens.
    """
    replaced = ("waiting",) if waits else ("waiting", "active")
    earlier = [one for one in field.of(bot_name(version)) if one.id != version]
    retired = [Retired(at=at, version=one.id, reason=f"replaced by {version}") for one in earlier[-1:] if one.state in replaced]
    return [*retired, Activated(at=at, version=version, waits=waits)]


def _is_expected(event: AnyEvent, expected: Event) -> bool:
    """Tell whether an event is the expected one, but for its time; an audition may have been passed or failed."""
    if isinstance(event, Auditioned) and isinstance(expected, Auditioned):
        return event.version == expected.version
    return event == replace(expected, at=event.at)


def _terms_difference(event: RoundOpened, spec: LeagueSpec, before: RoundOpened | None) -> str:
    """Return the first difference of a round from the spec and from the round before it; empty: none."""
    for name in ("pairs", "hands"):
        found, expected = getattr(event, name), getattr(spec, name)
        if found != expected:
            return f"has {name} {found}; the spec says {expected}"
    if before and before.coin and not event.coin:
        return "lets no coin decide which legs are played first; the round before it did"
    return ""


def _legs_difference(event: RoundOpened, field: LeagueField) -> str:
    """Return the difference between a round's bots with other deals in each leg and those that open files while they play."""
    found, expected = event.separate_deals, separate_deals(field, event.meetings)
    return f"has legs on different deals for {found}; expected {expected}" if found != expected else ""


def _describe(event: Event | AnyEvent) -> str:
    """Return an event for a message."""
    about = getattr(event, "version", None) or f"number {getattr(event, 'round', None) or getattr(event, 'season', 0)}"
    return f"event {event.__struct_config__.tag!r} of {about} at {event.at}"
