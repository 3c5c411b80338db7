"""The smallest difference in strength that a schedule resolves, and the cost of resolving a given one, before anything is played.

A difference is *resolved* if two bots that far apart are ranked in the right order 95 times in 100. For points a hand the variance
of a difference is that of least squares on pairs (:mod:`arena.stats.fit`): the variance of a pair times the effective
resistance between the two bots in a network whose conductances are the numbers of pairs. This holds for every format; in a league
of n bots two of them are compared as accurately as by n/2 times their own pairs. A match counts as a coin toss.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log10, sqrt

import numpy as np
from msgspec import Struct

from arena.stats.scales import POINTS, PRIOR_DEALS

Z_95 = 1.6449  # the normal quantile of 95 %
COIN_TOSS = 0.25  # variance of a match between equal bots; that of mirrored matches is smaller
PARTNERS = 0.83  # share of a match's hands dealt in both legs; 80 to 87 % measured, because games end earlier in one of them
HAND_VARIANCE = 625.0  # of a hand's points; standard deviations of 20 to 33 were measured between bots of different kinds

Pairing = tuple[str, str]  # names of two bots


class Scatter(Struct, frozen=True):
    """Variances of points a hand."""

    pair: float = POINTS.variance  # of the mean of both hands of a deal
    hand: float = HAND_VARIANCE  # of one hand

    def of(self, *, matches: bool) -> float:
        """Return the variance of the mean of two hands, one of each leg; in matches a share of hands has no partner."""
        partners = PARTNERS if matches else 1.0
        return partners * self.pair + (1 - partners) * self.hand / 2


class Resolution(Struct, frozen=True):
    """The smallest difference that a schedule resolves between every two bots; None: the field is not connected."""

    points: float | None  # points a hand
    elo: float | None  # from matches won; a batch of hands is won by points


def scatter(paired: Iterable[tuple[str, float]], hands: Iterable[tuple[str, float]]) -> Scatter:
    """Return the variance of scores around the mean of their pairing; each score comes with the name of its pairing.

    ``paired`` are means of both hands of a deal, ``hands`` single hands. A prior variance counts as 20 scores.
    """
    return Scatter(_variance(paired, POINTS.variance), _variance(hands, HAND_VARIANCE))


def _variance(scores: Iterable[tuple[str, float]], prior: float) -> float:
    groups: dict[str, list[float]] = {}
    for group, score in scores:
        groups.setdefault(group, []).append(score)
    freedom = sum(len(group) - 1 for group in groups.values())
    return (PRIOR_DEALS * prior + sum(map(_squares, groups.values()))) / (PRIOR_DEALS + freedom)


def _squares(group: Sequence[float]) -> float:
    mean = sum(group) / len(group)
    return sum((score - mean) ** 2 for score in group)


def resolution(hand_pairs: Mapping[Pairing, float], matches: Mapping[Pairing, float], variance: float) -> Resolution:
    """Return the resolution of a schedule; for each pairing ``hand_pairs`` has the pairs of hands, ``matches`` the matches.

    ``variance`` is that of the mean points of a pair of hands. A share 1/2 + s of matches won has variance 1/4 - s^2, so s is the
    solution of s = Z_95 sqrt((1/4 - s^2) x resistance).
    """
    points, wins = resistance(hand_pairs), resistance(matches)
    return Resolution(
        points=None if points is None else Z_95 * sqrt(variance * points),
        elo=None if wins is None else elo(Z_95 * sqrt(COIN_TOSS * wins / (1 + Z_95 * Z_95 * wins))),
    )


def resistance(weights: Mapping[Pairing, float]) -> float | None:
    """Return the largest effective resistance between two bots; None if the field is not connected."""
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
    """Return the Elo difference that wins a share of 1/2 + ``surplus`` of matches."""
    return 400 * log10((0.5 + surplus) / (0.5 - surplus))


def head_to_head(points: float, variance: float) -> int:
    """Return the number of hands, an even one, between two bots that resolve ``points`` a hand; ``variance`` is that of a pair."""
    return 2 * ceil(variance * (Z_95 / points) ** 2)
