"""A candidate and its baseline, each against the same opponents on the same deals."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.stats import duels
from arena.stats.duels import Course
from arena.stats.sequential import Chance, Question, SequentialTest
from arena.tournament.formats import rounds
from arena.tournament.formats.base import Format
from arena.tournament.formats.duel import Hands, Leg


class Gauntlet(Format, frozen=True, kw_only=True, tag="gauntlet"):
    """Whether the first entrant does better against the field than the second by ``bounds[0]`` points a hand, or not by the other.

    The other entrants are the field. Each of the two meets each of them on the same deals from both seats, so that the luck of the
    deal is in neither side of the difference. Give it rules with ``stock: two-ended`` (R2.4).
    """

    bounds: tuple[float, float] = (-0.5, 0.0)
    alpha: Chance = 0.05
    beta: Chance = 0.05
    hands: Hands = 20_000
    leg: Leg = 20

    def __post_init__(self) -> None:
        """Raise ValueError if the bounds could not be told apart."""
        Question(*self.bounds)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return what is left of a round, or the next round; nothing, once there is a verdict. Raises: SpecError."""
        done = duels.by_fixture(played)
        finished = sum(1 for _ in self._sets(field, done))
        start, end = rounds.current(finished, self._most(field))
        if self.course(field, played, upto=start).over:
            return
        for number in range(start, end):
            yield from (leg for leg in self._legs(field, number) if leg.id not in done)

    def course(self, field: Sequence[str], played: Sequence[Result], upto: int | None = None) -> Course:
        """Return what the first sets of common deals have shown; scores and bounds are halved, so that they stay within 60."""
        question = Question(self.bounds[0] / 2, self.bounds[1] / 2)
        course = Course(test=SequentialTest(question=question, alpha=self.alpha, beta=self.beta, most_hands=self.hands))
        sets = enumerate(self._sets(field, duels.by_fixture(played)))
        for score in self._scores(legs for number, legs in sets if upto is None or number < upto):
            course = course.add(score)
        return course

    def scores(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[duels.Score]:
        """Yield the score of every common deal that all have played, in order: half a difference in points a hand."""
        return self._scores(self._sets(field, duels.by_fixture(played)))

    def _most(self, field: Sequence[str]) -> int:
        return -(-self.hands // (2 * self.leg * 2 * max(len(field) - 2, 1)))

    def _legs(self, field: Sequence[str], number: int) -> list[Fixture]:
        """Return one set: for the candidate and then the baseline, both legs against each opponent."""
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
        every = (duels.whole(self._legs(field, number), done) for number in range(self._most(field)))
        for legs in takewhile(lambda legs: legs is not None, every):
            yield legs or []

    def _scores(self, sets: Iterable[list[Result]]) -> Iterator[duels.Score]:
        for legs in sets:
            rows = [list(duels.deals(one, other)) for one, other in zip(legs[::2], legs[1::2], strict=True)]
            half = len(rows) // 2
            yield from duels.against_field(rows[:half], rows[half:])
