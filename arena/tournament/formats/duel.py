"""A sequential test between two bots. A set is a pair of legs on the same deals, with the seats swapped."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from arena.errors import InputError, SpecError
from arena.gin.deal import Seat
from arena.records import Fixture, Result, SingleHand
from arena.stats.pairs import capped
from arena.stats.sequential import duels
from arena.stats.sequential.duels import MatchDuelState, SequentialState, Statistic
from arena.stats.sequential.observations import Block
from arena.stats.sequential.scales import EQUITY, POINTS, Scale
from arena.tournament.formats import rounds
from arena.tournament.formats.base import Twins
from arena.tournament.formats.tested import LegSet, Tested


class Duel(Tested, frozen=True, kw_only=True, tag="duel"):
    """Two entrants play until a test shows that the first is better than ``bounds[0]`` or not as good as ``bounds[1]``.

    Both legs of a pair play the same ``leg`` hands with the seats swapped, each leg in new processes. The statistic is ``points``
    a hand, capped to 60; ``equity``, the percent of a game that a hand wins from a given score; or ``matches``, in normalized Elo.
    Use rules with ``stock: two-ended`` (R2.4), under which a seat draws the same cards in both legs. With ``until: limit`` all
    ``hands`` are played, and judged at their end.
    """

    statistic: Statistic = "points"
    bounds: tuple[float, float] = (0.0, 0.5)

    def __post_init__(self) -> None:
        """Raise ValueError for invalid bounds, or a test of fixed length on matches."""
        if self.statistic != "matches":
            super().__post_init__()
        elif self.until == "limit":
            raise ValueError("until: found 'limit'; expected 'verdict' for a duel on matches")
        else:
            self._check_elo()

    def twins(self, field: Sequence[str], number: int) -> tuple[Twins, ...]:
        """Return the pair with a number: both legs are as the first bot against itself, if the second makes the same decisions."""
        if not self.skip or self.statistic == "matches" or number >= self.most_sets(field):
            return ()
        leg, other = self.legs(field, number)
        alone = replace(leg, id=f"{leg.deals}/equal", seats=(field[0], field[0]))
        return (Twins(played=alone, asked=(0, 1), bot=field[1], legs=(leg.id, other.id)),)

    def explain(self, size: int) -> Iterable[str]:
        """Return what a verdict costs; nothing for the statistic ``matches``."""
        return () if self.statistic == "matches" else super().explain(size)

    def _legs_of_set(self, size: int) -> int:
        del size
        return 2

    def concluded(self, sets: Iterable[LegSet]) -> SequentialState | MatchDuelState:
        """Return the state of the test after some pairs."""
        if self.statistic != "matches":
            return super().concluded(sets)
        wins = MatchDuelState(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=self.hands)
        for one, other in sets:
            wins = wins.add(_halves(one, 0) + _halves(other, 1), one.hands + other.hands)
        return wins

    def blocks(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Block]:
        """Yield the scores of every pair of legs, in order; none for the statistic ``matches``."""
        return iter(()) if self.statistic == "matches" else super().blocks(field, played)

    @property
    def _scale(self) -> Scale:
        """Return the sizes that suit the statistic."""
        return EQUITY if self.statistic == "equity" else POINTS

    @property
    def counts_lost(self) -> bool:
        """Tell whether a lost leg is a result; a match has no worst score, so it is played again."""
        return self.statistic != "matches"

    def _check_elo(self) -> None:
        """Raise ValueError, beginning with the name of the option, if the pentanomial test does not accept the options."""
        try:
            MatchDuelState(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=1).judge()
        except InputError as error:
            raise ValueError(str(error) if str(error).startswith("alpha") else f"bounds: {error}") from None

    @property
    def first_round(self) -> int:
        """Return the pairs in the first round."""
        return rounds.FIRST if self.statistic == "matches" else super().first_round

    def most_sets(self, field: Sequence[str]) -> int:
        """Return the largest number of pairs within the limit of hands; a match is counted as one hand."""
        del field
        a_pair = 2 if self.statistic == "matches" else 2 * self.leg
        return -(-self.hands // a_pair)

    def legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return both legs of a pair. Raises: SpecError, for more or fewer than two bots."""
        if len(field) != 2:
            raise SpecError(f"format duel: {len(field)} bots; expected two")
        a, b = field
        deals = f"{a}:{b}/{number}"
        hands = None if self.statistic == "matches" else self.leg
        scored = self.statistic == "equity"
        return [Fixture(f"{deals}/{leg}", seats, deals, hands, scored) for leg, seats in enumerate([(a, b), (b, a)])]

    def block(self, legs: LegSet) -> Block:
        """Return the scores of a pair of legs."""
        one, other = legs
        return duels.block(one, other, _percent if self.statistic == "equity" else duels.net)


def _percent(hand: SingleHand) -> float:
    """Return what a hand has won for seat 0, in percent of a game, capped as points are."""
    from arena.stats.equity import gain  # noqa: PLC0415 - imports numpy, which takes time to load

    return capped(gain(hand))


def _halves(leg: Result, seat: Seat) -> int:
    """Return the half matches that a seat won: 2 for a win, 1 for a draw."""
    return 1 if leg.winner is None else 2 * (leg.winner == seat)
