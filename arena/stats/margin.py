"""The margin between two bots in points a hand, from deals that each played from both seats.

A deal played from both seats is one observation: the mean points of its two hands, each capped to +-60. The deals are independent,
so the mean of the observations has Student's interval.
"""

from collections.abc import Iterable
from math import sqrt

from msgspec import Struct

from arena.records import MatchRecord, net
from arena.stats.pairs import capped

Z_975 = 1.959964  # the normal quantile of 97.5 %
DealId = tuple[str, int]  # key of the deals, number of the deal


class Margin(Struct, frozen=True):
    """The mean margin in points a hand, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    deals: int  # played from both seats

    @property
    def decides(self) -> bool:
        """Tell whether the interval excludes zero."""
        return self.low > 0 or self.high < 0

    def hands_for(self, points: float) -> int:
        """Return about how many hands it takes to narrow the interval to +-``points``."""
        half = (self.high - self.low) / 2
        return round(2 * self.deals * (half / points) ** 2)


def margin(records: Iterable[MatchRecord], entrant: str) -> Margin:
    """Return the margin of ``entrant`` over its opponents. Raises: ValueError, for fewer than two deals played from both seats."""
    legs: dict[DealId, list[int]] = {}
    for record in records:
        seat = record.fixture.seats.index(entrant)
        for hand in record.hands:
            legs.setdefault((record.fixture.pair, hand.game), []).append(capped(net(hand, seat)))
    return of_observations([sum(both) / 2 for both in legs.values() if len(both) == 2])


def of_observations(observed: list[float]) -> Margin:
    """Return the mean of independent observations with its 95 % interval. Raises: ValueError, for fewer than two."""
    count = len(observed)
    if count < 2:
        raise ValueError(f"{count} deals played from both seats; expected at least two")
    mean = sum(observed) / count
    variance = sum((one - mean) ** 2 for one in observed) / (count - 1)
    half = student(count - 1) * sqrt(variance / count)
    return Margin(mean, mean - half, mean + half, count)


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
