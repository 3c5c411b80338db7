"""What a duel and a gauntlet have in common: a test with its options, on blocks of deals."""

from collections.abc import Iterable
from functools import reduce
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.stats.sequential.betting import METHOD, Chance, Question, SequentialTest, Until
from arena.stats.sequential.duels import SequentialState
from arena.stats.sequential.observations import Block
from arena.stats.sequential.wealth import Scale
from arena.tournament.formats.base import Format

Hands = Annotated[int, Meta(ge=2, le=10_000_000)]
Leg = Annotated[int, Meta(ge=1, le=10_000)]
LEG = 4  # hands: few, because a verdict counts legs and not hands; more than one, because each leg starts two processes


class Tested(Format, frozen=True, kw_only=True):
    """The options of a test."""

    method: ClassVar[int] = METHOD

    bounds: tuple[float, float]
    alpha: Chance = 0.05  # bound on the chance of a wrong verdict "better"
    beta: Chance = 0.05  # bound on the chance of a wrong verdict "not as good"
    hands: Hands = 20_000  # limit after which the verdict is "undecided"
    leg: Leg = LEG  # hands that a process plays
    skip: bool = True  # do not play deals on which both bots make the same decisions, whose score is 0
    until: Until = "verdict"  # or "limit": all hands are played, and judged at their end

    def __post_init__(self) -> None:
        """Raise ValueError for invalid bounds."""
        Question(*self.bounds)

    def concluded(self, scale: Scale, blocks: Iterable[Block]) -> SequentialState:
        """Return the state of the test after some blocks."""
        test = SequentialTest.start(
            Question(*self.bounds), scale, alpha=self.alpha, beta=self.beta, most_hands=self.hands, until=self.until
        )
        return reduce(SequentialState.add, blocks, SequentialState(test=test))
