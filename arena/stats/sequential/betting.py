"""The verdict: a test that may stop at any time, on the evidence of two bettors.

One bets that a bot is better than m0, the other that it is not as good as m1 (:mod:`arena.stats.sequential.wealth`). The first
whose wealth reaches 1/alpha, or 1/beta, decides. README.md of arena/stats states what the error bounds assume, and what was
measured.

A chain of verdicts "not weaker" can lose a little strength at each step, and an estimate at the moment of a verdict is biased
towards it. So a release can be compared with a frozen one over a number of hands that is chosen beforehand: ``until`` the limit.
The evidence is the same, judged once, at the end. A test by Student's t would need fewer hands, but for a patch that rarely changes
play it is wrong: one time in seven instead of one in twenty, after 1,000 hands of which 4 % differed.
"""

from enum import StrEnum
from math import log
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.stats.pairs import CAP
from arena.stats.sequential.observations import Block
from arena.stats.sequential.wealth import POINTS, Past, Scale, Wealth

METHOD = 2  # version of how scores become a verdict; 1 bet deal by deal

Chance = Annotated[float, Meta(gt=0, lt=1)]
Until = Literal["verdict", "limit"]


class Question(Struct, frozen=True):
    """Whether a bot is better than ``m0`` or not as good as ``m1``, in the unit of the scores; m0 < m1."""

    m0: float
    m1: float

    def __post_init__(self) -> None:
        """Raise ValueError if the bounds are equal, in the wrong order or outside the range of scores."""
        if not -CAP < self.m0 < self.m1 < CAP:
            found = f"{self.m0:g} and {self.m1:g}"
            raise ValueError(f"bounds: {found}; expected the first below the second, both between -{CAP} and {CAP}")

    @property
    def middle(self) -> float:
        """Return the middle of the bounds."""
        return (self.m0 + self.m1) / 2


STRONGER = Question(0.0, 0.5)
NOT_WEAKER = Question(-0.5, 0.0)


class Verdict(StrEnum):
    """The outcome of a test."""

    BETTER = "better"  # than m0: stronger, or not weaker
    NOT_AS_GOOD = "not as good"  # as m1: not stronger, or weaker
    UNDECIDED = "undecided"  # the limit of hands was reached
    CONTINUE = "continue"  # more blocks are needed


class SequentialTest(Struct, frozen=True, kw_only=True):
    """The state of a test; ``start`` returns the first, ``add`` the next."""

    question: Question
    scale: Scale
    alpha: Chance  # bound on the chance of the verdict "better" for a bot no better than m0
    beta: Chance  # bound on the chance of the verdict "not as good" for a bot as good as m1
    most_hands: Annotated[int, Meta(ge=1)]
    until: Until = "verdict"  # or "limit": judged once, after ``most_hands``
    above: Wealth  # bets on scores above m0
    below: Wealth  # bets on scores below m1
    past: Past = Past()
    hands: int = 0
    beyond: int = 0  # blocks whose score is further from the middle of the bounds than the clip
    verdict: Verdict = Verdict.CONTINUE  # final once it is any other

    @staticmethod
    def start(
        question: Question = STRONGER,
        scale: Scale = POINTS,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        most_hands: int = 20_000,
        until: Until = "verdict",
    ) -> "SequentialTest":
        """Return the test before the first block."""
        above, below = Wealth.start(question.m0, 1, scale), Wealth.start(question.m1, -1, scale)
        return SequentialTest(
            question=question,
            scale=scale,
            alpha=alpha,
            beta=beta,
            most_hands=most_hands,
            until=until,
            above=above,
            below=below,
        )

    def add(self, block: Block) -> "SequentialTest":
        """Return the test after one more block; after a verdict it does not change."""
        if self.over:
            return self
        bet, clip = self.past.bet(block, self.scale), self.scale.clip
        after = replace(
            self,
            above=self.above.add(bet, clip),
            below=self.below.add(bet, clip),
            past=self.past.add(block, bet.score, self.scale),
            hands=self.hands + block.hands,
            beyond=self.beyond + (abs(bet.score - self.question.middle) > clip),
        )
        return replace(after, verdict=judge(after))

    @property
    def over(self) -> bool:
        """Tell whether no further block is needed."""
        return self.verdict is not Verdict.CONTINUE

    @property
    def better(self) -> float:
        """Return the log of the evidence against "no better than m0", which is rejected at log(1/alpha)."""
        return self.above.evidence

    @property
    def worse(self) -> float:
        """Return the log of the evidence against "as good as m1", which is rejected at log(1/beta)."""
        return self.below.evidence


def judge(test: SequentialTest) -> Verdict:
    """Return the verdict on the evidence so far: the side that is further beyond its limit."""
    over = test.hands >= test.most_hands
    better, worse = test.better + log(test.alpha), test.worse + log(test.beta)
    if max(better, worse) < 0 or (test.until == "limit" and not over):
        return Verdict.UNDECIDED if over else Verdict.CONTINUE
    return Verdict.BETTER if better >= worse else Verdict.NOT_AS_GOOD
