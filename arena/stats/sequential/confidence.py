"""A confidence sequence: an interval for the mean score that is valid at every look.

For every mean m the two bettors of the sequential test bet on "above m" and on "below m" (:mod:`arena.stats.sequential.wealth`).
A mean is excluded while either wealth is at least 2/alpha; with a probability of 95 % the true mean is never excluded. The wealth
on "above m" falls as m rises, although its stakes depend on m: in m, what a block multiplies it by has the slope ``-stake`` while
the stake and the share of luck s are free, ``-stake (1 - luck / 60)`` while the stake limits s, and ``-0.99 (60 + y) / (60 +
m)^2`` while m limits the stake; none of them is above 0. The other wealth rises in the same way. So what is not excluded is an
interval, and its ends are found by bisection.

The estimate is the mean of the scores less luck over the blocks so far; where scores are clipped, each one counts as at most the
clip away from it. At the moment of a verdict it is biased towards the verdict, because the test stops at a high or low point; the
interval is valid at that moment too. An interval that excludes the estimate is widened to it. This happens only if scores drift;
then there is no single true mean.
"""

from collections.abc import Callable
from math import log

import numpy as np

from arena.stats.sequential.outcome import Interval
from arena.stats.sequential.scales import Scale
from arena.stats.sequential.wealth import Bets, Direction, evidence

STEPS = 40  # of a bisection: from 120 points to less than a billionth


def estimate(bets: Bets, scale: Scale, alpha: float = 0.05) -> Interval:
    """Return the estimate after some bets; before the first, the interval of all possible means."""
    if not len(bets.share):
        return Interval(0.0, -scale.most, scale.most)

    def excludes(direction: Direction) -> Callable[[float], bool]:
        return lambda mean: evidence(bets, scale, mean, direction) >= log(2 / alpha)

    value = _mean(bets, scale)
    low, high = _last(excludes(1), scale.most), -_last(lambda mean: excludes(-1)(-mean), scale.most)
    return Interval(value, min(low, value), max(high, value))


def _mean(bets: Bets, scale: Scale) -> float:
    """Return the value from which the scores of blocks without a lost leg deviate by 0 on average; 0, if there is none."""
    scores = bets.score[bets.blocks.lost == 0]
    if not len(scores):
        return 0.0

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
