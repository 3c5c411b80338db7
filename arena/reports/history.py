"""Each entrant's points a hand over the run, thinned to what a chart can show."""

from collections import defaultdict

from msgspec import Struct

from arena.records import MatchRecord, points

POINTS_SHOWN = 120  # of a line; more cannot be distinguished on a screen


class HistoryPoint(Struct, frozen=True, array_like=True):
    """An entrant's points a hand after a number of hands."""

    hands: int  # played so far
    points_a_hand: float  # net, over all of them


class PointsHistory:
    """Collects the history from records, which must be added in the order in which they were stored."""

    def __init__(self) -> None:
        self._totals: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)  # entrant: hands and net points so far

    def add(self, record: MatchRecord) -> None:
        """Count one more record for both entrants."""
        net = points(record, 0) - points(record, 1)
        for entrant, gain in zip(record.fixture.seats, (net, -net), strict=True):
            totals = self._totals[entrant]
            hands, total = totals[-1] if totals else (0, 0)
            totals.append((hands + len(record.hands), total + gain))

    def lines(self) -> dict[str, list[HistoryPoint]]:
        """Return each entrant's line of at most ``POINTS_SHOWN`` points, the last of them included."""
        lines = {entrant: thinned(totals) for entrant, totals in self._totals.items()}
        return {entrant: [HistoryPoint(hands, net / hands) for hands, net in line if hands] for entrant, line in lines.items()}


def thinned(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return at most ``POINTS_SHOWN`` of ``points``, evenly spaced, the last included."""
    step = -(-len(points) // POINTS_SHOWN)
    return points[::-1][::step][::-1] if step > 1 else points  # counted from the end, so that the last is included
