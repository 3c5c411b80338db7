"""Everybody plays single hands with everybody, each deal from both seats."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta

from arena.records import Fixture, Result
from arena.tournament.formats.base import Format

DEALS = 50  # of a fixture: bots start so seldom that it costs nothing, and so often that two cores have work


class Batches(Format, frozen=True, kw_only=True, tag="batches"):
    """Every two entrants play ``hands`` single hands, half of them on the same deals with the seats swapped; no match is won.

    What counts is points a hand. The stock of the rules should be `two-ended` (R2.4), which takes more luck from the comparison.
    """

    hands: Annotated[int, Meta(ge=2, le=10_000_000)] = 200

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return what is left of the batches, part by part, so that a league stopped early has everybody about equally far."""
        done = {result.fixture.id for result in played}
        for part, deals in enumerate(_parts((self.hands + 1) // 2)):
            for a, b in combinations(field, 2):
                for leg, seats in enumerate([(a, b), (b, a)]):
                    key = f"{a}:{b}/{part}"
                    fixture = Fixture(f"{key}/{leg}", seats, key, deals)
                    if fixture.id not in done:
                        yield fixture


def _parts(deals: int) -> Iterator[int]:
    while deals > 0:
        yield min(deals, DEALS)
        deals -= DEALS
