"""How small a difference in strength a schedule can tell, and what telling a given one costs. Before anything is played.

A difference is *resolved* if two bots so far apart come out in the right order 95 times in 100. On points a hand the error of a
difference is that of least squares on pairs (:mod:`arena.stats.estimates`): the scatter of a pair times the resistance between
the two bots, if every pairing is a wire that conducts as many units as it has pairs. So a league of n bots tells n/2 times as
much of two of them as their own hands do. On matches, a result is a toss of a coin.
"""

from collections.abc import Iterable, Mapping
from math import ceil, log10, sqrt

import numpy as np
from msgspec import Struct

from arena.stats.sequential import PRIOR_PAIRS, PRIOR_VARIANCE

Z = 1.6449  # the normal quantile of 95 %
TOSS = 0.25  # the variance of a match between equals; that of mirrored matches is less
PARTNERS = 0.83  # of a match's hands are dealt in both legs: 80 to 87 % were measured, for games end earlier in one
HAND_VARIANCE = 625.0  # of a hand's points: 20 to 33 is the standard deviation between bots of different kinds

Pairing = tuple[str, str]


class Scatter(Struct, frozen=True):
    """The variance of points a hand: of the mean of a deal played from both seats, and of one hand."""

    pair: float = PRIOR_VARIANCE
    hand: float = HAND_VARIANCE

    def of(self, *, matches: bool) -> float:
        """Return the variance of the mean of two hands, one of each leg; in matches some of them have no partner."""
        partners = PARTNERS if matches else 1.0
        return partners * self.pair + (1 - partners) * self.hand / 2


class Resolution(Struct, frozen=True):
    """The smallest difference between any two bots that a schedule resolves; None: some of them never meet, even through others."""

    points: float | None  # a hand
    elo: float | None  # in matches won; a batch of hands is won by points


def scatter(paired: Iterable[tuple[str, float]], hands: Iterable[tuple[str, float]]) -> Scatter:
    """Return the scatter of some scores, each with its pairing, around the mean of the pairing.

    A guess from many bots weighs as much as 20 pairs, the same as in the verdict.
    """
    return Scatter(_variance(paired, PRIOR_VARIANCE), _variance(hands, HAND_VARIANCE))


def _variance(scores: Iterable[tuple[str, float]], guess: float) -> float:
    groups: dict[str, list[float]] = {}
    for group, score in scores:
        groups.setdefault(group, []).append(score)
    squares = sum(sum((score - sum(group) / len(group)) ** 2 for score in group) for group in groups.values())
    freedom = sum(len(group) - 1 for group in groups.values())
    return (PRIOR_PAIRS * guess + squares) / (PRIOR_PAIRS + freedom)


def resolution(hand_pairs: Mapping[Pairing, float], matches: Mapping[Pairing, float], variance: float) -> Resolution:
    """Return what pairs of hands with such a variance, and so many matches, resolve.

    A share 1/2 + s of matches won has a variance of 1/4 - s squared, so that s = Z sqrt(variance x resistance) is solved for s.
    """
    points, wins = resistance(hand_pairs), resistance(matches)
    return Resolution(
        points=None if points is None else Z * sqrt(variance * points),
        elo=None if wins is None else elo(Z * sqrt(TOSS * wins / (1 + Z * Z * wins))),
    )


def resistance(weights: Mapping[Pairing, float]) -> float | None:
    """Return the greatest resistance between any two bots; None, if a bot has no way to another."""
    names = sorted({name for pairing in weights for name in pairing})
    place = {name: number for number, name in enumerate(names)}
    laplacian = np.zeros((len(names), len(names)))
    for (one, other), weight in weights.items():
        i, j = place[one], place[other]
        laplacian[[i, j], [i, j]] += weight
        laplacian[[i, j], [j, i]] -= weight
    if len(names) < 2 or np.linalg.matrix_rank(laplacian) < len(names) - 1:
        return None
    inverse = np.linalg.pinv(laplacian)
    own = np.diag(inverse)
    return float((own[:, None] + own[None, :] - 2 * inverse).max())


def elo(surplus: float) -> float:
    """Return the difference that wins a share of 1/2 + ``surplus`` of matches."""
    return 400 * log10((0.5 + surplus) / (0.5 - surplus))


def times(resolved: float, wanted: float) -> float:
    """Return how many times as much has to be played to resolve ``wanted`` instead."""
    return (resolved / wanted) ** 2


def head_to_head(points: float, variance: float) -> int:
    """Return how many hands two bots alone have to play to be told apart by ``points`` a hand."""
    return 2 * ceil(variance * (Z / points) ** 2)
