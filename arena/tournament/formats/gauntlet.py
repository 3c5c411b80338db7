"""A sequential test of a candidate against a baseline, which both play the same opponents on the same deals.

A set is all legs on the deals of one number: candidate and baseline, both seats, every opponent. Its fixtures share their deals,
so they are played one after the other, and more workers than sets in a round are idle (see README.md of arena/tournament).
"""

from collections.abc import Sequence
from functools import partial

from arena.errors import SpecError
from arena.records import Fixture
from arena.stats import duels
from arena.stats.scales import DIFFERENCES, Scale, scaled
from arena.stats.wealth import Block
from arena.tournament.formats.tested import LegSet, Tested


class Gauntlet(Tested, frozen=True, kw_only=True, tag="gauntlet"):
    """A test of the first entrant, the candidate, against the second, the baseline, by points a hand against all other entrants.

    It shows that the candidate's lead over the baseline is above ``bounds[0]`` or below ``bounds[1]``. Both play each opponent on
    the same deals from both seats, so the luck of the deal cancels out. Use rules with ``stock: two-ended`` (R2.4). With
    ``until: limit`` all ``hands`` are played, and judged at their end.
    """

    bounds: tuple[float, float] = (-1.0, 0.0)  # twice as wide as a duel's: a difference varies more than a score

    @property
    def scale(self) -> Scale:
        """Return the scale of differences of points a hand."""
        return scaled(DIFFERENCES, self.multiplier)

    def most_sets(self, field: Sequence[str]) -> int:
        """Return the number of sets that reaches the limit of hands; the last one may exceed it."""
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
        worth = partial(duels.net, times=self.multiplier)
        rows = [duels.block(one, other, worth) for one, other in zip(legs[::2], legs[1::2], strict=True)]
        half = len(rows) // 2
        return duels.against_field(rows[:half], rows[half:])
