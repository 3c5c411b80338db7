"""Everybody meets everybody."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta

from arena.records import Fixture, Result
from arena.tournament.formats.base import Format


class RoundRobin(Format, frozen=True, kw_only=True, tag="round-robin"):
    """Every two entrants meet in ``pairs`` pairs of legs: the same deals twice, with the seats swapped."""

    pairs: Annotated[int, Meta(ge=1, le=100_000)] = 1

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return all that is left, pair by pair, so that a league stopped early has everybody about equally far."""
        done = {result.fixture.id for result in played}
        for pair in range(self.pairs):
            for a, b in combinations(field, 2):
                for leg, seats in enumerate([(a, b), (b, a)]):
                    deals = f"{a}:{b}/{pair}"  # no name holds a colon: a-b against c is not a against b-c
                    fixture = Fixture(f"{deals}/{leg}", seats, deals)
                    if fixture.id not in done:
                        yield fixture
