"""The mean of points a hand with its 95 % interval, from blocks that share nothing.

A *block* is what processes play together: a pair of legs on the same deals, or a game. It is one observation. Its hands are not:
they share a process, and a bot may have a mood of its own in each. The interval is Student's for the mean over all hands, with
the scatter of the blocks around it. A block of more hands counts more, so the mean is a ratio of sums (Cochran, Sampling
Techniques, 6.3).
"""

from collections.abc import Iterable, Sequence
from math import fsum, sqrt

from msgspec import Struct

from arena.records import MatchRecord, net
from arena.stats.pairs import cap

LEAST_BLOCKS = 25  # from which on a bot is called stronger
LEAST_FREEDOM = 5  # degrees of freedom from which several samples measure their scatter
Z_975 = 1.959964  # the normal quantile of 97.5 %
DealId = tuple[str, int]  # key of the deals, number of the deal


class Margin(Struct, frozen=True):
    """The mean margin in points a hand, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    deals: int  # played from both seats; or other observations within blocks
    blocks: int

    @property
    def decides(self) -> bool:
        """Tell whether the interval excludes zero, and follows from enough blocks to say so."""
        return self.blocks >= LEAST_BLOCKS and (self.low > 0 or self.high < 0)

    @property
    def is_same(self) -> bool:
        """Tell whether the results have no scatter."""
        return self.low == self.high

    @property
    def has_interval(self) -> bool:
        """Tell whether the ends are those of an interval: few results without scatter say nothing about it."""
        return self.blocks >= LEAST_BLOCKS or not self.is_same

    @property
    def half(self) -> float | None:
        """Return half the width of the interval; None: there is none."""
        return self._half if self.has_interval else None

    @property
    def _half(self) -> float:
        return (self.high - self.low) / 2

    def hands_for(self, points: float) -> int:
        """Return the approximate number of hands that narrow the interval to +-``points``."""
        return round(2 * self.deals * (self._half / points) ** 2)


def margin(records: Iterable[MatchRecord], entrant: str) -> Margin | None:
    """Return the margin of ``entrant`` over its opponents, from batches, where each deal is a game of its own.

    A pair of legs is a block, and a deal that was played from both seats the mean of its two hands, each capped to +-40.
    """
    legs: dict[DealId, list[int]] = {}
    for record in records:
        seat = record.fixture.seats.index(entrant)
        for hand in record.hands:
            legs.setdefault((record.fixture.pair, hand.game), []).append(cap(net(hand, seat)))
    blocks: dict[str, list[float]] = {}
    for (pair, _), both in legs.items():
        if len(both) == 2:
            blocks.setdefault(pair, []).append(sum(both) / 2)
    return of_blocks(list(blocks.values()))


def of_blocks(blocks: Sequence[Sequence[float]]) -> Margin | None:
    """Return the mean over all observations with its 95 % interval, from blocks of them; None for fewer than two blocks."""
    sizes = [len(block) for block in blocks if block]
    if len(sizes) < 2:
        return None
    total = sum(sizes)
    mean = fsum(one for block in blocks for one in block) / total
    squares = fsum((fsum(block) - len(block) * mean) ** 2 for block in blocks)
    half = half_of_ratio(squares, len(sizes), len(sizes) - 1, total)
    return Margin(mean, mean - half, mean + half, total, len(sizes))


def half_of_ratio(squares: float, blocks: int, freedom: int, total: float) -> float:
    """Return half the 95 % interval of a ratio of sums over blocks.

    ``squares`` is the sum of squares of the blocks around the ratio, with ``freedom`` degrees of freedom; ``total`` is the
    denominator.
    """
    return student(freedom) * sqrt(squares * blocks / freedom) / total


def half_of_one(samples: Iterable[Sequence[tuple[float, float]]]) -> float | None:
    """Return half the 95 % interval of one value of weight 1, from samples of values with weights, each around its own mean.

    The variance of a value is taken to be the same for all samples, divided by its weight. None: there are too few values.
    """
    squares, freedom = 0.0, 0
    for sample in filter(None, samples):
        total = fsum(weight for _, weight in sample)
        mean = fsum(value * weight for value, weight in sample) / total
        squares += fsum(weight * (value - mean) ** 2 for value, weight in sample)
        freedom += len(sample) - 1
    return student(freedom) * sqrt(squares / freedom) if freedom >= LEAST_FREEDOM else None


def student(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution to a thousandth, for one or more degrees of freedom.

    Source: the Cornish-Fisher expansion, Abramowitz and Stegun 26.7.5; a table for one to three degrees.
    """
    if degrees < 4:
        return (12.706, 4.303, 3.182)[degrees - 1]
    z = Z_975
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(degrees) ** power for power, term in enumerate(terms, 1))
