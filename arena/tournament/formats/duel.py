"""Two bots, until a test knows which is the better one."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile
from typing import Annotated

from msgspec import Meta

from arena.errors import InputError, SpecError
from arena.gin.deal import Seat
from arena.records import Fixture, Result
from arena.stats import duels
from arena.stats.duels import Course, Statistic, Wins, Worth
from arena.stats.pairs import held
from arena.stats.sequential import Chance, Question, SequentialTest
from arena.tournament.formats import rounds
from arena.tournament.formats.base import Format

Hands = Annotated[int, Meta(ge=2, le=10_000_000)]
Leg = Annotated[int, Meta(ge=1, le=10_000)]


class Duel(Format, frozen=True, kw_only=True, tag="duel"):
    """Two entrants, until it is known whether the first is better than ``bounds[0]`` or not as good as ``bounds[1]``.

    Both legs of a pair play the same ``leg`` hands with the seats swapped, each leg in fresh processes. By ``points`` a hand
    held to 60, by ``equity`` (percent of a game that a hand wins from a score that both are told), or by ``matches`` in
    normalized Elo. Give it rules with ``stock: two-ended`` (R2.4): a seat then draws the same cards in both legs.
    """

    statistic: Statistic = "points"
    bounds: tuple[float, float] = (0.0, 0.5)
    alpha: Chance = 0.05  # the chance to call the first better that is not
    beta: Chance = 0.05  # the chance to call it not as good that is
    hands: Hands = 20_000  # at most; then the verdict is undecided
    leg: Leg = 20  # enough to pay for starting two processes

    def __post_init__(self) -> None:
        """Raise ValueError if the bounds could not be told apart."""
        if self.statistic == "matches":
            self._check_elo()
        else:
            Question(*self.bounds)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return what is left of a round, or the next round; nothing, once there is a verdict. Raises: SpecError."""
        done = duels.by_fixture(played)
        finished = sum(1 for _ in self._pairs(field, done))
        start, end = rounds.current(finished, self._most)
        if self.course(field, played, upto=start).over:
            return
        for pair in range(start, end):
            yield from (leg for leg in self._legs(field, pair) if leg.id not in done)

    def course(self, field: Sequence[str], played: Sequence[Result], upto: int | None = None) -> Course | Wins:
        """Return what the first pairs have shown, in the order of their numbers, up to the first that is not whole."""
        pairs = (legs for number, legs in enumerate(self._pairs(field, duels.by_fixture(played))) if upto is None or number < upto)
        return self._of_matches(pairs) if self.statistic == "matches" else self._of_hands(pairs)

    def scores(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[duels.Score]:
        """Yield the score of every deal that both legs have played, in order; none, if matches are what counts."""
        if self.statistic != "matches":
            yield from self._scores(self._pairs(field, duels.by_fixture(played)))

    def _check_elo(self) -> None:
        """Raise ValueError, that names the option, for what the test of matches cannot take."""
        try:
            Wins(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=1).judge()
        except InputError as error:
            raise ValueError(str(error) if str(error).startswith("alpha") else f"bounds: {error}") from None

    @property
    def _most(self) -> int:
        """Return the most pairs that may be needed: as many as the limit allows, if no match were longer than a hand."""
        a_pair = 2 if self.statistic == "matches" else 2 * self.leg
        return -(-self.hands // a_pair)

    def _legs(self, field: Sequence[str], pair: int) -> list[Fixture]:
        if len(field) != 2:
            raise SpecError(f"format duel: {len(field)} bots; expected two")
        a, b = field
        deals = f"{a}:{b}/{pair}"
        hands = None if self.statistic == "matches" else self.leg
        scored = self.statistic == "equity"
        return [Fixture(f"{deals}/{leg}", seats, deals, hands, scored) for leg, seats in enumerate([(a, b), (b, a)])]

    def _pairs(self, field: Sequence[str], done: dict[str, Result]) -> Iterator[list[Result]]:
        every = (duels.whole(self._legs(field, pair), done) for pair in range(self._most))
        for legs in takewhile(lambda legs: legs is not None, every):
            yield legs or []

    def _scores(self, pairs: Iterable[list[Result]]) -> Iterator[duels.Score]:
        worth = self._worth()
        return chain.from_iterable(duels.deals(one, other, worth) for one, other in pairs)

    def _worth(self) -> Worth:
        if self.statistic == "points":
            return duels.net
        from arena.stats.equity import gain  # noqa: PLC0415 - numpy and a table: only who asks for it should wait

        return lambda hand: held(gain(hand))

    def _of_hands(self, pairs: Iterable[list[Result]]) -> Course:
        test = SequentialTest(question=Question(*self.bounds), alpha=self.alpha, beta=self.beta, most_hands=self.hands)
        course = Course(test=test)
        for score in self._scores(pairs):
            course = course.add(score)
        return course

    def _of_matches(self, pairs: Iterable[list[Result]]) -> Wins:
        wins = Wins(bounds=self.bounds, alpha=self.alpha, beta=self.beta, most_hands=self.hands)
        for one, other in pairs:
            wins = wins.add(_halves(one, 0) + _halves(other, 1), one.hands + other.hands)
        return wins


def _halves(leg: Result, seat: Seat) -> int:
    """Return what a match was worth to a seat, in halves: one that ended level is one for each."""
    return 1 if leg.winner is None else 2 * (leg.winner == seat)
