"""A confidence sequence: an interval for points a hand that is valid at every look.

For every mean m the two bettors of the sequential test bet on "above m" and on "below m", with the same stakes for all m
(:mod:`arena.stats.sequential.wealth`). A mean is excluded while either wealth is at least 2/alpha; with a probability of 95 % the
true mean is never excluded. The stakes do not depend on m, so the wealth on "above m" falls as m rises, and the other rises: what
is not excluded is an interval, and its ends are found by bisection.

The estimate is the mean of the same scores, with each one counted as at most the clip away from it. An interval that excludes it is
widened to it. This happens only if scores drift; then there is no single true mean. Sources: those of
:mod:`arena.stats.sequential.wealth`.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from arena.stats.sequential.outcome import Interval
from arena.stats.sequential.wealth import Bet, Direction, Scale

Array = NDArray[np.float64]

STEPS = 40  # of a bisection: from 120 points to less than a billionth


def estimate(bets: Iterable[Bet], scale: Scale, alpha: float = 0.05) -> Interval:
    """Return the estimate after some bets; before the first, the interval of all possible means."""
    placed = list(bets)
    if not placed:
        return Interval(0.0, -scale.most, scale.most)
    scores, stakes = np.array([bet.score for bet in placed]), np.array([bet.stakes for bet in placed])
    enough = np.log(2 / alpha)

    def excluded(direction: Direction) -> Callable[[float], bool]:
        return lambda mean: _evidence(scores, stakes, direction, mean, scale.clip) >= enough

    value = _mean(scores, scale)
    low, high = _last(excluded(1), scale.most), -_last(lambda mean: excluded(-1)(-mean), scale.most)
    return Interval(value, min(low, value), max(high, value))


def _evidence(scores: Array, stakes: Array, direction: Direction, mean: float, clip: float) -> float:
    """Return the log of the mean wealth that bets on scores above, or below, a mean."""
    gains = direction * np.clip(scores - mean, -clip, clip)
    logs = np.log1p(stakes * gains[:, None]).sum(axis=0)
    return float(np.logaddexp.reduce(logs) - np.log(len(logs)))


def _mean(scores: Array, scale: Scale) -> float:
    """Return the value from which the scores deviate by 0 on average, each by at most the clip."""

    def deviation(value: float) -> float:
        return float(np.clip(scores - value, -scale.clip, scale.clip).mean())

    near = _last(lambda value: deviation(value) > 0, scale.most)
    return near + deviation(near)  # exact where nothing is clipped


def _last(true: Callable[[float], bool], most: float) -> float:
    """Return the largest value for which something is true that is true up to a point; -most, if it is true nowhere."""
    low, high = -most, most
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if true(middle) else (low, middle)
    return low
