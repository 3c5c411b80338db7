"""Each entrant's points a hand over the run, with intervals, thinned to what a chart can show."""

from array import array
from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from typing import TypeVar

from msgspec import Struct

from arena.records import MatchRecord, points
from arena.stats.margin import student

POINTS_SHOWN = 120  # of a line; more cannot be distinguished on a screen

Value = TypeVar("Value")

SUMS = 7  # numbers that a point is made of: hands, net points, matches, opponents, and the spread
Sums = tuple[float, float, float]  # of squares about the mean: of points, of points times hands, of hands


class HistoryPoint(Struct, frozen=True, array_like=True):
    """An entrant's points a hand after a number of hands."""

    hands: int  # played so far
    points_a_hand: float  # net, over all of them
    half: float | None = None  # width of the 95 % interval; None: too few matches to say


class Opponent:
    """The matches against one opponent, in sums."""

    def __init__(self) -> None:
        self._matches = self._points = self._hands = 0

    def add(self, points: int, hands: int) -> Sums:
        """Count a match; return what it adds to the sums of squares about this opponent's means. Source: Welford (1962)."""
        before = self._matches
        over, longer = (points - self._points / before, hands - self._hands / before) if before else (0.0, 0.0)
        self._matches += 1
        self._points += points
        self._hands += hands
        weight = before / self._matches
        return weight * over * over, weight * over * longer, weight * longer * longer


class EntrantLine:
    """The line of one entrant.

    The mean is a ratio, of points to hands, and its variance that of the combined ratio estimate with a stratum for each opponent
    (Cochran, Sampling Techniques, section 6.11): who is met is not by chance, so a weak opponent does not widen the interval. One
    variance is taken for all opponents, and the matches as independent; a pair of legs varies less than two matches would.
    """

    def __init__(self) -> None:
        self._moments = array("d")  # SUMS numbers after each match
        self._opponents: defaultdict[str, Opponent] = defaultdict(Opponent)
        self._matches = self._net = self._hands = 0
        self._spread: Sums = (0.0, 0.0, 0.0)

    def add(self, opponent: str, net: int, hands: int) -> None:
        """Count a match."""
        more = self._opponents[opponent].add(net, hands)
        self._spread = self._spread[0] + more[0], self._spread[1] + more[1], self._spread[2] + more[2]
        self._matches += 1
        self._net += net
        self._hands += hands
        if self._hands:
            self._moments.extend((self._hands, self._net, self._matches, len(self._opponents), *self._spread))

    def points(self) -> list[HistoryPoint]:
        """Return at most ``POINTS_SHOWN`` points, the last of them included; only for these the interval is computed."""
        return [_point(*self._moments[at : at + SUMS]) for at in thinned(range(0, len(self._moments), SUMS))]


def _point(hands: float, net: float, matches: float, opponents: float, *spread: float) -> HistoryPoint:
    """Return the point for the sums after a match."""
    ratio, degrees = net / hands, int(matches - opponents)
    if degrees < 1:
        return HistoryPoint(int(hands), ratio)
    both, product, length = spread
    squares = max(0.0, both - 2 * ratio * product + ratio * ratio * length)
    return HistoryPoint(int(hands), ratio, student(degrees) * sqrt(squares * matches / degrees) / hands)


class PointsHistory:
    """Collects the history from records, which must be added in the order in which they were stored."""

    def __init__(self) -> None:
        self._lines: defaultdict[str, EntrantLine] = defaultdict(EntrantLine)

    def add(self, record: MatchRecord) -> None:
        """Count one more record for both entrants."""
        scored = points(record)
        net = scored[0] - scored[1]
        zero, one = record.fixture.seats
        self._lines[zero].add(one, net, len(record.hands))
        self._lines[one].add(zero, -net, len(record.hands))

    def lines(self) -> dict[str, list[HistoryPoint]]:
        """Return each entrant's line of at most ``POINTS_SHOWN`` points, the last of them included."""
        return {entrant: line.points() for entrant, line in self._lines.items()}


def thinned(points: Sequence[Value]) -> Sequence[Value]:
    """Return at most ``POINTS_SHOWN`` of ``points``, evenly spaced, the last included."""
    step = -(-len(points) // POINTS_SHOWN)
    return points[::-1][:: max(1, step)][::-1]  # counted from the end, so that the last is included
