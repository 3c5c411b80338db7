"""What a duel and a gauntlet have in common: a test with its options, on numbered sets of legs that share their deals.

They ask for sets in rounds. The verdict depends only on the sets in order of their numbers, so the same fixtures are played after
any interruption and on any number of workers.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from arena.gin.rules import MOST_MULTIPLIER, Rules
from arena.records import Fixture, Result
from arena.stats import duels
from arena.stats.scales import Scale
from arena.stats.wealth import Block, Observations
from arena.tournament.formats.base import Format, leg_by_leg
from arena.tournament.formats.growing_rounds import first_round_size, round_in_play

LegSet = list[Result]  # the legs of one number, in the order in which the format asks for them

Hands = Annotated[int, Meta(ge=2, le=10_000_000)]
Leg = Annotated[int, Meta(ge=1, le=10_000)]
LEG = 2  # hands: few, because a verdict counts legs and not hands; more than one, because each leg starts two processes


class Tested(Format, frozen=True, kw_only=True):
    """The options of a test. A subclass defines the legs of a set, the number of sets, and the scores of a set."""

    grows: ClassVar[bool] = False  # error bounds hold for options that were chosen before play: compare/dueling.py

    bounds: tuple[float, float]
    alpha: duels.Chance = 0.05  # bound on the chance of a wrong verdict "better"
    beta: duels.Chance = 0.05  # bound on the chance of a wrong verdict "not as good"
    hands: Hands = 20_000  # limit after which the verdict is "undecided"
    leg: Leg = LEG  # hands that a process plays
    until: duels.Until = "verdict"  # or "limit": all hands are played, and judged once at the end
    # the largest of a hand (R2.5), by the rules; what a spec says does not count
    multiplier: Annotated[int, Meta(ge=1, le=MOST_MULTIPLIER)] = 1

    def __post_init__(self) -> None:
        """Raise ValueError for invalid bounds."""
        duels.Question(*self.bounds)

    def under(self, rules: Rules) -> "Tested":
        """Return the format with the bounds of a hand that the rules have."""
        return replace(self, multiplier=rules.most_multiplier)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return the fixtures of a set. Raises: SpecError, for a number of bots that the format does not accept."""
        raise NotImplementedError

    def most_sets(self, field: Sequence[str]) -> int:
        """Return the number of sets that reaches the limit of hands; the last one may exceed it."""
        raise NotImplementedError

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a set."""
        raise NotImplementedError

    @property
    def scale(self) -> Scale:
        """Return the scale of the scores."""
        raise NotImplementedError

    @property
    def judged_by(self) -> int:
        """Return the version of the verdict."""
        return duels.METHOD

    @property
    def counts_lost(self) -> bool:
        """Tell whether a lost leg is a result: a bot that can end its worker must not choose which legs count."""
        return True

    @property
    def first_round(self) -> int:
        """Return the sets in the first round."""
        return first_round_size(self.leg)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round; none after a verdict. Raises: SpecError."""
        sets, done = list(self.sets(field, played)), duels.by_fixture(played)
        start, end = round_in_play(len(sets), self.most_sets(field), self.first_round)
        if self.verdict(sets[:start]).is_final:
            return
        asked = leg_by_leg(self.legs(field, number) for number in range(start, end))
        yield from (leg for leg in asked if leg.id not in done)

    def sets(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[LegSet]:
        """Yield the results of every set before the first incomplete one, in order."""
        done = duels.by_fixture(played)
        return duels.complete_sets((self.legs(field, number) for number in range(self.most_sets(field))), done)

    def explain(self, size: int) -> Iterable[str]:
        """Yield the cost of a verdict, or that there is none, if the bots play alike, so that all scores are 0."""
        sets, legs = self.test.blocks_if_alike(self.leg), self._legs_of_set(size)
        hands = sets * legs * self.leg
        if self.until == "limit":
            if hands > self.hands:
                yield f"if the bots play alike, {self.hands:,} hands leave it undecided; bounds further apart need fewer"
            return
        starts = 2 * sets * legs
        yield f"if the bots play alike, a verdict takes {hands:,} hands: {sets:,} sets of {legs} legs, {starts:,} processes"
        if hands > self.hands:
            yield f"the limit is {self.hands:,} hands, so it would be undecided then; bounds further apart need fewer"

    def _legs_of_set(self, size: int) -> int:
        """Return the number of legs of a set, with ``size`` entrants."""
        raise NotImplementedError

    def verdict(self, sets: Iterable[LegSet]) -> duels.Verdict:
        """Return the verdict of the test after some sets."""
        return self.test.judge(Observations.of([self.block(legs) for legs in sets])).verdict

    @property
    def test(self) -> duels.SequentialTest:
        """Return the test of the scores."""
        return duels.SequentialTest(
            question=duels.Question(*self.bounds),
            scale=self.scale,
            alpha=self.alpha,
            beta=self.beta,
            most_hands=self.hands,
            until=self.until,
        )
