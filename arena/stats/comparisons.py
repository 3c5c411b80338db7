"""The results of pairs as arrays, the input of every rating.

A rating needs only sums over the pairs of every two entrants: weight, score and their squares and products. All of them are
multiples of a power of two (1/4, or less with pairs on request), so the sums are exact and do not depend on the order of play.
Pairs on deals that several pairings may play are listed one by one too, because their errors depend on each other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple, replace
from numpy.typing import NDArray

from arena.stats.pairs import Pair
from arena.stats.shared_deals import SharedPairs

Array = NDArray[np.float64]
TABLES = 6  # first fields of ``Comparisons``: matrices over the entrants


class Measure(Struct, frozen=True):
    """The weight and scores of one pair in a rating."""

    weight: float  # matches, or hands
    score: float  # matches won by the entrant, with a draw as half; or its net points
    opponent_score: float


class Comparisons(Struct, frozen=True):
    """Sums over the pairs of every two entrants i and j; row i is from i's point of view."""

    weight: Array  # symmetric
    score: Array  # of i against j
    weight_weight: Array  # the sum over pairs of weight x weight
    weight_score: Array  # the sum of weight x score
    score_score: Array  # the sum of score x score
    pairs: Array  # number of pairs; a leg without a partner counts as one
    shared: SharedPairs | None = None  # those on deals that several pairings may play; None: there are none

    @property
    def size(self) -> int:
        """Return the number of entrants."""
        return len(self.weight)

    @property
    def spare(self) -> int:
        """Return the residual degrees of freedom: of pairs, or of deals if those are fewer."""
        return min(self.spare_pairs, self.spare_deals)

    @property
    def spare_pairs(self) -> int:
        """Return the number of pairs less the number of free ratings."""
        return int(self.pairs.sum() / 2) - max(self.size - 1, 0)

    @property
    def spare_deals(self) -> int:
        """Return the degrees of freedom of deals x entrants: number of different deals less 1, times entrants less 1."""
        pairs = int(self.pairs.sum() / 2)
        deals = pairs - len(self.shared.deals) + len(np.unique(self.shared.deals)) if self.shared else pairs
        return max(deals - 1, 0) * max(self.size - 1, 1)

    @property
    def alike(self) -> bool:
        """Tell whether, for every two entrants, all pairs had the same score for a unit of weight."""
        return bool((self.score_score * self.weight_weight == self.weight_score**2).all())  # Cauchy and Schwarz

    def scatter(self, expected: Array) -> Array:
        """Return the sum of squared residuals, (score - weight x expected)^2, for every two entrants."""
        total = self.score_score - 2 * expected * self.weight_score + expected**2 * self.weight_weight
        return np.maximum(total, 0.0)

    def among(self, entrants: list[int]) -> "Comparisons":
        """Return the comparisons between the given entrants only."""
        here = np.ix_(entrants, entrants)
        tables = np.array([table[here] for table in astuple(self)[:TABLES]])
        return replace(Comparisons(*tables), shared=self.shared.among(entrants) if self.shared else None)


def single_matches(wins: Array, draws: Array) -> Comparisons:
    """Return the comparisons of matches that are not paired, from a table of wins and a symmetric table of draws."""
    weight, score = wins + wins.T + draws, wins + draws / 2
    return Comparisons(weight, score, weight, score, wins + draws / 4, weight)


class PairSums:
    """Adds up pairs, each counted by ``measure``; keeps the sums of every two entrants, and pairs on deals that may be shared."""

    def __init__(self, measure: Callable[[Pair], Measure]) -> None:
        self._measure = measure
        # of every two: weight, weight², number of pairs; then of each side: score, weight x score, score²
        self._sums: dict[tuple[str, str], list[float]] = {}
        self._shared: list[tuple[str, str, str, float, float]] = []  # deals, entrant, opponent, weight and score of each

    def add(self, pair: Pair) -> None:
        """Count one more pair."""
        measured = self._measure(pair)
        if measured.weight:
            self._add(pair.entrant, pair.opponent, measured)
            if pair.may_share_deals:
                self._shared.append((pair.deals, pair.entrant, pair.opponent, measured.weight, measured.score))

    def merge(self, other: "PairSums") -> None:
        """Count the pairs of other sums too."""
        for both, cell in other._sums.items():  # noqa: SLF001 - of the same class
            own = self._sums.setdefault(both, [0.0] * len(cell))
            own[:] = map(sum, zip(own, cell, strict=True))
        self._shared += other._shared  # noqa: SLF001

    def comparisons(self) -> tuple[list[str], Comparisons]:
        """Return the entrants sorted by name, and their comparisons."""
        names = sorted({name for both in self._sums for name in both})
        place = {name: number for number, name in enumerate(names)}
        tables = np.zeros((TABLES, len(names), len(names)))
        for (entrant, opponent), (weight, squares, count, *sides) in self._sums.items():
            one, other = place[entrant], place[opponent]
            for row, column, (score, products, score_squares) in ((one, other, sides[:3]), (other, one, sides[3:])):
                tables[:, row, column] = weight, score, squares, products, score_squares, count
        return names, replace(Comparisons(*tables), shared=_shared_pairs(sorted(self._shared), place))

    def _add(self, entrant: str, opponent: str, measured: Measure) -> None:
        weight, score, opposed = measured.weight, measured.score, measured.opponent_score
        cell = self._sums.get((entrant, opponent))
        if cell is None:
            cell = self._sums[entrant, opponent] = [0.0] * 9
        cell[0] += weight
        cell[1] += weight * weight
        cell[2] += 1.0
        cell[3] += score
        cell[4] += weight * score
        cell[5] += score * score
        cell[6] += opposed
        cell[7] += weight * opposed
        cell[8] += opposed * opposed


def _shared_pairs(pairs: Sequence[tuple[str, str, str, float, float]], place: Mapping[str, int]) -> SharedPairs | None:
    if not pairs:
        return None
    deals, entrants, opponents, weights, scores = zip(*pairs, strict=True)
    return SharedPairs(
        deals=np.unique(deals, return_inverse=True)[1],
        one=np.array([place[name] for name in entrants]),
        other=np.array([place[name] for name in opponents]),
        weight=np.array(weights),
        score=np.array(scores),
    )


def sum_pairs(played: Iterable[Pair], measure: Callable[[Pair], Measure]) -> tuple[list[str], Comparisons]:
    """Return the entrants sorted by name, and their comparisons, with each pair counted by ``measure``."""
    sums = PairSums(measure)
    for pair in played:
        sums.add(pair)
    return sums.comparisons()
