"""A sequential test of a candidate against a baseline, which both play the same opponents on the same deals.

A set is all legs on the deals of one number: candidate and baseline, both seats, every opponent. Its fixtures share their deals, so
they are played one after the other, and more workers than sets in a round are idle (see README.md of arena/tournament).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile

from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.stats.sequential import duels
from arena.stats.sequential.duels import SequentialState
from arena.stats.sequential.observations import Block
from arena.stats.sequential.wealth import DIFFERENCES, Scale
from arena.tournament.formats import rounds
from arena.tournament.formats.base import Twins
from arena.tournament.formats.tested import Tested


class Gauntlet(Tested, frozen=True, kw_only=True, tag="gauntlet"):
    """A test of the first entrant, the candidate, against the second, the baseline, by points a hand against all other entrants.

    It shows that the candidate's lead over the baseline is above ``bounds[0]`` or below ``bounds[1]``. Both play each opponent on
    the same deals from both seats, so the luck of the deal cancels out. Use rules with ``stock: two-ended`` (R2.4). With
    ``until: limit`` all ``hands`` are played, and judged at their end.
    """

    bounds: tuple[float, float] = (-0.5, 0.0)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round; none after a verdict. Raises: SpecError."""
        done = duels.by_fixture(played)
        finished = sum(1 for _ in self._sets(field, done))
        start, end = rounds.current(finished, self._most(field), rounds.first_of(self.leg))
        if self.state(field, played, upto=start).over:
            return
        by_key = [self._legs(field, number) for number in range(start, end)]
        # neighbours have different deals, so they can be in play at once
        for legs in zip(*by_key, strict=True):
            yield from (leg for leg in legs if leg.id not in done)

    def twins(self, field: Sequence[str], number: int) -> tuple[Twins, ...]:
        """Return the legs of a set in pairs: the candidate's is as the baseline's, if it makes the same decisions."""
        if not self.skip or number >= self._most(field):
            return ()
        legs = self._legs(field, number)
        return tuple(
            Twins(played=replace(theirs, id=f"{theirs.id}/equal"), asked=(place % 2,), bot=field[0], legs=(ours.id, theirs.id))
            for place, (ours, theirs) in enumerate(zip(legs[: len(legs) // 2], legs[len(legs) // 2 :], strict=True))
        )

    def complete(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Result]:
        """Yield the legs of all sets before the first incomplete one."""
        return chain.from_iterable(self._sets(field, duels.by_fixture(played)))

    def state(self, field: Sequence[str], played: Sequence[Result], upto: int | None = None) -> SequentialState:
        """Return the state of the test on the complete sets, or on the first ``upto``."""
        sets = enumerate(self._sets(field, duels.by_fixture(played)))
        return self.concluded(self.scale, self._blocks(legs for number, legs in sets if upto is None or number < upto))

    def blocks(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Block]:
        """Yield the scores of every complete set, in order: differences in points a hand."""
        return self._blocks(self._sets(field, duels.by_fixture(played)))

    @property
    def scale(self) -> Scale:
        """Return the sizes that suit differences of points a hand."""
        return DIFFERENCES

    def _most(self, field: Sequence[str]) -> int:
        return -(-self.hands // (2 * self.leg * 2 * max(len(field) - 2, 1)))

    def _legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return one set: the candidate's legs against each opponent, then the baseline's."""
        if len(field) < 3:
            raise SpecError(f"format gauntlet: {len(field)} bots; expected a candidate, a baseline and at least one opponent")
        deals = f"gauntlet/{number}"
        return [
            Fixture(f"{bot}:{opponent}/{number}/{leg}", seats, deals, self.leg)
            for bot in field[:2]
            for opponent in field[2:]
            for leg, seats in enumerate([(bot, opponent), (opponent, bot)])
        ]

    def _sets(self, field: Sequence[str], done: dict[str, Result]) -> Iterator[list[Result]]:
        every = (duels.all_results(self._legs(field, number), done) for number in range(self._most(field)))
        for legs in takewhile(lambda legs: legs is not None, every):
            yield legs or []

    def _blocks(self, sets: Iterable[list[Result]]) -> Iterator[Block]:
        for legs in sets:
            rows = [duels.block(one, other) for one, other in zip(legs[::2], legs[1::2], strict=True)]
            half = len(rows) // 2
            yield duels.against_field(rows[:half], rows[half:])
