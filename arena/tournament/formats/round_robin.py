"""A round robin of matches."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta

from arena.records import Fixture, Result
from arena.tournament.formats.base import Format


class RoundRobin(Format, frozen=True, kw_only=True, tag="round-robin"):
    """Every two entrants play ``pairs`` pairs of matches: the same deals twice, with the seats swapped."""

    pairs: Annotated[int, Meta(ge=1, le=100_000)] = 1

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the remaining matches, pair by pair, so that in a league stopped early all have played about as much."""
        done = {result.fixture.id for result in played}
        for pair in range(self.pairs):
            for a, b in combinations(field, 2):
                for leg, seats in enumerate([(a, b), (b, a)]):
                    # names cannot contain a colon, so no two pairings have the same key
                    deals = f"{a}:{b}/{pair}"
                    fixture = Fixture(f"{deals}/{leg}", seats, deals)
                    if fixture.id not in done:
                        yield fixture

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        return self.pairs * size * (size - 1)
