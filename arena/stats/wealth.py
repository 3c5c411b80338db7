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

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.stats.scales import MOST_LOST, PRIOR_DEALS, Scale


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
    return mean_wealth(log_factors(bets, scale, mean, direction).cumsum(axis=0))


def log_factors(bets: Bets, scale: Scale, mean: float, direction: Direction) -> Array:
    """Return the log of the factor of each block (row) on the wealth of each bettor (column)."""
    blocks, share = bets.blocks, bets.share[:, None]
    far = scale.most + direction * mean  # the largest loss without luck, for a unit of stake
    stake = np.minimum(np.array(scale.distances) / bets.variance[:, None], MOST_LOST / far)
    share = np.minimum(share, np.maximum(MOST_LOST / stake - far, 0.0) / scale.most_luck)
    worst_case = blocks.lost[:, None] * (scale.most + share * scale.most_luck)  # of the lost legs
    gain = direction * (blocks.y[:, None] - share * blocks.luck[:, None] - mean) - worst_case
    return np.asarray(np.log1p(stake * gain))


def mean_wealth(logs: Array) -> Array:
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
