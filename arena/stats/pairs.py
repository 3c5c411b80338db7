"""Pairs: two legs on the same deals with the seats swapped, in which the luck of the deal cancels out.

Two legs are partners if they have the same pair key (``Fixture.pair``) and the same entrants in swapped seats. If the key names a
pairing, no other pairing plays these deals; otherwise several may (:mod:`arena.stats.shared_deals`). Records of an entrant against
itself carry no information on strength and are left out. The legs of a bot that opens files while it plays are partners too, but
on different deals (``records.APART``), so the luck of the deal does not cancel.
"""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from arena.gin.facts import Seat
from arena.records import MatchRecord, Result, net, points_scored

CAP = 40  # points that a hand counts at most, for either side; between bots that come with arena 5 to 13 % are worth more
Number = TypeVar("Number", int, float)


class Pair(Struct, frozen=True, kw_only=True, gc=False):  # gc: a league holds many, and none can be in a cycle
    """The results of ``entrant`` against ``opponent`` on the deals of one key; the sum of two legs is a pair."""

    entrant: str  # of the two, the first by name
    opponent: str
    deals: str  # key of the pair: that of the deals of both legs, or its part before APART (arena.records)
    batch: bool  # single hands instead of matches
    legs: int  # 2: a pair; 1: the other leg was not played
    matches: tuple[int, int]  # won by the entrant, by the opponent
    games: tuple[int, int]  # won by the entrant, by the opponent
    points: tuple[int, int]  # hand points of the entrant, of the opponent
    capped_points: int  # the entrant's net points, each hand capped to +-40
    hands: int
    place: int = 0  # place of its first leg in the order of play
    by_leg: tuple[tuple[int, int], ...] = ()  # ``capped_points`` and hands of each leg, in the order of play

    @property
    def outcome(self) -> int:
        """Return 1 for a win of the entrant, -1 for a loss, 0 for a draw: by matches, then games; for a batch by points."""
        if self.batch:
            return compare(self.points)
        return compare(self.matches) or compare(self.games)

    @property
    def may_share_deals(self) -> bool:
        """Tell whether other pairings may play the same deals; a key with both names, and so a colon, is of one pairing."""
        return ":" not in self.deals

    def __add__(self, other: "Pair") -> "Pair":
        """Return the sum of two legs, of which ``other`` was played second."""
        return Pair(
            entrant=self.entrant,
            opponent=self.opponent,
            deals=self.deals,
            batch=self.batch,
            legs=self.legs + other.legs,
            matches=_sum(self.matches, other.matches),
            games=_sum(self.games, other.games),
            points=_sum(self.points, other.points),
            capped_points=self.capped_points + other.capped_points,
            hands=self.hands + other.hands,
            place=self.place,
            by_leg=self.by_leg + other.by_leg,
        )


class LegMatcher:
    """Matches legs into pairs; keeps only the legs without a partner."""

    def __init__(self, waiting: Iterable[tuple[Seat, Pair]] = (), added: int = 0) -> None:
        """Begin with the legs that :meth:`waiting` has returned, after ``added`` records."""
        self._added = added
        self._waiting = {(leg.entrant, leg.opponent, leg.deals, seat): leg for seat, leg in waiting}

    def add(self, record: MatchRecord, place: int | None = None) -> Pair | None:
        """Return the pair that ``record`` completes; None: the other leg has not been added yet, or it is no leg (``between_two``).

        ``place`` is that of the record in the order of play; None: records are added in this order.
        """
        self._added += 1
        if not between_two(record):
            return None
        leg, seat = one_leg(record, self._added - 1 if place is None else place), _first(record)
        partner = self._waiting.pop((leg.entrant, leg.opponent, leg.deals, 1 - seat), None)
        if partner is not None:
            return partner + leg if partner.place < leg.place else leg + partner
        self._waiting[leg.entrant, leg.opponent, leg.deals, seat] = leg
        return None

    def waiting(self) -> list[tuple[Seat, Pair]]:
        """Return the legs without a partner, each with the seat of its entrant."""
        return [(key[3], leg) for key, leg in self._waiting.items()]

    def single_legs(self) -> list[Pair]:
        """Return the legs without a partner, in an order that does not depend on the order of play."""
        return [leg for _, leg in sorted(self._waiting.items())]


def pairs(records: Iterable[MatchRecord]) -> Iterator[Pair]:
    """Yield every pair as soon as it is complete, then the legs without a partner."""
    matcher = LegMatcher()
    for record in records:
        if pair := matcher.add(record):
            yield pair
    yield from matcher.single_legs()


def between_two(record: MatchRecord) -> bool:
    """Tell whether two different entrants played; not if the fixture was lost with its worker."""
    return record.fixture.seats[0] != record.fixture.seats[1] and record.lost is None


def one_leg(record: MatchRecord, place: int = 0) -> Pair:
    """Return a record as half a pair, from the point of view of the entrant whose name sorts first."""
    seat = _first(record)
    won = points_scored(record)
    large = [net(hand, seat) for hand in record.hands if hand.points > CAP]
    counted = won[seat] - won[1 - seat] - sum(large) + sum(map(cap, large))
    games = [game.winner for game in record.games]
    return Pair(
        entrant=record.fixture.seats[seat],
        opponent=record.fixture.seats[1 - seat],
        deals=record.fixture.pair,
        batch=record.fixture.hands is not None,
        legs=1,
        matches=(int(record.winner == seat), int(record.winner == 1 - seat)),
        games=(games.count(seat), games.count(1 - seat)),
        points=(won[seat], won[1 - seat]),
        capped_points=counted,
        hands=len(record.hands),
        place=place,
        by_leg=((counted, len(record.hands)),),
    )


def cap(points: Number, times: int = 1) -> Number:
    """Return points capped to +-40, ``times`` the largest multiplier of a hand (R2.5)."""
    most = CAP * times
    return points if -most <= points <= most else most if points > 0 else -most


def _first(record: MatchRecord) -> Seat:
    return 0 if record.fixture.seats[0] < record.fixture.seats[1] else 1


def _sum(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    return one[0] + two[0], one[1] + two[1]


class Meeting(Struct, frozen=True, kw_only=True):
    """The sum of the results between two entrants; each pair of numbers is in the order of ``one`` and ``other``."""

    one: str
    other: str
    matches: tuple[int, int] = (0, 0)  # won
    games: tuple[int, int] = (0, 0)  # won
    points: tuple[int, int] = (0, 0)  # scored in hands
    legs: int = 0
    batches: bool = False  # single hands, which no bot wins as a match, instead of matches

    @property
    def outcome(self) -> int:
        """Return 1 for a win of ``one``, -1 for a loss, 0 for a draw: by matches, then games; for batches by points."""
        return compare(self.points) if self.batches else compare(self.matches) or compare(self.games)

    def add(self, result: Result) -> "Meeting":
        """Return the meeting with one more leg."""
        seat = result.fixture.seats.index(self.one)
        won = (int(result.winner == seat), int(result.winner == 1 - seat))
        return Meeting(
            one=self.one,
            other=self.other,
            matches=_sum(self.matches, won),
            games=_sum(self.games, (result.games[seat], result.games[1 - seat])),
            points=_sum(self.points, (result.points[seat], result.points[1 - seat])),
            legs=self.legs + 1,
            batches=result.fixture.hands is not None,
        )


def meeting(one: str, other: str, results: Iterable[Result]) -> Meeting:
    """Return the meeting of two entrants in ``results``, in which no other bot played."""
    met = Meeting(one=one, other=other)
    for result in results:
        met = met.add(result)
    return met


def compare(score: tuple[int, int]) -> int:
    """Return 1 if the first number is larger, -1 if the second is, 0 if they are equal."""
    return (score[0] > score[1]) - (score[0] < score[1])
