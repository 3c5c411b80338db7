"""A sequential test between two bots.

It asks for pairs in rounds (:mod:`arena.tournament.formats.rounds`). The verdict depends only on the pairs in order of their
numbers, so the same fixtures are played after any interruption and on any number of workers.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile

from msgspec.structs import replace

from arena.errors import InputError, SpecError
from arena.gin.deal import Seat
from arena.records import Fixture, Result
from arena.stats.pairs import capped
from arena.stats.sequential import duels
from arena.stats.sequential.duels import MatchDuelState, SequentialState, Statistic, Worth
from arena.stats.sequential.observations import Block
from arena.stats.sequential.wealth import EQUITY, POINTS, Scale
from arena.tournament.formats import rounds
from arena.tournament.formats.base import Twins
from arena.tournament.formats.tested import Tested


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

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round; none after a verdict. Raises: SpecError."""
        done = duels.by_fixture(played)
        finished = sum(1 for _ in self._pairs(field, done))
        start, end = rounds.current(finished, self._most, self._first)
        if self.state(field, played, upto=start).over:
            return
        by_key = [self._legs(field, pair) for pair in range(start, end)]
        # neighbours have different deals, so they can be in play at once
        for legs in zip(*by_key, strict=True):
            yield from (leg for leg in legs if leg.id not in done)

    def twins(self, field: Sequence[str], number: int) -> tuple[Twins, ...]:
        """Return the pair with a number: both legs are as the first bot against itself, if the second makes the same decisions."""
        if not self.skip or self.statistic == "matches" or number >= self._most:
            return ()
        leg, other = self._legs(field, number)
        alone = replace(leg, id=f"{leg.deals}/equal", seats=(field[0], field[0]))
        return (Twins(played=alone, asked=(0, 1), bot=field[1], legs=(leg.id, other.id)),)

    def complete(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Result]:
        """Yield the legs of all pairs before the first incomplete one."""
        return chain.from_iterable(self._pairs(field, duels.by_fixture(played)))

    def state(self, field: Sequence[str], played: Sequence[Result], upto: int | None = None) -> SequentialState | MatchDuelState:
        """Return the state of the test on all pairs before the first incomplete one, or on the first ``upto`` of them."""
        pairs = (legs for number, legs in enumerate(self._pairs(field, duels.by_fixture(played))) if upto is None or number < upto)
        return self._of_matches(pairs) if self.statistic == "matches" else self._of_hands(pairs)

    def blocks(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Block]:
        """Yield the scores of every pair of legs, in order; none for the statistic ``matches``."""
        if self.statistic != "matches":
            yield from self._blocks(self._pairs(field, duels.by_fixture(played)))

    @property
    def scale(self) -> Scale:
        """Return the sizes that suit the statistic."""
        return EQUITY if self.statistic == "equity" else POINTS

    def _check_elo(self) -> None:
        """Raise ValueError, beginning with the name of the option, if the pentanomial test does not accept the options."""
        try:
            MatchDuelState(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=1).judge()
        except InputError as error:
            raise ValueError(str(error) if str(error).startswith("alpha") else f"bounds: {error}") from None

    @property
    def _most(self) -> int:
        """Return the largest number of pairs within the limit of hands; a match is counted as one hand."""
        a_pair = 2 if self.statistic == "matches" else 2 * self.leg
        return -(-self.hands // a_pair)

    @property
    def _first(self) -> int:
        return rounds.FIRST if self.statistic == "matches" else rounds.first_of(self.leg)

    def _legs(self, field: Sequence[str], pair: int) -> list[Fixture]:
        if len(field) != 2:
            raise SpecError(f"format duel: {len(field)} bots; expected two")
        a, b = field
        deals = f"{a}:{b}/{pair}"
        hands = None if self.statistic == "matches" else self.leg
        scored = self.statistic == "equity"
        return [Fixture(f"{deals}/{leg}", seats, deals, hands, scored) for leg, seats in enumerate([(a, b), (b, a)])]

    def _pairs(self, field: Sequence[str], done: dict[str, Result]) -> Iterator[list[Result]]:
        every = (duels.all_results(self._legs(field, pair), done) for pair in range(self._most))
        for legs in takewhile(lambda legs: legs is not None, every):
            yield legs or []

    def _blocks(self, pairs: Iterable[list[Result]]) -> Iterator[Block]:
        worth = self._worth()
        return (duels.block(one, other, worth) for one, other in pairs)

    def _worth(self) -> Worth:
        if self.statistic == "points":
            return duels.net
        from arena.stats.equity import gain  # noqa: PLC0415 - imports numpy, which takes time to load

        return lambda hand: capped(gain(hand))

    def _of_hands(self, pairs: Iterable[list[Result]]) -> SequentialState:
        return self.concluded(self.scale, self._blocks(pairs))

    def _of_matches(self, pairs: Iterable[list[Result]]) -> MatchDuelState:
        wins = MatchDuelState(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=self.hands)
        for one, other in pairs:
            wins = wins.add(_halves(one, 0) + _halves(other, 1), one.hands + other.hands)
        return wins


def _halves(leg: Result, seat: Seat) -> int:
    """Return the half matches that a seat won: 2 for a win, 1 for a draw."""
    return 1 if leg.winner is None else 2 * (leg.winner == seat)
