"""Turns the results of a duel into the state of its test; a block is all legs on the deals of one number, once all are played.

In a pair of batches every deal is played twice, once from each seat, so the luck of the deal cancels out of the mean points of its
two hands, each capped to +-60. In a *gauntlet* a candidate and a baseline meet the same opponents on the same deals, and the score
of a deal is the mean difference between both over all opponents.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from arena.records import Fixture, Result, SingleHand
from arena.stats.pairs import cap
from arena.stats.sequential import pentanomial
from arena.stats.sequential.betting import Judgement, SequentialTest, Verdict
from arena.stats.sequential.wealth import Block, DealScore

Statistic = Literal["points", "equity", "matches"]
Worth = Callable[[SingleHand], float]  # value of a hand for seat 0


class SequentialState(Struct, frozen=True, kw_only=True):
    """The state of a duel on single hands."""

    test: SequentialTest
    judged: Judgement = Judgement()
    blocks: int = 0  # the verdict may have needed fewer
    fresh: int = 0  # blocks until the verdict of which no hand was skipped
    deals: int = 0
    hands: int = 0
    decided: int | None = None  # hands that the verdict needed; None: no verdict yet
    same: int = 0  # deals on which both legs had the same result
    mean: float | None = None  # score of a deal, over all blocks without a lost leg; None: there are none

    @staticmethod
    def after(test: SequentialTest, blocks: Sequence[Block]) -> "SequentialState":
        """Return the state after some blocks; those after the verdict are counted, but do not change it."""
        from arena.stats.sequential.wealth import Observations  # noqa: PLC0415 - imports numpy, which takes time to load

        judged = test.judge(Observations.of(blocks))
        until, whole = blocks[: judged.blocks], [block for block in blocks if not block.lost]
        deals = sum(len(block.deals) for block in whole)
        return SequentialState(
            test=test,
            judged=judged,
            blocks=len(blocks),
            fresh=sum(block.fresh for block in until),
            deals=sum(len(block.deals) for block in blocks),
            hands=sum(block.hands for block in blocks),
            decided=None if judged.verdict is Verdict.CONTINUE else sum(block.hands for block in until),
            same=sum(block.same for block in blocks),
            mean=sum(block.y * len(block.deals) for block in whole) / deals if deals else None,
        )

    @property
    def over(self) -> bool:
        """Tell whether there is a verdict, undecided included."""
        return self.verdict is not Verdict.CONTINUE

    @property
    def verdict(self) -> Verdict:
        """Return the verdict of the test."""
        return self.judged.verdict


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
    def over(self) -> bool:
        """Tell whether there is a verdict, undecided included."""
        return self.verdict is not Verdict.CONTINUE

    @property
    def sprt(self) -> pentanomial.Sprt:
        """Return the result of the test on the pairs so far."""
        return pentanomial.sprt(self.counts, *self.bounds, "normalized", self.alpha, self.beta)

    def add(self, halves: int, hands: int) -> "MatchDuelState":
        """Return the state after one more pair, in which the first bot scored ``halves`` half matches, from 0 to 4."""
        counts = tuple(count + (place == halves) for place, count in enumerate(self.counts))
        after = replace(self, counts=counts, hands=self.hands + hands)
        if self.over:
            return after
        verdict = after.judge()
        return replace(after, verdict=verdict, decided=None if verdict is Verdict.CONTINUE else after.hands)

    def judge(self) -> Verdict:
        """Return the verdict on the evidence so far."""
        state = self.sprt.state
        if state == "accept H1":
            return Verdict.BETTER
        if state == "accept H0":
            return Verdict.NOT_AS_GOOD
        return Verdict.UNDECIDED if self.hands >= self.most_hands else Verdict.CONTINUE


def net(hand: SingleHand) -> float:
    """Return the points of a hand, capped to +-60."""
    return cap(hand.points)


def block(one: Result, other: Result, worth: Worth = net) -> Block:
    """Return the scores of the deals of two legs, for the bot in seat 0 of leg ``one`` and seat 1 of leg ``other``."""
    return Block(tuple(_deals(one, other, worth)), (one.lost + other.lost) / 2, fresh=not one.skipped and not other.skipped)


def against_field(candidate: Sequence[Block], baseline: Sequence[Block]) -> Block:
    """Return the scores of common deals: the mean difference between candidate and baseline over all opponents.

    Both have a block for each opponent, in the same order.
    """
    ours, theirs = (zip(*(block.deals for block in blocks), strict=True) for blocks in (candidate, baseline))
    every = (*candidate, *baseline)
    lost = sum(block.lost for block in every) / len(every)
    return Block(tuple(map(_difference, ours, theirs)), lost, fresh=all(block.fresh for block in every))


def _deals(one: Result, other: Result, worth: Worth) -> Iterator[DealScore]:
    for first, second in zip(_singles(one), _singles(other), strict=True):
        y = (worth(first) - worth(second)) / 2
        luck = ((first.luck or 0.0) - (second.luck or 0.0)) / 2
        yield DealScore(y, luck, 2, first == second and not one.lost and not other.lost)


def _singles(leg: Result) -> Sequence[SingleHand]:
    """Return the hands of a leg; of one that was lost, hands that count as 0."""
    return (SingleHand(0, 0.0),) * (leg.fixture.hands or 0) if leg.lost else leg.singles


def _difference(ours: Sequence[DealScore], theirs: Sequence[DealScore]) -> DealScore:
    return DealScore(
        (sum(score.y for score in ours) - sum(score.y for score in theirs)) / len(ours),
        (sum(score.luck for score in ours) - sum(score.luck for score in theirs)) / len(ours),
        sum(score.hands for score in chain(ours, theirs)),
        all((one.y, one.luck) == (two.y, two.luck) for one, two in zip(ours, theirs, strict=True)),
    )


def by_fixture(played: Iterable[Result]) -> dict[str, Result]:
    """Return results by the id of their fixture."""
    return {result.fixture.id: result for result in played}


def all_results(legs: Iterable[Fixture], played: Mapping[str, Result]) -> list[Result] | None:
    """Return the results of some fixtures, or None if any has not been played."""
    found = [played.get(leg.id) for leg in legs]
    return [result for result in found if result] if all(found) else None
