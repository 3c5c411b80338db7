"""A sequential test of a candidate against a baseline, which both play the same opponents on the same deals.

A set is all legs on the deals of one number: candidate and baseline, both seats, every opponent. Its fixtures share their deals, so
they are played one after the other, and more workers than sets in a round are idle (see README.md of arena/tournament).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture
from arena.stats.sequential import duels
from arena.stats.sequential.observations import Block
from arena.stats.sequential.scales import DIFFERENCES, Scale
from arena.tournament.formats.base import Twins
from arena.tournament.formats.tested import LegSet, Tested


class Gauntlet(Tested, frozen=True, kw_only=True, tag="gauntlet"):
    """A test of the first entrant, the candidate, against the second, the baseline, by points a hand against all other entrants.

    It shows that the candidate's lead over the baseline is above ``bounds[0]`` or below ``bounds[1]``. Both play each opponent on
    the same deals from both seats, so the luck of the deal cancels out. Use rules with ``stock: two-ended`` (R2.4). With
    ``until: limit`` all ``hands`` are played, and judged at their end.
    """

    bounds: tuple[float, float] = (-1.0, 0.0)  # a difference reaches twice as far as a score, so 0.5 takes twice as many deals

    def twins(self, field: Sequence[str], number: int) -> tuple[Twins, ...]:
        """Return the legs of a set in pairs: the candidate's is as the baseline's, if it makes the same decisions."""
        if not self.skip or number >= self.most_sets(field):
            return ()
        legs = self.legs(field, number)
        return tuple(
            Twins(played=replace(theirs, id=f"{theirs.id}/equal"), asked=(place % 2,), bot=field[0], legs=(ours.id, theirs.id))
            for place, (ours, theirs) in enumerate(zip(legs[: len(legs) // 2], legs[len(legs) // 2 :], strict=True))
        )

    @property
    def _scale(self) -> Scale:
        """Return the sizes that suit differences of points a hand."""
        return DIFFERENCES

    def most_sets(self, field: Sequence[str]) -> int:
        """Return the largest number of sets within the limit of hands."""
        return -(-self.hands // (self._legs_of_set(len(field)) * self.leg))

    def _legs_of_set(self, size: int) -> int:
        return 4 * max(size - 2, 1)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return a set: the candidate's legs against each opponent, then the baseline's. Raises: SpecError, for too few bots."""
        if len(field) < 3:
            raise SpecError(f"format gauntlet: {len(field)} bots; expected a candidate, a baseline and at least one opponent")
        deals = f"gauntlet/{number}"
        return [
            Fixture(f"{bot}:{opponent}/{number}/{leg}", seats, deals, self.leg)
            for bot in field[:2]
            for opponent in field[2:]
            for leg, seats in enumerate([(bot, opponent), (opponent, bot)])
        ]

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a set: differences in points a hand."""
        rows = [duels.block(one, other) for one, other in zip(legs[::2], legs[1::2], strict=True)]
        half = len(rows) // 2
        return duels.against_field(rows[:half], rows[half:])
