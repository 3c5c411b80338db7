"""Each entrant's points a hand as more hands count, with intervals, thinned to what a chart can show.

Matches are not counted in the order in which they were played: a schedule may let all meet the weakest opponent last, and the lines
would rise at their end. An entrant's first match against each opponent counts first, then its second ones, and so on, so that
every part of a line has about the same opponents.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.records import MatchRecord, points_scored
from arena.stats.margin import LEAST_BLOCKS, half_of_ratio

POINTS_SHOWN = 120  # of a line; more cannot be distinguished on a screen

DIGITS = 6  # of points a hand after the point; further ones depend on the order of addition

Value = TypeVar("Value")


class HistoryPoint(Struct, frozen=True, array_like=True):
    """An entrant's points a hand after a number of hands."""

    hands: int  # counted so far
    points_a_hand: float  # net, over all of them
    half: float | None = None  # half the width of the 95 % interval; None: too few matches to say, or a few equal ones


class EntrantLine:
    """The line of one entrant.

    The mean is a ratio, of points to hands, and its variance that of the combined ratio estimate with a stratum for each opponent
    (Cochran, Sampling Techniques, section 6.11): opponents are not drawn by chance, so a weak one does not widen the interval. All
    opponents are taken to have the same variance, and matches to be independent; a pair of legs varies less than two matches would.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # of the opponents, in the order in which they were met
        self._opponents, self._nets, self._hands = array("q"), array("q"), array("q")  # of each match

    def add(self, opponent: str, net: int, hands: int) -> None:
        """Count a match."""
        self._opponents.append(self._numbers.setdefault(opponent, len(self._numbers)))
        self._nets.append(net)
        self._hands.append(hands)

    def points(self) -> list[HistoryPoint]:
        """Return at most ``POINTS_SHOWN`` points, the last of them included."""
        opponents, nets, hands = (np.array(one, dtype=np.int64) for one in (self._opponents, self._nets, self._hands))
        order = np.lexsort((opponents, _turns(opponents)))
        return list(_line(opponents[order], nets[order].astype(float), hands[order].astype(float), len(self._numbers)))


def _turns(opponents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each match among those against its opponent, from 0."""
    by_opponent = np.argsort(opponents, kind="stable")
    starts = np.searchsorted(opponents[by_opponent], opponents[by_opponent])
    turns = np.empty_like(opponents)
    turns[by_opponent] = np.arange(len(opponents)) - starts
    return turns


def _line(opponents: NDArray[np.int64], nets: NDArray[np.float64], hands: NDArray[np.float64], size: int) -> Iterator[HistoryPoint]:
    """Yield the points of a line from its matches in the order in which they count; ``size`` is the number of opponents."""
    start, matches, sums = 0, np.zeros(size), np.zeros((2, size))  # sums: of points and of hands against each opponent
    squares = np.zeros(3)  # of points, of points times hands, of hands
    for end in thin_out(range(1, len(nets) + 1)):
        whom, net, length = opponents[start:end], nets[start:end], hands[start:end]
        matches += np.bincount(whom, minlength=size)
        sums += [np.bincount(whom, weights=one, minlength=size) for one in (net, length)]
        squares += net @ net, net @ length, length @ length
        start = end
        if total := sums[1].sum():
            x, y = sums[:, matches > 0] / np.sqrt(matches[matches > 0])
            within = squares - (x @ x, x @ y, y @ y)  # about each opponent's mean
            yield _point(total, sums[0].sum(), end, int((matches > 0).sum()), within)


def _point(hands: float, net: float, matches: int, opponents: int, within: NDArray[np.float64]) -> HistoryPoint:
    """Return the point for the sums of some matches; ``within``: sums of squares of points, of both, and of hands."""
    ratio, degrees = float(net / hands), matches - opponents
    if degrees < 1:
        return HistoryPoint(int(hands), round(ratio, DIGITS))
    squares = max(0.0, float(within @ (1, -2 * ratio, ratio * ratio)))
    half = round(half_of_ratio(squares, matches, degrees, float(hands)), DIGITS)
    few_are_equal = matches < LEAST_BLOCKS and half == 0  # which says nothing about the scatter
    return HistoryPoint(int(hands), round(ratio, DIGITS), None if few_are_equal else half)


class PointsHistory:
    """Collects the history from records."""

    def __init__(self) -> None:
        self._lines: defaultdict[str, EntrantLine] = defaultdict(EntrantLine)

    def add(self, record: MatchRecord) -> None:
        """Count one more record for both entrants."""
        scored = points_scored(record)
        net = scored[0] - scored[1]
        zero, one = record.fixture.seats
        self._lines[zero].add(one, net, len(record.hands))
        self._lines[one].add(zero, -net, len(record.hands))

    def lines(self) -> dict[str, list[HistoryPoint]]:
        """Return each entrant's line of at most ``POINTS_SHOWN`` points, the last of them included."""
        return {entrant: line.points() for entrant, line in self._lines.items()}


def thin_out(points: Sequence[Value]) -> Sequence[Value]:
    """Return at most ``POINTS_SHOWN`` of ``points``, evenly spaced, the last included."""
    step = -(-len(points) // POINTS_SHOWN)
    return points[::-1][:: max(1, step)][::-1]  # counted from the end, so that the last is included
