"""What a duel and a gauntlet have in common: a test with its options, on numbered sets of legs that share their deals.

They ask for sets in rounds (:mod:`arena.tournament.formats.rounds`). The verdict depends only on the sets in order of their
numbers, so the same fixtures are played after any interruption and on any number of workers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, takewhile
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.records import Fixture, Result
from arena.stats.sequential import duels
from arena.stats.sequential.betting import CLIPPING, METHOD, Chance, Question, SequentialTest, Until
from arena.stats.sequential.duels import MatchDuelState, SequentialState
from arena.stats.sequential.observations import Block
from arena.stats.sequential.scales import Scale, clipped
from arena.tournament.formats import rounds
from arena.tournament.formats.base import Format, leg_by_leg

LegSet = list[Result]  # the legs of one number, in the order in which the format asks for them

Hands = Annotated[int, Meta(ge=2, le=10_000_000)]
Leg = Annotated[int, Meta(ge=1, le=10_000)]
LEG = 2  # hands: few, because a verdict counts legs and not hands; more than one, because each leg starts two processes


class Tested(Format, frozen=True, kw_only=True):
    """The options of a test. A subclass says which legs a set has, how many sets there may be, and what a set scores."""

    grows: ClassVar[bool] = False  # its error bounds hold for the options that were chosen before; see runs/continuing.py

    bounds: tuple[float, float]
    alpha: Chance = 0.05  # bound on the chance of a wrong verdict "better"
    beta: Chance = 0.05  # bound on the chance of a wrong verdict "not as good"
    hands: Hands = 20_000  # limit after which the verdict is "undecided"
    leg: Leg = LEG  # hands that a process plays
    skip: bool = False  # do not play deals on which both bots make the same decisions: it assumes that bots are deterministic
    until: Until = "verdict"  # or "limit": all hands are played, and judged at their end
    method: Annotated[int, Meta(ge=CLIPPING, le=METHOD)] = METHOD  # version of the verdict; a run keeps that by which it began

    def __post_init__(self) -> None:
        """Raise ValueError for invalid bounds."""
        Question(*self.bounds)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return the fixtures of a set. Raises: SpecError, for a number of bots that it cannot have."""
        raise NotImplementedError

    def most_sets(self, field: Sequence[str]) -> int:
        """Return the largest number of sets within the limit of hands."""
        raise NotImplementedError

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a set."""
        raise NotImplementedError

    @property
    def scale(self) -> Scale:
        """Return the sizes that suit the scores, by the method of the test."""
        return clipped(self._scale) if self.method == CLIPPING and self._scale.exact else self._scale

    @property
    def _scale(self) -> Scale:
        """Return the sizes that suit the scores."""
        raise NotImplementedError

    @property
    def judged_by(self) -> int:
        """Return the method."""
        return self.method

    @property
    def counts_lost(self) -> bool:
        """Tell whether a lost leg is a result: a bot that can end its worker must not choose which legs count."""
        return True

    @property
    def first_round(self) -> int:
        """Return the sets in the first round."""
        return rounds.first_of(self.leg)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round; none after a verdict. Raises: SpecError."""
        done = duels.by_fixture(played)
        finished = sum(1 for _ in self._sets(field, done))
        start, end = rounds.current(finished, self.most_sets(field), self.first_round)
        if self.state(field, played, upto=start).over:
            return
        asked = leg_by_leg(self.legs(field, number) for number in range(start, end))
        yield from (leg for leg in asked if leg.id not in done)

    def complete(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Result]:
        """Yield the legs of all sets before the first incomplete one."""
        return chain.from_iterable(self.sets(field, played))

    def state(self, field: Sequence[str], played: Sequence[Result], upto: int | None = None) -> SequentialState | MatchDuelState:
        """Return the state of the test on all sets before the first incomplete one, or on the first ``upto`` of them."""
        return self.concluded(islice(self.sets(field, played), upto))

    def blocks(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Block]:
        """Yield the scores of every set before the first incomplete one, in order."""
        return map(self.block, self.sets(field, played))

    def sets(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[LegSet]:
        """Yield the results of every set before the first incomplete one, in order."""
        return self._sets(field, duels.by_fixture(played))

    def explain(self, size: int) -> Iterable[str]:
        """Return what a verdict costs: most if the bots play alike, because only fresh processes show that."""
        sets, legs = self._test().blocks_if_alike(self.leg), self._legs_of_set(size)
        hands = sets * legs * self.leg
        starts = 2 * sets * legs
        yield f"if the bots play alike, a verdict takes {hands:,} hands: {sets:,} sets of {legs} legs, {starts:,} processes"
        if hands > self.hands:
            yield f"the limit is {self.hands:,} hands, so it would be undecided then; bounds further apart need fewer"

    def _legs_of_set(self, size: int) -> int:
        """Return the legs of a set, with ``size`` entrants."""
        raise NotImplementedError

    def concluded(self, sets: Iterable[LegSet]) -> SequentialState | MatchDuelState:
        """Return the state of the test after some sets."""
        return SequentialState.after(self._test(), [self.block(legs) for legs in sets])

    def _test(self) -> SequentialTest:
        return SequentialTest(
            question=Question(*self.bounds),
            scale=self.scale,
            alpha=self.alpha,
            beta=self.beta,
            most_hands=self.hands,
            until=self.until,
        )

    def _sets(self, field: Sequence[str], done: Mapping[str, Result]) -> Iterator[LegSet]:
        every = (duels.all_results(self.legs(field, number), done) for number in range(self.most_sets(field)))
        return (legs or [] for legs in takewhile(lambda legs: legs is not None, every))
