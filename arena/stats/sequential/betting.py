"""The verdict: a test that may stop at any time, on the evidence of two sides.

One side bets that a bot is better than m0, the other that it is not as good as m1 (:mod:`arena.stats.sequential.wealth`). The first
whose wealth reaches 1/alpha, or 1/beta, decides. README.md of arena/stats states what the error bounds assume, and what was
measured.

A chain of verdicts "not weaker" can lose a little strength at each step, and an estimate at the moment of a verdict is biased
towards it. So a release can be compared with a frozen one over a number of hands that is chosen beforehand: ``until`` the limit.
The evidence is the same, judged once, at the end. A test by Student's t would need fewer hands, but for a patch that rarely changes
play it is wrong: one time in seven instead of one in twenty, after 1,000 hands of which 4 % differed.
"""

from enum import StrEnum
from math import log
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.stats.pairs import CAP
from arena.stats.sequential.scales import POINTS, Scale

if TYPE_CHECKING:
    from arena.stats.sequential.wealth import Bets, Observations

# Version of how scores become a verdict. 1 bet deal by deal; 2 clipped the scores of blocks and so was right about another mean.
METHOD = 3
CLIPPING = 2  # the last method that clipped points

MOST_ALIKE = 1 << 20  # blocks that are tried for two bots that play alike

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


class Judgement(Struct, frozen=True, kw_only=True):
    """How a test stands after some blocks."""

    verdict: Verdict = Verdict.CONTINUE
    better: float = 0.0  # log of the evidence against "no better than m0", which is rejected at log(1/alpha)
    worse: float = 0.0  # log of the evidence against "as good as m1", which is rejected at log(1/beta)
    blocks: int = 0  # until the verdict
    beyond: int = 0  # of them, those whose score is further from the middle of the bounds than the clip


class SequentialTest(Struct, frozen=True, kw_only=True):
    """What a test asks, and at which levels."""

    question: Question = STRONGER
    scale: Scale = POINTS
    alpha: Chance = 0.05  # bound on the chance of the verdict "better" for a bot no better than m0
    beta: Chance = 0.05  # bound on the chance of the verdict "not as good" for a bot as good as m1
    most_hands: Annotated[int, Meta(ge=1)] = 20_000
    until: Until = "verdict"  # or "limit": judged once, after ``most_hands``

    def judge(self, blocks: "Observations") -> Judgement:
        """Return the state of the test after some blocks; those after the verdict do not count."""
        from arena.stats.sequential import wealth  # noqa: PLC0415 - imports numpy, which takes time to load

        if not len(blocks.y):
            return Judgement()
        bets = wealth.bets(blocks, self.scale)
        better = wealth.path(bets, self.scale, self.question.m0, 1)
        worse = wealth.path(bets, self.scale, self.question.m1, -1)
        over = blocks.hands.cumsum() >= self.most_hands
        proved = (better >= -log(self.alpha)) | (worse >= -log(self.beta))
        ends = over | (proved & (self.until == "verdict"))
        last = int(ends.argmax()) if ends.any() else len(ends) - 1
        return Judgement(
            verdict=self._verdict(better[last], worse[last]) if proved[last] and ends[last] else _open(over=bool(over[last])),
            better=float(better[last]),
            worse=float(worse[last]),
            blocks=last + 1,
            beyond=self._beyond(bets, last + 1),
        )

    def blocks_if_alike(self, deals: int) -> int:
        """Return after how many blocks of ``deals`` a test ends whose scores are all 0, without a limit of hands."""
        from arena.stats.sequential.wealth import Observations  # noqa: PLC0415 - imports numpy, which takes time to load

        test, count = replace(self, most_hands=1 << 60, until="verdict"), 1000
        while (found := test.judge(Observations.zeros(count, deals))).verdict is Verdict.CONTINUE and count < MOST_ALIKE:
            count *= 4
        return found.blocks

    def _verdict(self, better: float, worse: float) -> Verdict:
        """Return the verdict of the side that is further beyond its limit."""
        return Verdict.BETTER if better + log(self.alpha) >= worse + log(self.beta) else Verdict.NOT_AS_GOOD

    def _beyond(self, bets: "Bets", blocks: int) -> int:
        return int((abs(bets.score[:blocks] - self.question.middle) > self.scale.clip).sum())


def _open(*, over: bool) -> Verdict:
    return Verdict.UNDECIDED if over else Verdict.CONTINUE


# What a verdict promises, and the answer of a race, in the sentences that every page and help text uses.

_ASSUMED = (
    "about the mean of hands held to ±60 points, if decks are independent and secret, blocks of deals share nothing, and"
    " conditions do not change."
)
GUARANTEE = f"A verdict is wrong at most one time in twenty, for every bot and whenever you stop, {_ASSUMED}"
DETERMINISTIC = (  # added where deals are skipped
    "Assumed as well: both bots are deterministic, that is, an answer depends on nothing but the turns of the hand so far."
)


def guarantee_of_race(alpha: float) -> str:
    """Return what the answer of a race promises, for the level of the whole race."""
    chance = f"{100 * alpha:g} %"
    return f"The answer is wrong with a chance of at most {chance}, for all versions together and whenever you stop, {_ASSUMED}"
