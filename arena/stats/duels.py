"""Turns the results of a duel into the state of its test.

A *block* has the scores of all legs on the same deals; it counts once all of them are played.

In a pair of batches every deal is played twice, once from each seat, so the luck of the deal cancels out of the mean points of its
two hands, each capped to +-40. In a *gauntlet* a candidate and a baseline meet the same opponents on the same deals, and the score
of a deal is the mean difference between both over all opponents.

The verdict: a test that may stop at any time, on the evidence of two sides.

One side bets that a bot is better than m0, the other that it is not as good as m1 (:mod:`arena.stats.wealth`). The first whose
wealth reaches its limit, 1/alpha or 1/beta, decides. README.md of arena/stats has the assumptions.

A chain of verdicts "not weaker" can lose a little strength at each step, and an estimate at the moment of a verdict is biased
towards it. So a release can be compared with a frozen one over a number of hands that is chosen beforehand: ``until`` the limit.
The evidence is the same, judged once, at the end. A test by Student's t would need fewer hands, but for a patch that rarely
changes play it is wrong: one time in seven instead of one in twenty, after 1,000 hands of which 4 % differed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from math import exp, log, sqrt
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.records import Fixture, Result, SingleHand
from arena.stats import confidence_sequence, pentanomial, wealth
from arena.stats.pairs import CAP, cap
from arena.stats.scales import POINTS, Interval, Scale
from arena.stats.statements import RACE
from arena.stats.wealth import Block, DealScore, Observations

METHOD = 4  # version of how scores become a verdict; a run of another one cannot be continued

MOST_ALIKE = 1 << 20  # blocks with score 0: if as many have no verdict, no more are tried

Chance = Annotated[float, Meta(gt=0, lt=1)]
Until = Literal["verdict", "limit"]


class Question(Struct, frozen=True):
    """Whether a bot is better than ``m0`` or not as good as ``m1``, in the unit of the scores; m0 < m1."""

    m0: float
    m1: float

    def __post_init__(self) -> None:
        """Raise ValueError if the bounds are equal, in the wrong order or not between -40 and 40."""
        if not -CAP < self.m0 < self.m1 < CAP:
            found = f"{self.m0:g} and {self.m1:g}"
            raise ValueError(f"bounds: {found}; expected the first below the second, both between -{CAP} and {CAP}")


STRONGER = Question(0.0, 0.5)
NOT_WEAKER = Question(-0.5, 0.0)


class Verdict(StrEnum):
    """The outcome of a test."""

    BETTER = "better"  # than m0: stronger, or not weaker
    NOT_AS_GOOD = "not as good"  # as m1: not stronger, or weaker
    UNDECIDED = "undecided"  # the limit of hands was reached
    CONTINUE = "continue"  # more blocks are needed

    @property
    def is_final(self) -> bool:
        """Tell whether the test is over, undecided included."""
        return self is not Verdict.CONTINUE


class Judgement(Struct, frozen=True, kw_only=True):
    """How a test stands after some blocks."""

    verdict: Verdict = Verdict.CONTINUE
    better: float = 0.0  # log of the evidence against "no better than m0", which is rejected at log(1/alpha)
    worse: float = 0.0  # log of the evidence against "as good as m1", which is rejected at log(1/beta)
    blocks: int = 0  # until the verdict; all, if there is none


class SequentialTest(Struct, frozen=True, kw_only=True):
    """The question of a test, its error levels and its limit."""

    question: Question = STRONGER
    scale: Scale = POINTS
    alpha: Chance = 0.05  # bound on the chance of the verdict "better" for a bot no better than m0
    beta: Chance = 0.05  # bound on the chance of the verdict "not as good" for a bot as good as m1
    most_hands: Annotated[int, Meta(ge=1)] = 20_000
    until: Until = "verdict"  # or "limit": judged once, after ``most_hands``

    def judge(self, blocks: Observations) -> Judgement:
        """Return the state of the test after some blocks; those after the verdict or the limit do not count."""
        if not len(blocks.y):
            return Judgement()
        bets = wealth.bets(blocks, self.scale)
        better = wealth.path(bets, self.scale, self.question.m0, direction=1)
        worse = wealth.path(bets, self.scale, self.question.m1, direction=-1)
        over = blocks.hands.cumsum() >= self.most_hands
        proved = (better >= -log(self.alpha)) | (worse >= -log(self.beta))
        ends = over | (proved & (self.until == "verdict"))
        last = int(ends.argmax()) if ends.any() else len(ends) - 1
        verdict = Verdict.UNDECIDED if over[last] else Verdict.CONTINUE
        if proved[last] and ends[last]:  # by the side whose evidence is further above its limit
            verdict = Verdict.BETTER if better[last] + log(self.alpha) >= worse[last] + log(self.beta) else Verdict.NOT_AS_GOOD
        return Judgement(
            verdict=verdict,
            better=float(better[last]),
            worse=float(worse[last]),
            blocks=last + 1,
        )

    def blocks_if_alike(self, deals: int) -> int:
        """Return the number of blocks of ``deals`` deals until a verdict, if all scores are 0 and hands are not limited.

        If a few million blocks do not suffice, their number.
        """
        test, count = replace(self, most_hands=1 << 60, until="verdict"), 1000
        while (found := test.judge(Observations.zeros(count, deals))).verdict is Verdict.CONTINUE and count < MOST_ALIKE:
            count *= 4
        return found.blocks


def guarantee_of_race(alpha: float, times: int = 1) -> str:
    """Return the guarantee of a race of level ``alpha``, in which a hand may count so many ``times`` (R2.5)."""
    return RACE(chance=f"{100 * alpha:g} %", held=f"±{CAP * times} points")


Statistic = Literal["points", "equity", "matches"]
Worth = Callable[[SingleHand], float]  # value of a hand for seat 0


class MatchDuelState(Struct, frozen=True, kw_only=True):
    """The state of a duel on matches: the pentanomial test, evaluated after every pair."""

    bounds: tuple[float, float]  # normalized Elo
    alpha: float
    beta: float
    most_hands: int
    counts: tuple[int, ...] = (0, 0, 0, 0, 0)  # pairs: LL, LD, DD or WL, WD, WW
    hands: int = 0
    decided: int | None = None
    verdict: Verdict = Verdict.CONTINUE

    @property
    def sprt(self) -> pentanomial.Sprt:
        """Return the result of the test on the pairs so far."""
        return pentanomial.pentanomial_sprt(self.counts, *self.bounds, "normalized", self.alpha, self.beta)

    def add(self, halves: int, hands: int) -> "MatchDuelState":
        """Return the state after one more pair, in which the first bot scored ``halves`` half matches, from 0 to 4."""
        counts = tuple(count + (place == halves) for place, count in enumerate(self.counts))
        after = replace(self, counts=counts, hands=self.hands + hands)
        if self.verdict.is_final:
            return after
        verdict = after.judge()
        return replace(after, verdict=verdict, decided=after.hands if verdict.is_final else None)

    def judge(self) -> Verdict:
        """Return the verdict on the evidence so far."""
        state = self.sprt.state
        if state == "accept H1":
            return Verdict.BETTER
        if state == "accept H0":
            return Verdict.NOT_AS_GOOD
        return Verdict.UNDECIDED if self.hands >= self.most_hands else Verdict.CONTINUE


def net(hand: SingleHand, times: int = 1) -> float:
    """Return the points of a hand, capped to +-40, ``times`` the largest multiplier of a hand (R2.5)."""
    return cap(hand.points, times)


def block(one: Result, other: Result, worth: Worth = net) -> Block:
    """Return the scores of two legs on the same deals, for the bot in seat 0 of leg ``one`` and seat 1 of leg ``other``."""
    return Block(tuple(_deals(one, other, worth)), (one.lost + other.lost) / 2)


def against_field(candidate: Sequence[Block], baseline: Sequence[Block]) -> Block:
    """Return the mean difference between candidate and baseline over all opponents, for each common deal.

    Both have a block for each opponent, in the same order.
    """
    ours, theirs = (zip(*(block.deals for block in blocks), strict=True) for blocks in (candidate, baseline))
    every = (*candidate, *baseline)
    lost = sum(block.lost for block in every) / len(every)
    deals = tuple(map(_difference, ours, theirs))
    if lost:  # the scores of lost legs are 0, and equal by that
        deals = tuple(replace(deal, same=False) for deal in deals)
    return Block(deals, lost)


def _deals(one: Result, other: Result, worth: Worth) -> Iterator[DealScore]:
    for first, second in zip(_singles(one), _singles(other), strict=True):
        y = (worth(first) - worth(second)) / 2
        luck = ((first.luck or 0.0) - (second.luck or 0.0)) / 2
        yield DealScore(y, luck, same=first == second and not one.lost and not other.lost)


def _singles(leg: Result) -> Sequence[SingleHand]:
    """Return the hands of a leg; of a lost leg, as many hands with score and luck 0."""
    return (SingleHand(0, 0.0),) * (leg.fixture.hands or 0) if leg.lost else leg.singles


def _difference(ours: Sequence[DealScore], theirs: Sequence[DealScore]) -> DealScore:
    return DealScore(
        y=(sum(score.y for score in ours) - sum(score.y for score in theirs)) / len(ours),
        luck=(sum(score.luck for score in ours) - sum(score.luck for score in theirs)) / len(ours),
        hands=sum(score.hands for score in chain(ours, theirs)),
        same=all((one.y, one.luck) == (two.y, two.luck) for one, two in zip(ours, theirs, strict=True)),
    )


def by_fixture(played: Iterable[Result]) -> dict[str, Result]:
    """Return results by the id of their fixture."""
    return {result.fixture.id: result for result in played}


def complete_sets(sets: Iterable[Iterable[Fixture]], played: Mapping[str, Result]) -> Iterator[list[Result]]:
    """Yield the results of each set of fixtures before the first one of which not all have been played."""
    for legs in sets:
        found = [played.get(leg.id) for leg in legs]
        if not all(found):
            return
        yield [result for result in found if result]


class Implied(Struct, frozen=True, kw_only=True):
    """The chances in games and matches that the hands played imply; see :mod:`arena.stats.games`."""

    games: Interval  # chance to win one
    matches: Interval  # chance to win one
    match_wins: float  # mean number of hands until a test on the wins of independent matches would reach the verdict


class ComparisonOutcome(Struct, frozen=True, kw_only=True):
    """The current result of a duel or gauntlet."""

    verdict: Verdict
    unit: str  # of the difference: "points a hand", "% of a game a hand" or "Elo"
    bounds: tuple[float, float]  # of the question, in that unit; for a duel on matches in normalized Elo
    # first less second, with a bound at 1 - alpha below and one at 1 - beta above; on matches, with a 95 % interval. None: no
    # pair is finished, or an end is infinite
    difference: Interval | None
    effect: float | None = None  # the mean score in standard deviations of a deal, or of a pair of matches; None: no scatter
    plain: float | None = None  # the mean score without the correction for luck; None: a duel on matches, or no whole block
    better: float  # evidence for "better"; of a duel on matches, a likelihood ratio
    worse: float  # evidence for "not as good"; likewise
    p: tuple[float, float] = (1.0, 1.0)  # p-values at any stop against "no better" and "as good", bounded by 1 / evidence (Ville)
    proof: tuple[float, float]  # evidence that decides: 1/alpha, 1/beta; on matches (1-beta)/alpha, (1-alpha)/beta
    hands: int  # played
    decided: int | None  # hands until the verdict, undecided hands included; None: no verdict yet
    pairs: int  # deals of finished blocks, lost legs included; or pairs of matches
    same: int | None = None  # of them, those with the same result in both legs, or for candidate and baseline; None: not counted
    blocks: int | None = None  # observations of the test until its verdict; None: a duel on matches, or nothing was played
    most: int = CAP  # points that a hand counts at most, by the rules
    capped: int = 0  # hands worth more than that
    lost: int = 0  # legs that were lost with their worker, and count as the worst for each side of the test
    pentanomial: tuple[int, ...] | None = None  # pairs of matches by result; None: a duel on hands
    implied: Implied | None = None
    void: str = ""  # why there is no verdict, whatever was played: the decisions of a bot were not its own; empty: there may be one
    same_program: bool = False  # both bots are the same program: nothing was played, and there is no evidence to need


def of_same_program(bounds: tuple[float, float], errors: tuple[float, float], unit: str) -> ComparisonOutcome:
    """Return the outcome for two bots that are the same program, whose difference is 0; ``errors`` are alpha and beta."""
    return ComparisonOutcome(
        verdict=Verdict.BETTER if bounds[0] < 0 else Verdict.NOT_AS_GOOD,
        unit=unit,
        bounds=bounds,
        difference=Interval(0.0, 0.0, 0.0),
        plain=0.0,
        better=1.0,
        worse=1.0,
        proof=(1 / errors[0], 1 / errors[1]),
        hands=0,
        decided=0,
        pairs=0,
        same_program=True,
    )


def _p_values(better: float, worse: float) -> tuple[float, float]:
    """Return the p-values that evidence bounds, from its logarithms: 1 / evidence, at most 1."""
    return exp(-max(better, 0.0)), exp(-max(worse, 0.0))


def _effect(scores: Sequence[float], deals: Sequence[int]) -> float | None:
    """Return the mean of some scores in standard deviations of one deal (Cohen's d); None: they are all alike, or too few."""
    if len(scores) < 2 or len({*scores}) == 1:
        return None
    mean = sum(score * count for score, count in zip(scores, deals, strict=True)) / sum(deals)
    variance = sum(count * (score - mean) ** 2 for score, count in zip(scores, deals, strict=True)) / (len(scores) - 1)
    return mean / sqrt(variance)


def of_hands(test: SequentialTest, blocks: Sequence[Block], unit: str) -> ComparisonOutcome:
    """Return the outcome of a duel on single hands; blocks after the verdict are counted, but do not change it."""
    observed = Observations.of(blocks)
    judged = test.judge(observed)
    until, whole = blocks[: judged.blocks], [block for block in blocks if not block.lost]
    deals = sum(len(block.deals) for block in whole)
    return ComparisonOutcome(
        verdict=judged.verdict,
        unit=unit,
        bounds=(test.question.m0, test.question.m1),
        difference=confidence_sequence.estimate(wealth.bets(observed, test.scale), test.scale, (test.alpha, test.beta))
        if blocks
        else None,
        effect=_effect([block.y for block in whole], [len(block.deals) for block in whole]),
        plain=sum(block.y * len(block.deals) for block in whole) / deals if deals else None,
        better=exp(min(judged.better, 700.0)),  # exp(710) is too large for a float
        worse=exp(min(judged.worse, 700.0)),
        p=_p_values(judged.better, judged.worse),
        proof=(1 / test.alpha, 1 / test.beta),
        hands=sum(block.hands for block in blocks),
        decided=sum(block.hands for block in until) if judged.verdict.is_final else None,
        pairs=sum(len(block.deals) for block in blocks),
        same=sum(block.same for block in blocks),
        blocks=judged.blocks,
    )


def of_matches(wins: MatchDuelState) -> ComparisonOutcome:
    """Return the outcome of a duel on matches, without a difference while an end of its interval is infinite."""
    sprt = wins.sprt
    llr = sprt.llr or 0.0
    low, high = sprt.elo_interval
    known = sprt.elo is not None and low is not None and high is not None
    return ComparisonOutcome(
        verdict=wins.verdict,
        unit="Elo",
        bounds=wins.bounds,
        difference=Interval(sprt.elo or 0.0, low or 0.0, high or 0.0) if known else None,
        effect=_effect([place / 2 - 1 for place, count in enumerate(wins.counts) for _ in range(count)], [1] * sum(wins.counts)),
        better=exp(llr),
        worse=exp(-llr),
        p=_p_values(llr, -llr),
        proof=(exp(sprt.upper), exp(-sprt.lower)),
        hands=wins.hands,
        decided=wins.decided,
        pairs=sum(wins.counts),
        pentanomial=wins.counts,
    )
