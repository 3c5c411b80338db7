"""What was played, as arrays: the one shape from which every rating is made."""

from collections.abc import Callable, Iterable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.stats.pairs import Pair

Array = NDArray[np.float64]


class Measure(Struct, frozen=True):
    """What a pair is worth to a rating."""

    weight: float  # matches, or hands
    score: float  # won by the entrant, a draw half; or its net points
    opponent_score: float


class Comparisons(Struct, frozen=True):
    """For every two entrants i, j the sums over their pairs; row i sees them from i's side.

    Whole and half numbers all, so that the sums are exact and do not depend on the order of play.
    """

    weight: Array  # symmetric
    score: Array  # of i against j
    weight_weight: Array  # the sum over pairs of weight x weight
    weight_score: Array  # and so on
    score_score: Array
    pairs: Array  # how many, legs that stayed alone included

    @property
    def size(self) -> int:
        """Return how many entrants there are."""
        return len(self.weight)

    @property
    def spare(self) -> int:
        """Return how many pairs there are beyond those that fix the ratings: the degrees of freedom of an error."""
        return int(self.pairs.sum() / 2) - max(self.size - 1, 0)

    def scatter(self, expected: Array) -> Array:
        """Return, for every two entrants, the sum over their pairs of (score - weight x expected) squared."""
        total = self.score_score - 2 * expected * self.weight_score + expected**2 * self.weight_weight
        return np.maximum(total, 0.0)

    def among(self, entrants: list[int]) -> "Comparisons":
        """Return what some entrants played among themselves."""
        here = np.ix_(entrants, entrants)
        return Comparisons(*(np.asarray(getattr(self, field)[here]) for field in self.__struct_fields__))


def single_matches(wins: Array, draws: Array) -> Comparisons:
    """Return matches that do not come in pairs, from won matches and (symmetric) drawn ones."""
    weight, score = wins + wins.T + draws, wins + draws / 2
    return Comparisons(weight, score, weight, score, wins + draws / 4, weight)


def compare(played: Iterable[Pair], measure: Callable[[Pair], Measure]) -> tuple[list[str], Comparisons]:
    """Return the entrants by name, and what they did against each other as ``measure`` sees it."""
    sums: dict[tuple[str, str], Array] = {}
    for pair in played:
        worth = measure(pair)
        if worth.weight:
            _add(sums, (pair.entrant, pair.opponent), worth.weight, worth.score)
            _add(sums, (pair.opponent, pair.entrant), worth.weight, worth.opponent_score)
    names = sorted({entrant for entrant, _ in sums})
    place = {name: number for number, name in enumerate(names)}
    tables = np.zeros((6, len(names), len(names)))
    for (entrant, opponent), cell in sums.items():
        tables[:, place[entrant], place[opponent]] = cell
    return names, Comparisons(*tables)


def _add(sums: dict[tuple[str, str], Array], key: tuple[str, str], weight: float, score: float) -> None:
    cell = np.array([weight, score, weight * weight, weight * score, score * score, 1.0])
    sums[key] = sums[key] + cell if key in sums else cell
