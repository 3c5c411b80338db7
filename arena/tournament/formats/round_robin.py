"""A round robin of matches."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta

from arena.records import Fixture, Result
from arena.tournament.formats.base import Format
from arena.tournament.formats.sharing import Sharing, deal_set, explain


class RoundRobin(Format, frozen=True, kw_only=True, tag="round-robin"):
    """Every two entrants play ``pairs`` pairs of matches: the same deals twice, with the seats swapped.

    With ``deals: shared`` all pairings play the same deals; then at most ``pairs`` matches are in play at once.
    """

    pairs: Annotated[int, Meta(ge=1, le=100_000)] = 1
    deals: Sharing = "own"

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the remaining matches, pair by pair, so that in a league stopped early all have played about as much."""
        done = {result.fixture.id for result in played}
        for turn in range(self.pairs):
            for place, (a, b) in enumerate(combinations(field, 2)):
                dealt = deal_set((a, b), place, turn, self.pairs, self.deals)
                for leg, seats in enumerate([(a, b), (b, a)]):
                    fixture = Fixture(f"{dealt.id}/{leg}", seats, dealt.key)
                    if fixture.id not in done:
                        yield fixture

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        return self.pairs * size * (size - 1)

    def explain(self, size: int) -> Iterable[str]:
        """Return what shared deals mean."""
        del size
        return explain(self.deals, self.pairs)
