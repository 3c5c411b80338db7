"""Evidence by betting: how a mean is tested so that one may stop at any time.

A bettor starts with a wealth of 1 and before every block (:mod:`arena.stats.sequential.observations`) stakes a share of it on the
score x of the block being above m. What can be gained or lost is ``clip(x - m)``, at most ``Scale.clip`` points either way. If this
has a mean of at most 0, given everything up to the end of the block before, the expected wealth never grows, so it ever reaches
1/alpha with a probability of at most alpha, whenever one stops (Ville 1939). Wealth is therefore evidence against m or less. A
bettor on scores below m gathers evidence against m or more.

- **Nothing within a block matters.** A stake is fixed before the block is played and settled on the mean of its deals. So the deals
  of a block may depend on each other in any way.
- **Six stakes.** The best stake is (mean - m) / variance, and the mean is not known. So the wealth is divided evenly over six
  sizes, for distances of 0.25 to 8 points; a mean of such wealths is one too. The variance is that of the blocks before.
- **Luck.** x is the score less a share of the luck of the draws (:mod:`arena.stats.luck`). The share is estimated from the deals of
  the blocks before, so it is fixed before the block; luck has mean zero then, and any share leaves the mean of the score as it is.
- **Clipping** makes larger stakes possible: without it a stake is at most 1 / (60 + m), with it 0.95 / 25. The mean that is tested
  is that of clipped scores, which is the same one if no block lies further than 25 points from m, or if scores are symmetric about
  m.

The stakes follow Waudby-Smith and Ramdas (2023), Estimating means of bounded random variables by betting.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from math import exp, fsum, log, log1p
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from arena.stats.sequential.observations import Block, DealScore

MAX_LOSS = 0.95  # largest share of the wealth that one block can lose
PRIOR_DEALS = 20.0  # weight of the priors, in deals

Direction = Literal[1, -1]  # 1: the bet is on scores above a mean; -1: below


class Scale(Struct, frozen=True, kw_only=True):
    """The sizes that suit a statistic, in its unit. They are constants: a test that chose them by its scores would be wrong."""

    clip: float  # largest distance of a block's score from the tested mean that counts
    distances: tuple[float, ...]  # assumed distances of the true mean from the tested one
    variance: float  # prior variance of a deal's score
    share: float  # prior share of luck that is subtracted
    luck_variance: float  # prior variance of a deal's luck, in points squared
    most: float  # largest absolute mean score


POINTS = Scale(clip=25.0, distances=(0.25, 0.5, 1.0, 2.0, 4.0, 8.0), variance=150.0, share=0.85, luck_variance=25.0, most=60.0)
DIFFERENCES = replace(POINTS, most=120.0)  # of two bots' points a hand against the same opponents
# In percent of a game, of which a point is worth about 0.3.
EQUITY = Scale(clip=8.0, distances=(0.075, 0.15, 0.3, 0.6, 1.2, 2.4), variance=15.0, share=0.25, luck_variance=25.0, most=60.0)


class Bet(Struct, frozen=True):
    """The score of a block, and the stakes that were fixed before it."""

    score: float  # less luck
    stakes: tuple[float, ...]  # shares of the wealth for each point that is gained or lost


class LuckSums(Struct, frozen=True):
    """Sums over the deals so far, from which the share of luck in a score is estimated."""

    deals: int = 0
    score: float = 0.0
    luck: float = 0.0
    product: float = 0.0  # of score and luck
    square: float = 0.0  # of luck

    def add(self, deal: DealScore) -> "LuckSums":
        """Return the sums with one more deal."""
        return LuckSums(
            self.deals + 1,
            self.score + deal.y,
            self.luck + deal.luck,
            self.product + deal.y * deal.luck,
            self.square + deal.luck * deal.luck,
        )

    def share(self, scale: Scale) -> float:
        """Return the slope of score on luck, between 0 and 1; the prior counts as some deals."""
        prior, deals = PRIOR_DEALS * scale.luck_variance, max(self.deals, 1)
        product = prior * scale.share + self.product - self.score * self.luck / deals
        return min(max(product / (prior + self.square - self.luck * self.luck / deals), 0.0), 1.0)


class Past(Struct, frozen=True):
    """What the next bet may depend on: the blocks before it."""

    blocks: int = 0
    mean: float = 0.0  # of the scores less luck; no score counts as further from the mean before it than the clip
    squares: float = 0.0  # sum of squared deviations from the mean
    luck: LuckSums = LuckSums()

    def bet(self, block: Block, scale: Scale) -> Bet:
        """Return the bet on a block; the stakes depend on nothing of the block itself but the number of its deals."""
        deals = len(block.deals)
        weight = PRIOR_DEALS / deals
        variance = (weight * scale.variance / deals + self.squares) / (weight + self.blocks)
        most = MAX_LOSS / scale.clip
        stakes = tuple(min(distance / variance, most) for distance in scale.distances)
        return Bet(block.y - self.luck.share(scale) * block.luck, stakes)

    def add(self, block: Block, score: float, scale: Scale) -> "Past":
        """Return the past after one more block, whose score less luck is ``score``."""
        deviation, blocks = clipped(score - self.mean, scale.clip), self.blocks + 1
        squares = self.squares + deviation * deviation * self.blocks / blocks
        return Past(blocks, self.mean + deviation / blocks, squares, reduce(LuckSums.add, block.deals, self.luck))


class Wealth(Struct, frozen=True):
    """The wealths of the bettors against one mean in one direction, one for each size of stake."""

    mean: float
    direction: Direction
    logs: tuple[float, ...]

    @staticmethod
    def start(mean: float, direction: Direction, scale: Scale) -> "Wealth":
        """Return the wealth before the first bet: 1 each."""
        return Wealth(mean, direction, (0.0,) * len(scale.distances))

    def add(self, bet: Bet, clip: float) -> "Wealth":
        """Return the wealth after a bet is settled."""
        gain = self.direction * clipped(bet.score - self.mean, clip)
        logs = (one + log1p(stake * gain) for one, stake in zip(self.logs, bet.stakes, strict=True))
        return Wealth(self.mean, self.direction, tuple(logs))

    @property
    def evidence(self) -> float:
        """Return the log of the mean wealth."""
        top = max(self.logs)
        return top + log(fsum(exp(one - top) for one in self.logs) / len(self.logs))


def bets(blocks: Iterable[Block], scale: Scale) -> Iterator[Bet]:
    """Yield the bet on every block, from the blocks before it."""
    past = Past()
    for block in blocks:
        bet = past.bet(block, scale)
        yield bet
        past = past.add(block, bet.score, scale)


def clipped(value: float, clip: float) -> float:
    """Return a value held to +-``clip``."""
    return max(-clip, min(clip, value))
