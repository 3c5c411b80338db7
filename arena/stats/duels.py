"""A duel as its results tell it: a score for every deal that both legs played, and what these have shown so far.

In a pair of batches every deal is played twice, so each deal is an observation of its own: the mean of what the hand brought in
either leg, held to +-60. What the legs have in common, the luck of the deal, is in neither. In a *gauntlet* a candidate and a
baseline meet the same opponents on the same deals; half the difference of their scores is an observation, and the bounds are
halved with it, so that nothing leaves +-60.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from arena.records import Fixture, Result, Single
from arena.stats import pentanomial
from arena.stats.pairs import held
from arena.stats.sequential import LUCK_SHARE, SequentialTest, Verdict

Statistic = Literal["points", "equity", "matches"]
Worth = Callable[[Single], float]  # of a hand to seat 0


class Score(Struct, frozen=True):
    """What one deal told of the first of two, or of the candidate."""

    y: float  # within +-60
    luck: float = 0.0  # within +-60; 0, where nobody has measured it
    hands: int = 2
    same: bool = False  # both legs went the same way


class Course(Struct, frozen=True, kw_only=True):
    """How far a duel on single hands has come."""

    test: SequentialTest
    scores: int = 0  # deals; the verdict may have needed fewer
    hands: int = 0
    decided: int | None = None  # hands that the verdict needed; None: there is none yet
    same: int = 0  # deals on which both legs went the same way
    total: float = 0.0  # of y
    corrected: float = 0.0  # of y less its share of luck

    @property
    def over(self) -> bool:
        """Tell whether there is a verdict, undecided included."""
        return self.test.over

    @property
    def verdict(self) -> Verdict:
        """Return what has been shown."""
        return self.test.verdict

    def add(self, score: Score) -> "Course":
        """Return the course after one more deal; a verdict once given stays, and the evidence that it was given for."""
        after = self.test if self.over else self.test.add(score.y, luck=score.luck, hands=score.hands)
        decided = self.hands + score.hands if after.over and self.decided is None else self.decided
        return Course(
            test=after,
            scores=self.scores + 1,
            hands=self.hands + score.hands,
            decided=decided,
            same=self.same + score.same,
            total=self.total + score.y,
            corrected=self.corrected + score.y - LUCK_SHARE * score.luck,
        )


class Wins(Struct, frozen=True, kw_only=True):
    """How far a duel on matches has come: the pentanomial test of the chess sites, which looks after every pair."""

    bounds: tuple[float, float]  # Elo, normalized
    alpha: float
    beta: float
    most_hands: int
    counts: tuple[int, ...] = (0, 0, 0, 0, 0)  # pairs: LL, LD, DD or WL, WD, WW
    hands: int = 0
    decided: int | None = None
    verdict: Verdict = Verdict.GOING_ON

    @property
    def over(self) -> bool:
        """Tell whether there is a verdict, undecided included."""
        return self.verdict is not Verdict.GOING_ON

    @property
    def sprt(self) -> pentanomial.Sprt:
        """Return what the test says now."""
        return pentanomial.sprt(self.counts, *self.bounds, "normalized", self.alpha, self.beta)

    def add(self, halves: int, hands: int) -> "Wins":
        """Return the course after one more pair, of which the first won so many halves of a match, from 0 to 4."""
        counts = tuple(count + (place == halves) for place, count in enumerate(self.counts))
        after = replace(self, counts=counts, hands=self.hands + hands)
        if self.over:
            return after
        verdict = after.judge()
        return replace(after, verdict=verdict, decided=None if verdict is Verdict.GOING_ON else after.hands)

    def judge(self) -> Verdict:
        """Return what the evidence of this moment shows."""
        state = self.sprt.state
        if state == "accept H1":
            return Verdict.BETTER
        if state == "accept H0":
            return Verdict.NOT_AS_GOOD
        return Verdict.UNDECIDED if self.hands >= self.most_hands else Verdict.GOING_ON


def net(hand: Single) -> float:
    """Return the points of a hand, held to +-60."""
    return held(hand.points)


def deals(one: Result, other: Result, worth: Worth = net) -> Iterator[Score]:
    """Yield the score of every deal for who sat in seat 0 of leg ``one`` and in seat 1 of leg ``other``."""
    for first, second in zip(one.singles, other.singles, strict=True):
        y = (worth(first) - worth(second)) / 2
        luck = ((first.luck or 0.0) - (second.luck or 0.0)) / 2
        yield Score(y, luck, 2, first == second)


def against_field(candidate: Sequence[Sequence[Score]], baseline: Sequence[Sequence[Score]]) -> Iterator[Score]:
    """Yield the score of every common deal: half of what the candidate made more of it than the baseline, over all opponents.

    A row for each opponent, in the same order; each row the deals in order.
    """
    for ours, theirs in zip(zip(*candidate, strict=True), zip(*baseline, strict=True), strict=True):
        many = 2 * len(ours)
        yield Score(
            (sum(score.y for score in ours) - sum(score.y for score in theirs)) / many,
            (sum(score.luck for score in ours) - sum(score.luck for score in theirs)) / many,
            sum(score.hands for score in chain(ours, theirs)),
            all((one.y, one.luck) == (two.y, two.luck) for one, two in zip(ours, theirs, strict=True)),
        )


def by_fixture(played: Iterable[Result]) -> dict[str, Result]:
    """Return results by the id of their fixture."""
    return {result.fixture.id: result for result in played}


def whole(legs: Iterable[Fixture], played: Mapping[str, Result]) -> list[Result] | None:
    """Return the results of some fixtures, or None if one has not been played."""
    found = [played.get(leg.id) for leg in legs]
    return [result for result in found if result] if all(found) else None
