"""Two legs on the same deals with the seats swapped are a pair: what is counted, for the luck of the deal is in both.

A record of an entrant against itself says nothing about strength and is left out.
"""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from arena.gin.deal import Seat
from arena.records import MatchRecord, net, points

HELD = 60  # points: what a hand counts for at most, either way; one hand in a hundred is worth more
Number = TypeVar("Number", int, float)


class Pair(Struct, frozen=True, kw_only=True):
    """What ``entrant`` did against ``opponent`` on the deals of one key; two legs add up to a pair."""

    entrant: str  # of the two, the first by name
    opponent: str
    deals: str  # key of the deals
    batch: bool  # single hands instead of matches: nobody wins them
    legs: int  # 2: a pair; 1: its other leg was not played
    matches: tuple[int, int]  # won by the entrant, by the opponent
    games: tuple[int, int]  # likewise
    points: tuple[int, int]  # hand points, likewise
    held: int  # the entrant's net points, each hand held to +-60
    hands: int

    @property
    def outcome(self) -> int:
        """Return 1 if the entrant won, -1 if it lost and 0 if neither: by matches, then games; a batch by its points."""
        if self.batch:
            return _compare(self.points)
        return _compare(self.matches) or _compare(self.games)

    def __add__(self, other: "Pair") -> "Pair":
        """Return both legs together."""
        return Pair(
            entrant=self.entrant,
            opponent=self.opponent,
            deals=self.deals,
            batch=self.batch,
            legs=self.legs + other.legs,
            matches=_sum(self.matches, other.matches),
            games=_sum(self.games, other.games),
            points=_sum(self.points, other.points),
            held=self.held + other.held,
            hands=self.hands + other.hands,
        )


class Pairing:
    """Finds each leg its partner; remembers only legs that still wait for theirs."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str, str, Seat], Pair] = {}

    def add(self, record: MatchRecord) -> Pair | None:
        """Return the pair that ``record`` makes whole, or None if its other leg has not been played yet."""
        leg, seat = one_leg(record), _first(record)
        partner = self._waiting.pop((leg.entrant, leg.opponent, leg.deals, 1 - seat), None)
        if partner is not None:
            return partner + leg
        self._waiting[leg.entrant, leg.opponent, leg.deals, seat] = leg
        return None

    def alone(self) -> list[Pair]:
        """Return the legs without a partner, in an order that does not depend on when they were played."""
        return [leg for _, leg in sorted(self._waiting.items())]


def pairs(records: Iterable[MatchRecord]) -> Iterator[Pair]:
    """Yield every pair as soon as it is whole, and at the end the legs that stayed alone."""
    pairing = Pairing()
    for record in records:
        if between_two(record) and (pair := pairing.add(record)):
            yield pair
    yield from pairing.alone()


def between_two(record: MatchRecord) -> bool:
    """Tell whether two different entrants played."""
    return record.fixture.seats[0] != record.fixture.seats[1]


def one_leg(record: MatchRecord) -> Pair:
    """Return a record as half a pair, seen from the entrant whose name comes first."""
    seat = _first(record)
    return Pair(
        entrant=record.fixture.seats[seat],
        opponent=record.fixture.seats[1 - seat],
        deals=record.fixture.deals,
        batch=record.fixture.hands is not None,
        legs=1,
        matches=(int(record.winner == seat), int(record.winner == 1 - seat)),
        games=_tuple(sum(game.winner == side for game in record.games) for side in (seat, 1 - seat)),
        points=(points(record, seat), points(record, 1 - seat)),
        held=sum(held(net(hand, seat)) for hand in record.hands),
        hands=len(record.hands),
    )


def held(points: Number) -> Number:
    """Return what points count for: +-60 at the most."""
    return max(-HELD, min(HELD, points))


def _first(record: MatchRecord) -> Seat:
    return 0 if record.fixture.seats[0] < record.fixture.seats[1] else 1


def _compare(score: tuple[int, int]) -> int:
    return (score[0] > score[1]) - (score[0] < score[1])


def _sum(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    return one[0] + two[0], one[1] + two[1]


def _tuple(values: Iterable[int]) -> tuple[int, int]:
    first, second = values
    return first, second
