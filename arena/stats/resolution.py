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

from arena.gin.deal import Deals
from arena.gin.match import Match
from arena.gin.rules import Rules
from arena.gin.score import HandResult
from arena.stats.wealth import POINTS, PRIOR_DEALS

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


def growth_factor(resolved: float, wanted: float) -> float:
    """Return the factor on a schedule's length that makes it resolve ``wanted`` instead of ``resolved``."""
    return (resolved / wanted) ** 2


def head_to_head(points: float, variance: float) -> int:
    """Return the number of hands, an even one, between two bots that resolve ``points`` a hand; ``variance`` is that of a pair."""
    return 2 * ceil(variance * (Z_95 / points) ** 2)


# Estimates how long a schedule takes, from the timing of a few hands.
#
# Time is linear in the number of hands: a constant for starting and ending two bots, and for each hand the time of the referee and
# of each bot. The length of a match comes from playing matches with the results of the hands that were timed.

SEED = 20_000  # fixed, so that the same hands give the same length
MATCHES = 40  # simulated, to estimate the mean length
LONGEST = 2_000  # hands; a match in which neither bot ever scores would not end


class Probe(Struct, frozen=True):
    """The timing of a few hands."""

    seats: tuple[str, str]
    hands: int
    seconds: float  # from the start of the bots to their end
    answers: tuple[float, float]  # the part of ``seconds`` that each seat took to answer


class Pace(Struct, frozen=True):
    """The time that play takes, in seconds."""

    start: float  # for starting and ending two bots
    referee: float  # for a hand
    bots: dict[str, float]  # for a hand, by bot; a bot without a probe takes the mean of the others

    def fixture(self, seats: tuple[str, str], hands: float) -> float:
        """Return the seconds that a fixture of ``hands`` hands takes on one worker."""
        return self.start + hands * (self.referee + sum(self._seconds_a_hand(name) for name in seats))

    def _seconds_a_hand(self, name: str) -> float:
        return self.bots.get(name, sum(self.bots.values()) / max(len(self.bots), 1))


def pace(probes: Sequence[Probe]) -> Pace:
    """Return the pace from probes: a line that is fitted to the time not spent on answers, by the number of hands."""
    if not probes:
        return Pace(0.0, 0.0, {})
    start, referee = _fit_line([(probe.hands, probe.seconds - sum(probe.answers)) for probe in probes])
    return Pace(start, referee, _seconds_by_bot(probes))


def _fit_line(points: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the intercept and slope of the least squares line through points (x, y).

    If the slope would be below zero, it is 0; if the intercept would be, it is 0 and the slope the ratio of the sums.
    """
    x, y = np.array(list(points), dtype=float).T
    spread = float(((x - x.mean()) ** 2).sum())
    slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0) if spread else 0.0
    intercept = float(y.mean()) - slope * float(x.mean())
    if intercept < 0:
        return 0.0, float(y.sum() / x.sum())
    return intercept, slope


def _seconds_by_bot(probes: Iterable[Probe]) -> dict[str, float]:
    seconds: dict[str, float] = {}
    hands: dict[str, int] = {}
    for probe in probes:
        for name, spent in zip(probe.seats, probe.answers, strict=True):
            seconds[name] = seconds.get(name, 0.0) + spent
            hands[name] = hands.get(name, 0) + probe.hands
    return {name: seconds[name] / hands[name] for name in seconds}


def hands_a_match(results: Sequence[HandResult], rules: Rules) -> float:
    """Return the mean number of hands in MATCHES simulated matches, whose hands are drawn with replacement from ``results``."""
    random = np.random.default_rng(SEED)
    lengths = []
    for _ in range(MATCHES):
        match, length = Match.start(rules, Deals("", "")), 0  # no deck is dealt, and who deals changes nothing
        while not match.over and length < LONGEST:
            match, length = match.add(results[int(random.integers(len(results)))]), length + 1
        lengths.append(length)
    return sum(lengths) / len(lengths)
