"""Evidence by betting: tests of a mean that may stop at any time.

A bettor starts with a wealth of 1, and before every block of deals (``Block``) bets a part of it on the score y of the block being
above m: it gains ``stake * (y - s luck - m)`` of its wealth, at least -0.99. If y has a mean of at most m, given everything up to
the end of the block before, the expected wealth never grows, so it ever reaches 1/alpha with a probability of at most alpha,
whenever the test stops (Ville 1939). Wealth is therefore evidence against a mean of m or less. A bettor on scores below m gathers
evidence against a mean of m or more.

- **Nothing within a block matters.** Stake and share of luck are fixed before the block is played and settled on the mean of its
  deals. So the deals of a block may depend on each other in any way.
- **Scores are bounded.** y lies within +-40, because each hand counts at most 40 points (:func:`arena.stats.pairs.cap`), and luck
  within +-60 by its own rule (:mod:`arena.stats.luck`). So the largest loss for each unit of stake is ``40 + m + 60 s``, or
  ``40 - m + 60 s`` of the bettor on scores below m. Stake and s are limited so that a hundredth of the wealth always remains. For
  differences of two bots against the same opponents, both bounds are twice as large. Where a hand may count several times (R2.5),
  every bound is as many times larger (``scaled``).
- **Six stakes.** The best stake is (mean - m) / variance, and the mean is not known. So the wealth is divided evenly over six
  bettors, for distances of 0.25 to 8 points; the mean of such wealths is evidence of the same kind. The variance is that of the
  blocks before, with a prior.
- **Luck.** s is the slope of score on luck over the deals before, with a prior, but at most what the stake allows. Luck has mean
  zero, so any share leaves the mean of the score as it is.

The stakes follow Waudby-Smith and Ramdas (2023), Estimating means of bounded random variables by betting.
"""

from collections.abc import Callable, Sequence
from math import log
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.stats.pairs import CAP

# The constants of each statistic. A test that chose them by its own scores would be wrong.

PRIOR_DEALS = 20.0  # weight of the priors, in deals
MOST_LOST = 0.99  # the largest share of its wealth that a bettor can lose in one block


class Scale(Struct, frozen=True, kw_only=True):
    """The constants of a statistic, in its unit."""

    distances: tuple[float, ...]  # assumed distances of the true mean from the tested one: a bettor for each
    variance: float  # prior variance of a deal's score less its share of luck
    share: float  # prior share of luck that is subtracted
    luck_variance: float  # prior variance of a deal's luck, in points squared
    most: float  # largest absolute score of a block
    most_luck: float = 60.0  # largest absolute luck of a block


POINTS = Scale(distances=(0.25, 0.5, 1.0, 2.0, 4.0, 8.0), variance=150.0, share=0.85, luck_variance=25.0, most=float(CAP))
DIFFERENCES = replace(POINTS, most=2.0 * CAP, most_luck=120.0)  # of two bots' points a hand against the same opponents
# in percent of a game, of which a point is worth about 0.3
EQUITY = Scale(distances=(0.075, 0.15, 0.3, 0.6, 1.2, 2.4), variance=15.0, share=0.25, luck_variance=25.0, most=20.0)


def scaled(scale: Scale, times: int) -> Scale:
    """Return a scale of points for rules by which a hand may count so many ``times`` (R2.5): its bounds are larger."""
    return replace(scale, most=scale.most * times, most_luck=scale.most_luck * times)


class Interval(Struct, frozen=True):
    """An estimate with its interval, of 95 % unless stated otherwise."""

    value: float
    low: float
    high: float


# What a test observes: blocks of deals.
#
# The bots are started anew for every leg, and a leg plays a few deals. All legs on the same deals form a *block*: two in a duel,
# and in a gauntlet those of candidate and baseline against every opponent. A block is one observation. A single deal is not: the
# deals of a leg share a process, and if its play depends on something else than the deals, such as system entropy at the start,
# their scores are dependent.
#
# A leg that was lost with its worker is not played again: otherwise a bot that can end its worker could choose which legs count.
# Each of a test's two sides counts its hands as the worst case for that side.


class DealScore(Struct, frozen=True):
    """The score of one deal, for the first of two bots or for the candidate."""

    y: float
    luck: float = 0.0  # of the draws, in points; 0 where it was not computed
    hands: int = 2
    same: bool = False  # both legs had the same result; in a gauntlet, candidate and baseline had it against every opponent


class Block(Struct, frozen=True):
    """The scores of the deals that the legs of a block have played; at least one."""

    deals: tuple[DealScore, ...]
    lost: float = 0.0  # share of its legs that were lost; their hands have score and luck 0

    @property
    def y(self) -> float:
        """Return the mean score of a deal."""
        return sum(deal.y for deal in self.deals) / len(self.deals)

    @property
    def luck(self) -> float:
        """Return the mean luck of a deal."""
        return sum(deal.luck for deal in self.deals) / len(self.deals)

    @property
    def hands(self) -> int:
        """Return the hands of all legs."""
        return sum(deal.hands for deal in self.deals)

    @property
    def same(self) -> int:
        """Return the number of deals whose result is the same, as ``DealScore.same`` says."""
        return sum(deal.same for deal in self.deals)


Array = NDArray[np.float64]
Direction = Literal[1, -1]  # 1: the bet is on scores above a mean; -1: below


class Observations(Struct, frozen=True, eq=False):
    """Blocks as arrays, with an entry for each."""

    deals: Array
    hands: Array
    y: Array  # mean score of a deal
    luck: Array  # mean luck of a deal
    lost: Array  # share of legs that were lost
    sums: Array  # a row for each block: sums over its deals of score, luck, their product and luck squared

    @staticmethod
    def of(blocks: Sequence[Block]) -> "Observations":
        """Return some blocks as arrays."""
        rows = np.array([(len(block.deals), block.hands, block.y, block.luck, block.lost, *_sums(block)) for block in blocks])
        deals, hands, y, luck, lost, *sums = rows.reshape(-1, 9).T
        return Observations(deals, hands, y, luck, lost, np.stack(sums, axis=1))

    @staticmethod
    def zeros(count: int, deals: int) -> "Observations":
        """Return blocks whose scores are all 0."""
        return Observations.of_deals(np.zeros((count, deals)), np.zeros((count, deals)))

    @staticmethod
    def of_deals(y: Array, luck: Array, hands: int = 2) -> "Observations":
        """Return blocks of deals with these scores and luck, a row for each block; ``hands`` are those of one deal."""
        count, size = y.shape
        sums = np.stack([y.sum(axis=1), luck.sum(axis=1), (y * luck).sum(axis=1), (luck * luck).sum(axis=1)], axis=1)
        deals = np.full(count, float(size))
        return Observations(deals, hands * deals, y.mean(axis=1), luck.mean(axis=1), np.zeros(count), sums)


class Bets(Struct, frozen=True, eq=False):
    """Blocks, with the estimates that the bettors use for each, which follow from the blocks before it."""

    blocks: Observations
    variance: Array  # of the score less its share of luck, of a block
    share: Array  # of luck that is subtracted, before the stake limits it

    @property
    def score(self) -> Array:
        """Return the score of each block less its share of luck."""
        return self.blocks.y - self.share * self.blocks.luck


def bets(blocks: Observations, scale: Scale) -> Bets:
    """Return blocks with variance and share of luck before each, estimated from the earlier blocks without a lost leg."""
    whole = blocks.lost == 0
    share = _share(_before(blocks.sums * whole[:, None]), _before(blocks.deals * whole), scale)
    scores, weight = blocks.y - share * blocks.luck, PRIOR_DEALS / blocks.deals
    squares = _squares(scores, whole)
    return Bets(blocks, (weight * scale.variance / blocks.deals + squares) / (weight + _before(whole)), share)


def path(bets: Bets, scale: Scale, mean: float, direction: Direction) -> Array:
    """Return the log of the bettors' mean wealth after each block."""
    return _mean_wealth(_log_factors(bets, scale, mean, direction).cumsum(axis=0))


def _log_factors(bets: Bets, scale: Scale, mean: float, direction: Direction) -> Array:
    """Return the log of the factor of each block (row) on the wealth of each bettor (column)."""
    blocks, share = bets.blocks, bets.share[:, None]
    far = scale.most + direction * mean  # the largest loss without luck, for a unit of stake
    stake = np.minimum(np.array(scale.distances) / bets.variance[:, None], MOST_LOST / far)
    share = np.minimum(share, np.maximum(MOST_LOST / stake - far, 0.0) / scale.most_luck)
    worst_case = blocks.lost[:, None] * (scale.most + share * scale.most_luck)  # of the lost legs
    gain = direction * (blocks.y[:, None] - share * blocks.luck[:, None] - mean) - worst_case
    return np.asarray(np.log1p(stake * gain))


def _mean_wealth(logs: Array) -> Array:
    """Return the log of the mean wealth over the last axis, from logs of wealth."""
    top = logs.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.exp(logs - top).mean(axis=-1)))


def _share(sums: Array, deals: Array, scale: Scale) -> Array:
    """Return the slope of score on luck, between 0 and 1, from sums over deals; the prior counts as PRIOR_DEALS deals."""
    score, luck, product, square = sums.T
    prior, count = PRIOR_DEALS * scale.luck_variance, np.maximum(deals, 1)
    slope = (prior * scale.share + product - score * luck / count) / (prior + square - luck * luck / count)
    return np.asarray(slope.clip(0, 1))


def _squares(scores: Array, whole: NDArray[np.bool_]) -> Array:
    """Return, for each block, the sum of squared deviations from the mean over the ``whole`` blocks before it."""
    count, total, squares = _before(np.stack([whole, whole * scores, whole * scores * scores], axis=1)).T
    return np.asarray(np.maximum(squares - total * total / np.maximum(count, 1), 0.0))


def _before(values: NDArray[np.generic]) -> Array:
    """Return the sum over the rows before each one."""
    return np.concatenate([np.zeros_like(values[:1], dtype=float), np.cumsum(values[:-1], axis=0, dtype=float)])


def _sums(block: Block) -> tuple[float, float, float, float]:
    return (
        sum(deal.y for deal in block.deals),
        sum(deal.luck for deal in block.deals),
        sum(deal.y * deal.luck for deal in block.deals),
        sum(deal.luck * deal.luck for deal in block.deals),
    )


# A confidence sequence: bounds of the mean score that are valid at every look, and that no later block takes back.
#
# For every mean m the bettors of the sequential test bet on "above m" and on "below m". A mean is excluded once the wealth on
# "above m" has reached 1/alpha, or that on "below m" 1/beta. So the lower bound is wrong with a probability of at most alpha,
# whenever it is read, and the upper one of at most beta; and the verdict is "better than m0" as soon as the lower bound is above
# m0. The wealth on "above m" falls as m rises, although its stakes depend on m: the factor of a block has, in m, the slope
# ``-stake`` while the stake and the share of luck s are free, ``-stake (1 - luck / 60)`` while the stake limits s, and
# ``-0.99 (40 + y) / (40 + m)^2`` while m limits the stake. None of them is above 0, nor with lost legs. The other wealth rises in
# the same way. So the means that are not excluded form an interval, and its ends are found by bisection.
#
# The estimate is the mean score less its share of luck over the blocks without a lost leg. At the moment of a verdict it is biased
# towards the verdict, because the test stops at a high or low point; the bounds are valid at that moment too. An estimate beyond
# them is moved to the nearest. This happens only if scores drift; then there is no single true mean.

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
    logs = _log_factors(bets, scale, mean, direction).cumsum(axis=0)
    richest = logs.max()  # the mean wealth is at most this, and at least its share
    if richest < proof or richest >= proof + log(logs.shape[1]):
        return bool(richest >= proof)
    return bool(_mean_wealth(logs).max() >= proof)


def bisect(condition: Callable[[float], bool], holds: float, fails: float, steps: int) -> tuple[float, float]:
    """Return two values between which a condition ceases to hold, after ``steps`` halvings; it holds at the first value."""
    for _ in range(steps):
        middle = (holds + fails) / 2
        holds, fails = (middle, fails) if condition(middle) else (holds, middle)
    return holds, fails
