"""Matchups: two entrants who meet in a round, the fixtures that they play, and what is known of them.

The formats that play in rounds share one rule. A round is asked for as a whole, and the next one when all of it has been played, so
its fixtures follow from complete rounds alone. Therefore the same fixtures are played after any interruption and on any number of
workers, and ``arena verify`` can ask for them again.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.records import Fixture, Result
from arena.stats.meetings import Meeting, meeting
from arena.stats.tie_breaks import TieBreak
from arena.tournament.formats.base import leg_by_leg

Pairs = Annotated[int, Meta(ge=1, le=100_000)]
TieBreaks = Annotated[tuple[TieBreak, ...], Meta(max_length=5)]


class Matchup(Struct, frozen=True):
    """Two entrants who meet in a round; names and numbers of rounds cannot contain a colon or a slash, so keys are unique."""

    round: int  # from 1
    one: str
    other: str

    @property
    def key(self) -> str:
        """Return how ids and deals of its fixtures begin."""
        return f"r{self.round}/{self.one}:{self.other}"

    def leg(self, pair: int, leg: int) -> Fixture:
        """Return one fixture; the two legs of a pair share their deals and swap the seats."""
        seats = (self.other, self.one) if leg else (self.one, self.other)
        return Fixture(f"{self.key}/{pair}/{leg}", seats, f"{self.key}/{pair}")


class Book:
    """The results that are known."""

    def __init__(self, played: Iterable[Result]) -> None:
        self._done: dict[str, Result] = {}
        self._by_matchup = defaultdict[str, list[Result]](list)
        for result in played:
            self._done[result.fixture.id] = result
            self._by_matchup[result.fixture.deals.rpartition("/")[0]].append(result)

    def missing(self, matchups: Sequence[Matchup], pairs: range) -> list[Fixture]:
        """Return the fixtures of some pairs that have not been played, neighbours with different deals as far as possible."""
        legs = leg_by_leg([matchup.leg(pair, leg) for leg in (0, 1)] for pair in pairs for matchup in matchups)
        return [leg for leg in legs if leg.id not in self._done]

    def meeting(self, matchup: Matchup) -> Meeting:
        """Return the sum of a matchup's results so far."""
        return meeting(matchup.one, matchup.other, self._by_matchup[matchup.key])

    def meetings(self, matchups: Iterable[Matchup], pairs: int) -> list[Meeting]:
        """Return the meetings that are complete."""
        return [met for met in map(self.meeting, matchups) if met.legs == 2 * pairs]


def check_once(tie_breaks: Sequence[TieBreak]) -> None:
    """Raise ValueError for a tie-break that is named twice."""
    for name in tie_breaks:
        if tie_breaks.count(name) > 1:
            raise ValueError(f"tie_breaks: {name!r} is named {tie_breaks.count(name)} times; expected once")
