"""Challenges, the rated matches that authors request: which are allowed, which of them a round plays, and their results.

A challenge is an event, stored before anything of its match is known, and never withdrawn. A round that opens later takes it: its
pair of legs has deals of its own, from the round's seed and the place of the event among all events. Which challenges a round takes
is a pure function of the events before it, so ``arena verify`` decides it again.

Requests must not choose what counts. Pairings of rounds follow from drawn results alone, and ratings weigh requested pairs less
(:func:`weights`), for two reasons. An author may ask again and again for the opponent that suits a bot, which would move its rating
towards that one result: so the requested pairs of two versions together weigh at most half as much as their drawn ones. And an
author may ask until the bot was lucky. Let a pairing have d drawn pairs, and t requested ones of weight w whose results sum to S.
An author who stops when lucky has a large S at a small t: Cov(S, t) is below 0, and the mean of the pairing is too high by about
(w / d)^2 |Cov(S, t)|. So w is small, an eighth.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import InputError
from arena.league.rules.events import AnyEvent, Challenged, Requested, RoundOpened
from arena.league.rules.field import LeagueField, VersionState
from arena.league.rules.rounds import is_requested
from arena.stats.pairs import Pair

PLAYABLE: tuple[VersionState, ...] = ("active", "retired")  # to retire a bot does not withdraw its challenges
WEIGHT = 1 / 8  # of a requested pair at most, relative to a drawn one
MOST_WEIGHT = 1 / 2  # of all requested pairs of two versions, relative to all their drawn ones


class ChallengeTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many rated matches authors may ask for."""

    share: Annotated[float, Meta(gt=0, le=0.5)] = 0.2  # of all matches, at most
    a_day: Annotated[int, Meta(ge=1, le=1000)] = 5  # for each author, in a day of UTC


class Challenges:
    """All challenges of a league, after the events added so far."""

    def __init__(self, events: Iterable[AnyEvent] = ()) -> None:
        self.asked: dict[int, Challenged] = {}  # by place among all events, from 1
        self.waiting: dict[int, Challenged] = {}  # that no round has taken
        self._events = 0
        self._drawn_since = 0  # pairings drawn in the rounds since the last one that took a challenge
        for event in events:
            self.add(event)

    def add(self, event: AnyEvent) -> None:
        """Add an event."""
        self._events += 1
        match event:
            case Challenged():
                self.asked[self._events] = self.waiting[self._events] = event
            case RoundOpened():
                self._drawn_since = 0 if event.requested else self._drawn_since + len(event.pairings)
                for one in event.requested:
                    self.waiting.pop(one.place, None)

    def check(self, event: Challenged, field: LeagueField, terms: ChallengeTerms | None) -> None:
        """Check that a challenge is possible after the events so far. Raises: InputError, DamagedError."""
        if terms is None:
            raise InputError("the spec of this league has no `challenges`; expected a practice match")
        one, other = field.version(event.version), field.version(event.opponent)
        if one.author == other.author:
            raise InputError(f"{one.id} and {other.id} are both of {one.author}; expected a bot of another author")
        for version in (one, other):
            if version.state != "active":
                raise InputError(f"{version.id} is {version.state} since {version.since}; expected an active bot for a rated match")
        day = event.at[:10]
        today = sum(asked.at[:10] == day and field.version(asked.version).author == one.author for asked in self.asked.values())
        if today >= terms.a_day:
            raise InputError(f"{one.author} has asked for {today} rated matches on {day} UTC; expected at most {terms.a_day}")

    def next(self, field: LeagueField, pairings: int, pairs: int, terms: ChallengeTerms | None) -> tuple[Requested, ...]:
        """Return the challenges that a round takes; ``pairings`` is its number of drawn ones, each of ``pairs`` pairs of legs.

        Every author's first challenge comes before any author's second. A round whose share is less than one match takes one if
        it and the rounds since the last challenge have a share of one match together.
        """
        if terms is None:
            return ()
        ratio = terms.share / (1 - terms.share) * pairs
        most = int(ratio * pairings) or int(ratio * (self._drawn_since + pairings) >= 1)
        turns, ready = Counter[str](), list[tuple[int, int, Challenged]]()
        for place, event in self.waiting.items():
            one, other = field.version(event.version), field.version(event.opponent)
            if one.state in PLAYABLE and other.state in PLAYABLE:
                turns[one.author] += 1
                ready.append((turns[one.author], place, event))
        taken = sorted(ready, key=lambda entry: entry[:2])[:most]
        named = ((place, (event.version, event.opponent)) for _, place, event in taken)
        return tuple(Requested(place=place, one=min(names), other=max(names)) for place, names in named)


def drawn_pairs(played: Iterable[Pair]) -> list[Pair]:
    """Return the pairs that no author asked for."""
    return [pair for pair in played if not is_requested(pair.deals)]


def weights(played: Iterable[Pair]) -> Mapping[tuple[str, str], float]:
    """Return the weight of a requested pair of two versions, relative to a drawn one, by their pairing.

    Versions that never met by draw count as if they had once. A weight is a power of two, so that sums over pairs stay exact.
    """
    requested, others = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for pair in played:
        (requested if is_requested(pair.deals) else others)[pair.entrant, pair.opponent] += 1
    found = dict.fromkeys(requested, WEIGHT)
    for both, number in requested.items():
        while found[both] * number > MOST_WEIGHT * max(others[both], 1):
            found[both] /= 2
    return found
