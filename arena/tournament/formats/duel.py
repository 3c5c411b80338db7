"""A sequential test between two bots. A set is a pair of legs on the same deals, with the seats swapped."""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from arena.errors import InputError, SpecError
from arena.gin.facts import Seat
from arena.records import Fixture, Result, SingleHand
from arena.stats import duels
from arena.stats.equity import gain
from arena.stats.scales import EQUITY, POINTS, Scale, scaled
from arena.stats.wealth import Block
from arena.tournament.formats.base import pair_of_legs
from arena.tournament.formats.growing_rounds import FIRST
from arena.tournament.formats.tested import LegSet, Tested


class Duel(Tested, frozen=True, kw_only=True, tag="duel"):
    """Two entrants play until a test shows that the first is better than ``bounds[0]`` or not as good as ``bounds[1]``.

    Both legs of a pair play the same ``leg`` hands with the seats swapped, each leg in new processes. The statistic is ``points``
    a hand, held to 40; ``equity``, the percent of a game that a hand wins from a given score, held to 20; or ``matches``, in
    normalized Elo. Use rules with ``stock: two-ended`` (R2.4), under which a seat draws the same cards in both legs. With
    ``until: limit`` all ``hands`` are played, and judged at their end.
    """

    statistic: duels.Statistic = "points"
    bounds: tuple[float, float] = (0.0, 0.5)

    def __post_init__(self) -> None:
        """Raise ValueError, beginning with the option's name, for invalid bounds, or for options that a duel on matches lacks."""
        if self.statistic != "matches":
            super().__post_init__()
            return
        if self.until == "limit":
            raise ValueError("until: found 'limit'; expected 'verdict' for a duel on matches")
        try:
            self.wins(()).judge()
        except InputError as error:
            raise ValueError(str(error) if str(error).startswith("alpha") else f"bounds: {error}") from None

    def explain(self, size: int) -> Iterable[str]:
        """Return the cost of a verdict; none for the statistic ``matches``."""
        return () if self.statistic == "matches" else super().explain(size)

    def _legs_of_set(self, size: int) -> int:
        del size
        return 2

    def verdict(self, sets: Iterable[LegSet]) -> duels.Verdict:
        """Return the verdict of the test after some pairs."""
        return self.wins(sets).verdict if self.statistic == "matches" else super().verdict(sets)

    def wins(self, sets: Iterable[LegSet]) -> duels.MatchDuelState:
        """Return the state of a duel on matches after some pairs."""
        wins = duels.MatchDuelState(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=self.hands)
        for one, other in sets:
            wins = wins.add(_halves(one, 0) + _halves(other, 1), one.hands + other.hands)
        return wins

    @property
    def scale(self) -> Scale:
        """Return the scale of the statistic."""
        if self.statistic == "equity":  # luck is in points
            return replace(EQUITY, most_luck=EQUITY.most_luck * self.multiplier)
        return scaled(POINTS, self.multiplier)

    @property
    def counts_lost(self) -> bool:
        """Tell whether a lost leg is a result; a match has no worst score, so it is played again."""
        return self.statistic != "matches"

    @property
    def first_round(self) -> int:
        """Return the pairs in the first round."""
        return FIRST if self.statistic == "matches" else super().first_round

    def most_sets(self, field: Sequence[str]) -> int:
        """Return a number of pairs that surely reaches the limit of hands: a match has at least one."""
        del field
        hands_of_pair = 2 if self.statistic == "matches" else 2 * self.leg
        return -(-self.hands // hands_of_pair)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return both legs of a pair. Raises: SpecError, for more or fewer than two bots."""
        if len(field) != 2:
            raise SpecError(f"format duel: {len(field)} bots; expected two")
        a, b = field
        hands = None if self.statistic == "matches" else self.leg
        return pair_of_legs(a, b, f"{a}:{b}/{number}", hands, scored=self.statistic == "equity")

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a pair of legs."""
        one, other = legs
        return duels.block(one, other, _percent if self.statistic == "equity" else partial(duels.net, times=self.multiplier))


def _percent(hand: SingleHand) -> float:
    """Return the gain of seat 0 in a hand, in percent of a game, held to the bound of its scale."""
    return max(-EQUITY.most, min(gain(hand), EQUITY.most))


def _halves(leg: Result, seat: Seat) -> int:
    """Return the half matches that a seat won: 2 for a win, 1 for a draw."""
    return 1 if leg.winner is None else 2 * (leg.winner == seat)
