"""Matchups: two entrants who meet in a round, the fixtures that they play, and what is known of them.

The formats that play in rounds share one rule. A round is asked for as a whole, and the next one when all of it has been played,
so its fixtures follow from complete rounds alone, and ``arena verify`` can ask for them again.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.records import Fixture, Result
from arena.stats.format_details import Encounter, encounter
from arena.stats.pairs import Meeting, meeting
from arena.stats.score_ranking import TieBreak
from arena.tournament.formats.base import leg_by_leg, pair_of_legs

Pairs = Annotated[int, Meta(ge=1, le=100_000)]
TieBreaks = Annotated[tuple[TieBreak, ...], Meta(max_length=20)]


class Matchup(Struct, frozen=True):
    """Two entrants who meet in a round; names and numbers of rounds cannot contain a colon or a slash, so keys are unique."""

    round: int  # from 1
    one: str
    other: str

    @property
    def key(self) -> str:
        """Return the common beginning of the ids and deals of its fixtures."""
        return f"r{self.round}/{self.one}:{self.other}"

    def legs(self, pair: int) -> list[Fixture]:
        """Return the two fixtures of a pair."""
        return pair_of_legs(self.one, self.other, f"{self.key}/{pair}")


class MatchupIndex:
    """The results so far, by fixture and by matchup."""

    def __init__(self, played: Iterable[Result]) -> None:
        self._done: dict[str, Result] = {}
        self._by_matchup = defaultdict[str, list[Result]](list)
        for result in played:
            self._done[result.fixture.id] = result
            self._by_matchup[result.fixture.deals.rpartition("/")[0]].append(result)

    def missing(self, matchups: Sequence[Matchup], pairs: range) -> list[Fixture]:
        """Return the fixtures of these pairs that have not been played, leg by leg, so that neighbours have different deals."""
        legs = leg_by_leg(matchup.legs(pair) for pair in pairs for matchup in matchups)
        return [leg for leg in legs if leg.id not in self._done]

    def meeting(self, matchup: Matchup) -> Meeting:
        """Return the sum of a matchup's results so far."""
        return meeting(matchup.one, matchup.other, self._by_matchup[matchup.key])

    def meetings(self, matchups: Iterable[Matchup], pairs: int) -> list[Meeting]:
        """Return the meetings that are complete."""
        return [met for met in map(self.meeting, matchups) if met.legs == 2 * pairs]

    def encounters(self, matchup: Matchup, pairs: int) -> dict[str, Encounter]:
        """Return a matchup of ``pairs`` pairs from the point of view of each of its two entrants."""
        met = self.meeting(matchup)
        return {name: encounter(met, name, over=met.legs == 2 * pairs) for name in (matchup.one, matchup.other)}


def check_once(tie_breaks: Sequence[TieBreak]) -> None:
    """Raise ValueError for a tie-break that is named twice."""
    names = [one.name for one in tie_breaks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"tie_breaks: {name!r} is named {names.count(name)} times; expected once")
