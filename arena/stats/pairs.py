"""Pairs: two legs on the same deals with the seats swapped, in which the luck of the deal cancels out.

Two legs are partners if they have the same pair key (``Fixture.pair``) and the same entrants in swapped seats. If the key names a
pairing, no other pairing plays these deals; otherwise several may (:mod:`arena.stats.shared_deals`). Records of an entrant against
itself carry no information on strength and are left out. The legs of a bot that opens files while it plays are partners too, but
on different deals (``records.APART``), so the luck of the deal does not cancel.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from math import fsum, log
from typing import TypeVar

from msgspec import Struct

from arena.gin.facts import Seat
from arena.records import MatchRecord, Result, net, points

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
    won = points(record)
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


# A test whether an entrant plays better in the legs that it plays second, which is evidence that its legs share information.
#
# Both legs of a pair have the same cards, and a coin decides which leg is played first (:mod:`arena.tournament.director`). If the
# legs share nothing, then given the results of both, the *gain* of an entrant, what it scores more in the second leg than in the
# first, is +g or -g with equal chances, whatever g is. So a bettor that multiplies its wealth by 1 + tanh(k gain) wins nothing on
# average, and the *evidence*, the mean wealth of several bettors with different k, is a martingale that begins at 1 and is never
# negative. Gains need no bound and no distribution, and the order of the pairs changes nothing. README.md has the guarantee, what
# it assumes, and what the test cannot see.
#
# 1 + tanh(k g) is the likelihood ratio of the sign of a normal gain with mean m and variance v, for k = m / v. In a pair with n
# hands in each leg both are n times those of one hand, so one k suits pairs of every length.
#
# Sources: Fisher (1935), The design of experiments (randomization tests); Ville (1939); Shafer (2021), Testing by betting.

THRESHOLD = 1000.0  # an entrant is flagged at this evidence; the chance of a false alarm is at most 1/1000
STAKES = (1 / 2048, 1 / 512, 1 / 128)  # k of the bettors, in 1/points: for gains of about 1, 3 and 10 points a hand
MAX_EVIDENCE = 1e9  # larger values would mean no more


class SecondLegs(Struct, frozen=True, kw_only=True):
    """The gain of an entrant in the legs that it played second."""

    pairs: int
    hands: int  # of both legs
    gain: float  # points a hand in the second legs less those in the first
    evidence: float  # at most ``MAX_EVIDENCE``
    threshold: float = THRESHOLD

    @property
    def is_flagged(self) -> bool:
        """Tell whether the evidence reaches the threshold."""
        return self.evidence >= self.threshold


class SecondLegsBuilder:
    """Collects the gains of all entrants, pair by pair, in any order."""

    def __init__(self, name: Callable[[str], str] = str) -> None:
        """Count the pairs of an entrant under the name that ``name`` returns; leave out a pair of one name with itself."""
        self._name = name
        self._own: defaultdict[str, Gains] = defaultdict(Gains)
        # by name and deals: sign of the gain, and the first pair; only it counts, because its cards help in both legs of the others
        self._shared: dict[tuple[str, str], tuple[int, Pair]] = {}

    def add(self, pair: Pair) -> None:
        """Count a pair; ignore a single leg, and a pair in which a leg has no hand that was played."""
        names = self._name(pair.entrant), self._name(pair.opponent)
        if pair.legs != 2 or names[0] == names[1] or not all(hands for _, hands in pair.by_leg):
            return
        for name, sign in zip(names, (1, -1), strict=True):
            if not pair.may_share_deals:
                self._own[name].add(sign, pair)
            elif (known := self._shared.get((name, pair.deals))) is None or pair.place < known[1].place:
                self._shared[name, pair.deals] = sign, pair

    def gains(self) -> dict[str, SecondLegs]:
        """Return the gains of every entrant with a pair, by name."""
        every = deepcopy(self._own)
        for (name, _), (sign, pair) in self._shared.items():
            every[name].add(sign, pair)
        return {name: every[name].gains() for name in sorted(every)}


class Gains:
    """Collects the gains of one entrant; a million pairs take 8 MB."""

    def __init__(self) -> None:
        self._points = array("d")  # gain of each pair, in points
        self._hands = 0  # of all legs
        self._hands_a_leg = 0.0  # sum over all pairs; of a pair, the harmonic mean of both legs

    def add(self, sign: int, pair: Pair) -> None:
        """Add the gain of a pair, for the opponent if ``sign`` is -1."""
        (first, first_hands), (second, second_hands) = pair.by_leg
        hands = 2 / (1 / first_hands + 1 / second_hands)  # the variance is that of two legs with the harmonic mean of both lengths
        self._points.append(sign * hands * (second / second_hands - first / first_hands))
        self._hands += first_hands + second_hands
        self._hands_a_leg += hands

    def gains(self) -> SecondLegs:
        """Return the gain over all pairs; their order does not change a bit of the numbers."""
        gain = fsum(self._points) / self._hands_a_leg
        return SecondLegs(pairs=len(self._points), hands=self._hands, gain=round(gain, 6) + 0.0, evidence=evidence(self._points))


def evidence(gains: Sequence[float]) -> float:
    """Return the evidence of gains in points, each of a pair: the mean wealth of the bettors, at most ``MAX_EVIDENCE``."""
    import numpy as np  # noqa: PLC0415 - takes time to load

    bets = np.outer(STAKES, np.sort(gains))
    logs = (log(2) - np.logaddexp(0, -2 * bets)).sum(axis=1)  # of 1 + tanh(bet), also where that is too small for a float
    return float(f"{np.exp(np.minimum(logs, log(MAX_EVIDENCE))).mean():.6g}")
