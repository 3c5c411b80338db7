"""Tests that may stop at any time, by two betting e-processes.

A gambler starts with 1 and bets before every pair that the score y will lie above m; if the mean of y is at most m, the game is
not in the gambler's favour, and wealth reaches 1/alpha with a chance of alpha at most, whenever one stops (Ville 1939). So great
wealth is proof. The bets follow Waudby-Smith and Ramdas (2023), Estimating means of bounded random variables by betting; the
variance that sizes them is taken over past pairs only. Nothing is assumed of the scores but their bound.

The score of a pair is the mean of its hands' points, each held to +-60; or that less 0.85 x the luck of its draws. Either way a
wealth is kept, and the average of both is a wealth too.
"""

from enum import StrEnum
from math import exp, log, log1p
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.stats.pairs import HELD

BOUND = float(HELD)  # points: no score is further from nought
LUCK_BOUND = 60.0  # points: nor is the luck of a pair, a draw being corrected only where it cannot lead beyond
LUCK_SHARE = 0.85  # of the luck is taken off; frozen before any test
CORRECTED_BOUND = BOUND + LUCK_SHARE * LUCK_BOUND
PRIOR_VARIANCE = 150.0  # of a pair's score, before any was seen
PRIOR_PAIRS = 20.0  # what that guess weighs
MOST = 0.95  # of the wealth may be lost by one bet

Chance = Annotated[float, Meta(gt=0, lt=1)]


class Question(Struct, frozen=True):
    """Is a bot better than ``m0``, or not as good as ``m1``? In points a hand, m0 < m1."""

    m0: float
    m1: float

    def __post_init__(self) -> None:
        """Raise ValueError if the bounds could not be told apart or never be passed."""
        if not -BOUND < self.m0 < self.m1 < BOUND:
            found = f"{self.m0:g} and {self.m1:g}"
            raise ValueError(f"bounds: {found}; expected the first below the second, within {BOUND:g} of nought")


STRONGER = Question(0.0, 0.5)
NOT_WEAKER = Question(-0.5, 0.0)


class Verdict(StrEnum):
    """What a test has shown."""

    BETTER = "better"  # than m0: stronger, or not weaker
    NOT_AS_GOOD = "not as good"  # as m1: not stronger, or weaker
    UNDECIDED = "undecided"  # the limit was reached
    GOING_ON = "going on"


class Wealth(Struct, frozen=True):
    """Both gamblers' wealth after some pairs."""

    pairs: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of (y - mean) squared
    better: float = 0.0  # log of the wealth that bets on more than m0
    worse: float = 0.0  # log of the wealth that bets on less than m1

    def add(self, y: float, question: Question, bound: float) -> "Wealth":
        """Return the wealth after one more pair."""
        reach = question.m1 - question.m0
        variance = (PRIOR_PAIRS * PRIOR_VARIANCE + self.squares) / (PRIOR_PAIRS + self.pairs)
        up = min(reach / variance, MOST / (bound + question.m0))
        down = min(reach / variance, MOST / (bound - question.m1))
        mean = self.mean + (y - self.mean) / (self.pairs + 1)
        return Wealth(
            self.pairs + 1,
            mean,
            self.squares + (y - self.mean) * (y - mean),
            self.better + log1p(up * (y - question.m0)),
            self.worse + log1p(-down * (y - question.m1)),
        )


class SequentialTest(Struct, frozen=True, kw_only=True):
    """A test at one moment; ``add`` gives the next."""

    question: Question = STRONGER
    alpha: Chance = 0.05  # the chance to call a bot better that is not
    beta: Chance = 0.05  # the chance to call a bot not as good that is
    most_hands: Annotated[int, Meta(ge=1)] = 20_000
    hands: int = 0
    plain: Wealth = Wealth()  # from the scores as they are
    corrected: Wealth = Wealth()  # from the scores less luck
    verdict: Verdict = Verdict.GOING_ON  # once it is another it stays, whatever follows

    def add(self, y: float, *, luck: float = 0.0, hands: int = 2) -> "SequentialTest":
        """Return the test after one more pair of ``hands`` hands; luck is 0 where nobody has measured it.

        Raises: ValueError, if the score or the luck is beyond its bound, for then the proof would not hold.
        """
        if not (abs(y) <= BOUND and abs(luck) <= LUCK_BOUND):
            raise ValueError(f"score {y}, luck {luck}; expected at most {BOUND:g} and {LUCK_BOUND:g} either way")
        plain = self.plain.add(y, self.question, BOUND)
        corrected = self.corrected.add(y - LUCK_SHARE * luck, self.question, CORRECTED_BOUND)
        following = replace(self, hands=self.hands + hands, plain=plain, corrected=corrected)
        return following if self.over else replace(following, verdict=judge(following))

    @property
    def over(self) -> bool:
        """Tell whether no further pair is needed."""
        return self.verdict is not Verdict.GOING_ON

    @property
    def pairs(self) -> int:
        """Return how many pairs were seen."""
        return self.plain.pairs

    @property
    def better(self) -> float:
        """Return the log of the evidence against "no better than m0"; from log(1/alpha) on it is proof."""
        return _average(self.plain.better, self.corrected.better)

    @property
    def worse(self) -> float:
        """Return the log of the evidence against "as good as m1"; from log(1/beta) on it is proof."""
        return _average(self.plain.worse, self.corrected.worse)


def judge(test: SequentialTest) -> Verdict:
    """Return what the evidence of this moment shows."""
    if test.better >= -log(test.alpha):
        return Verdict.BETTER
    if test.worse >= -log(test.beta):
        return Verdict.NOT_AS_GOOD
    return Verdict.UNDECIDED if test.hands >= test.most_hands else Verdict.GOING_ON


def _average(one: float, two: float) -> float:
    """Return the log of the mean of two wealths, given their logs."""
    high, low = max(one, two), min(one, two)
    return high + log1p(exp(low - high)) - log(2)
