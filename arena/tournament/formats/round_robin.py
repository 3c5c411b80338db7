"""A round robin of matches."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, repeat
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.tournament.formats.base import Format, pair_of_legs


class RoundRobin(Format, frozen=True, kw_only=True, tag="round-robin"):
    """Every two entrants play ``pairs`` pairs of matches: the same deals twice, with the seats swapped."""

    scheduled: ClassVar[bool] = True
    is_fixed: ClassVar[bool] = True

    pairs: Annotated[int, Meta(ge=1, le=100_000)] = 1

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the remaining matches, pair by pair, so that in a tournament stopped early all have played about as much."""
        return _missing(field, played, repeat(None, self.pairs))

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        return self.pairs * size * (size - 1)


class Batches(Format, frozen=True, kw_only=True, tag="batches"):
    """Every two entrants play ``hands`` single hands, each deal twice, with the seats swapped.

    There are no matches; points a hand count. The stock of the rules should be `two-ended` (R2.4), which reduces luck further.
    A process plays ``leg`` hands; a pair of legs is one observation, whatever its length.
    """

    scheduled: ClassVar[bool] = True
    is_fixed: ClassVar[bool] = True
    usual_rating: ClassVar[str] = "points"

    hands: Annotated[int, Meta(ge=2, le=10_000_000, multiple_of=2)] = 200
    leg: Annotated[int, Meta(ge=1, le=10_000)] = 50  # enough that starting bots costs little, few enough to keep two cores busy

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the remaining batches, turn by turn, so that in a tournament stopped early all have played about as much."""
        return _missing(field, played, _batch_sizes(self.hands // 2, self.leg))

    def least(self, size: int) -> int:
        """Return the number of batches."""
        return sum(1 for _ in _batch_sizes(self.hands // 2, self.leg)) * size * (size - 1)

    def most_hands(self, size: int) -> int:
        """Return the number of all hands."""
        return self.hands * size * (size - 1) // 2


def _missing(field: Sequence[str], played: Sequence[Result], turns: Iterable[int | None]) -> Iterator[Fixture]:
    """Yield the legs between every two entrants that have not been played; ``turns``: the hands of a leg; None: a match."""
    done = {result.fixture.id for result in played}
    for turn, hands in enumerate(turns):
        for a, b in combinations(field, 2):
            yield from (leg for leg in pair_of_legs(a, b, f"{a}:{b}/{turn}", hands) if leg.id not in done)


def _batch_sizes(deals: int, leg: int) -> Iterator[int]:
    while deals > 0:
        yield min(deals, leg)
        deals -= leg


class Single(Format, frozen=True, kw_only=True, tag="single", omit_defaults=True):  # a plan of a match has no ``hands``
    """Two entrants play one match, or so many single ``hands``, the first of them in seat 0."""

    is_fixed: ClassVar[bool] = True

    hands: Annotated[int, Meta(ge=1, le=10_000)] | None = None

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        del size
        return 1

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the match if it has not been played. Raises: SpecError, unless there are two entrants."""
        if len(field) != 2:
            raise SpecError(f"format single: {len(field)} bots; expected two")
        one, other = field
        deals = f"{one}:{other}"
        return [] if played else [Fixture(f"{deals}/0", (one, other), deals, self.hands)]
