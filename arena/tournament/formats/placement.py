"""Rates one bot by hands against others whose ratings are known.

First it plays each of them once, so that its rating is known roughly; then, round after round, the four whose ratings are nearest
to its own. Its rating is the mean, over pairs of legs with near opponents, of the opponent's rating plus what the bot won a hand,
without the luck of the draws and not held to any bound. Only near opponents count, because differences of points add up only
between similar bots.

Keys of deals name the opponent and not the bot. So under one run seed every bot that is rated plays the same deals.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.reports.numbers import count, interval
from arena.stats import duels
from arena.stats.format_details import Column, Details, PlaceTable
from arena.stats.margin import Margin, of_blocks
from arena.stats.scales import Interval
from arena.stats.standings import Places
from arena.stats.statements import PLACED
from arena.tournament.formats.base import Format, leg_by_leg, pair_of_legs
from arena.tournament.formats.tested import Hands, Leg

REACH = 5.0  # points a hand: opponents rated this close to the estimate by all opponents are near; the two nearest always are
NEAREST = 4  # opponents that are played in a round
SETS = 2  # pairs of legs against each of them

PointsAHand = Annotated[float, Meta(ge=-1000, le=1000)]


class Placement(Format, frozen=True, kw_only=True, tag="placement"):
    """The first entrant plays the others, whose ``ratings`` are known, in rounds until it has played ``hands`` hands or more.

    It plays each of them a pair of legs of ``leg`` hands on the same deals, with the seats swapped, then two pairs against each
    of the four nearest, round after round. Use rules with ``stock: two-ended`` (R2.4).
    """

    grows: ClassVar[bool] = False  # each round follows from the ratings that were stated before

    ratings: Annotated[tuple[PointsAHand, ...], Meta(min_length=2, max_length=1000)]  # of the other entrants, in their order
    hands: Hands = 4_000
    leg: Leg = 10

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round; none at the end. Raises: SpecError."""
        placing = _Placing(self, field, played)
        sets = [self.legs(field, place, number) for place, numbers in placing.round for number in numbers]
        yield from (leg for leg in leg_by_leg(sets) if leg.id not in placing.done)

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the entrants by their ratings, the best first; the first entrant is last before it has a rating."""
        found = self.rating(field, played)
        rated = dict(zip(field[1:], self.ratings, strict=True)) | ({field[0]: found.mean} if found else {})
        order = sorted(rated, key=lambda name: -rated[name])
        return [[name] for name in (*order, *(() if found else field[:1]))]

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the rating in a sentence, and a table of the points won from each opponent."""
        placing = _Placing(self, field, played)
        found = placing.rating()
        if found is None:
            return Details(answer=f"{field[0]} has no rating yet.", why="every opponent is played once first")
        below, above = self.neighbours(field, found.mean)
        stated = dict(zip(field[1:], self.ratings, strict=True))
        rank = 1 + sum(rating > found.mean for rating in self.ratings)
        between = " and ".join(filter(None, [above and f"below {above}", below and f"above {below}"]))
        equal = [name for name in (above, below) if name and found.low <= stated[name] <= found.high]
        rating, zeros = Interval(found.mean, found.low, found.high), [name for name in stated if not stated[name]]
        zero = f"; 0: {zeros[0]}" if len(zeros) == 1 else ""
        open_to = f"; it may be as strong as {' and '.join(equal)}" if equal else ""
        place = f"rank {rank} of {len(field)}, {between}{open_to}"
        return Details(
            answer=f"{field[0]} is rated {interval(rating)} points a hand: {place}.",
            why=PLACED(pairs=count(found.blocks, "pair of batches", "pairs of batches")),
            unit=f"rating and the nearest ones, points a hand{zero}",
            intervals={
                field[0]: rating,
                **{name: Interval(*[stated[name]] * 3) for name in (above, below) if name},
            },
            rivals=(field[0], min(equal, key=lambda name: abs(stated[name] - found.mean))) if equal else None,
            tables=[placing.table(found)],
        )

    def rating(self, field: Sequence[str], played: Sequence[Result]) -> Margin | None:
        """Return the rating of the first entrant so far; None before it has played every opponent."""
        return _Placing(self, field, played).rating()

    def neighbours(self, field: Sequence[str], value: float) -> tuple[str, str]:
        """Return the opponents rated next below (or equal) and next above a rating; empty: there is none."""
        rated = sorted(zip(self.ratings, field[1:], strict=True))
        below = next((name for stated, name in reversed(rated) if stated <= value), "")
        return below, next((name for stated, name in rated if stated > value), "")

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played."""
        yield f"the first bot plays {count(size - 1, 'opponent')} once, then the {NEAREST} nearest: {self.hands:,} hands"

    def legs(self, field: Sequence[str], place: int, number: int) -> list[Fixture]:
        """Return both legs of a numbered pair against the opponent at a place, from 0."""
        opponent = field[1 + place]
        return pair_of_legs(field[0], opponent, f"placement:{opponent}/{number}", self.leg)


class _Placing:
    """A placement after some results, of which it is a pure function."""

    def __init__(self, form: Placement, field: Sequence[str], played: Sequence[Result]) -> None:
        """Follow the rounds up to the one in play. Raises: SpecError, unless each opponent has a rating."""
        if len(field) != len(form.ratings) + 1:
            raise SpecError(f"format placement: {len(form.ratings)} ratings for {count(len(field), 'bot')}; expected one fewer")
        self._form, self._field = form, field
        self.done = duels.by_fixture(played)
        # by opponent: points a hand in each complete pair
        self._won = [list(self._scores(place)) for place in range(len(form.ratings))]
        self._counted = [0] * len(form.ratings)  # pairs of complete rounds
        self.round: list[tuple[int, range]] = []  # in play: opponents, each with the numbers of its pairs
        self._follow()

    def _scores(self, place: int) -> Iterator[float]:
        """Yield the points a hand that the bot won in each complete pair with an opponent, without the luck of the draws."""
        asked = (self._form.legs(self._field, place, number) for number in range(self._form.hands))  # an upper bound
        for one, other in duels.complete_sets(asked, self.done):
            yield fmean(deal.y - deal.luck for deal in duels.block(one, other, lambda hand: hand.points).deals)

    def _follow(self) -> None:
        """Follow the rounds: every opponent, then the nearest ones, until the hands are played."""
        left = max(self._form.hands // (2 * self._form.leg), 1)
        wanted = [(place, range(1)) for place in range(len(self._won))]
        while left > 0:
            if any(len(self._won[place]) < numbers.stop for place, numbers in wanted):
                self.round = wanted
                return
            left -= sum(len(numbers) for _, numbers in wanted)
            for place, numbers in wanted:
                self._counted[place] = numbers.stop
            wanted = [(place, range(self._counted[place], self._counted[place] + SETS)) for place in self._nearest()]

    def _nearest(self) -> list[int]:
        """Return the opponents with the nearest ratings."""
        found = self.rating()
        assert found
        value = found.mean
        return sorted(range(len(self._won)), key=lambda place: abs(self._form.ratings[place] - value))[:NEAREST]

    def rating(self) -> Margin | None:
        """Return the rating from complete rounds; None before the first one is complete."""
        implied = [(stated, [stated + won for won in self._pairs(place)]) for place, stated in enumerate(self._form.ratings)]
        every = [value for _, values in implied for value in values]
        if not every:
            return None
        estimate = fmean(every)
        nearest = sorted(implied, key=lambda one: abs(one[0] - estimate))
        near = nearest[:2] + [(stated, values) for stated, values in nearest[2:] if abs(stated - estimate) <= REACH]
        counted = [value for _, values in near for value in values]
        return of_blocks([[value] for value in counted])

    def _pairs(self, place: int) -> list[float]:
        return self._won[place][: self._counted[place]]

    def table(self, found: Margin) -> PlaceTable:
        """Return the opponents with their ratings and what the bot won from them, and the bot among them."""
        bot, *opponents = self._field
        stated = dict(zip(opponents, self._form.ratings, strict=True))
        rated = stated | {bot: found.mean}
        won = {name: self._pairs(place) for place, name in enumerate(opponents)}
        return PlaceTable(
            title=f"Ratings, points a hand; {bot} by {count(found.blocks, 'pair')} of legs",
            places=[[name] for name in sorted(rated, key=lambda name: -rated[name])],
            columns=[
                Column("rating", {name: f"{value:+,.2f}" for name, value in rated.items()}),
                Column(f"{bot} won", {name: f"{fmean(scores):+,.2f}" if scores else "" for name, scores in won.items()}),
                Column("hands", {name: f"{2 * self._form.leg * len(scores):,}" for name, scores in won.items()}),
            ],
            note="What was won is in points a hand, without the luck of the draws.",
        )
