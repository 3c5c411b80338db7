"""A confidence sequence: bounds of the mean score that are valid at every look, and that no later block takes back.

For every mean m the bettors of the sequential test bet on "above m" and on "below m". A mean is excluded once the wealth on
"above m" has reached 1/alpha, or that on "below m" 1/beta. So the lower bound is wrong with a probability of at most alpha,
whenever it is read, and the upper one of at most beta; and the verdict is "better than m0" as soon as the lower bound is above
m0. The wealth on "above m" falls as m rises, although its stakes depend on m: the factor of a block has, in m, the slope
``-stake`` while the stake and the share of luck s are free, ``-stake (1 - luck / 60)`` while the stake limits s, and
``-0.99 (40 + y) / (40 + m)^2`` while m limits the stake. None of them is above 0, nor with lost legs. The other wealth rises in
the same way. So the means that are not excluded form an interval, and its ends are found by bisection.

The estimate is the mean score less its share of luck over the blocks without a lost leg. At the moment of a verdict it is biased
towards the verdict, because the test stops at a high or low point; the bounds are valid at that moment too. An estimate beyond
them is moved to the nearest. This happens only if scores drift; then there is no single true mean.
"""

from collections.abc import Callable
from math import log

from arena.stats.scales import Interval, Scale
from arena.stats.wealth import Bets, Direction, log_factors, mean_wealth

STEPS = 40  # of a bisection: from 80 points to less than a billionth
LEVELS = (0.05, 0.05)


def estimate(bets: Bets, scale: Scale, levels: tuple[float, float] = LEVELS) -> Interval:
    """Return the estimate with its bounds after some bets; before the first, 0 and all possible means.

    ``levels``: the most likely errors of the lower and of the upper bound, each alone.
    """
    if not len(bets.share):
        return Interval(0.0, -scale.most, scale.most)

    def bound(direction: Direction) -> float:
        proof = -log(levels[direction < 0])
        return (
            direction
            * bisect(lambda mean: _reaches(proof, bets, scale, direction * mean, direction), -scale.most, scale.most, STEPS)[0]
        )

    low, high = sorted((bound(1), bound(-1)))  # they cross only if scores drift
    scores = bets.score[bets.blocks.lost == 0]
    return Interval(min(max(float(scores.mean()) if len(scores) else 0.0, low), high), low, high)


def _reaches(proof: float, bets: Bets, scale: Scale, mean: float, direction: Direction) -> bool:
    """Tell whether the log of the bettors' mean wealth has ever reached ``proof``."""
    logs = log_factors(bets, scale, mean, direction).cumsum(axis=0)
    richest = logs.max()  # the mean wealth is at most this, and at least its share
    if richest < proof or richest >= proof + log(logs.shape[1]):
        return bool(richest >= proof)
    return bool(mean_wealth(logs).max() >= proof)


def bisect(condition: Callable[[float], bool], holds: float, fails: float, steps: int) -> tuple[float, float]:
    """Return two values between which a condition ceases to hold, after ``steps`` halvings; it holds at the first value."""
    for _ in range(steps):
        middle = (holds + fails) / 2
        holds, fails = (middle, fails) if condition(middle) else (holds, middle)
    return holds, fails
