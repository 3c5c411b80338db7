"""A rating of the entrants. In a spec: ``rating: my-part``."""

from collections import defaultdict
from collections.abc import Iterable
from math import sqrt
from statistics import fmean, stdev

from arena.plugins.hookspecs import hookimpl
from arena.records import MatchRecord
from arena.stats.estimate import Estimate, Rating


class MyPart(Rating, frozen=True, tag="my-part"):
    """Mean points of a hand, with the 95 % interval of independent hands."""

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return the mean of each entrant that played at least two hands."""
        points = defaultdict[str, list[int]](list)
        for record in records:
            for hand in record.hands:
                net = 0 if hand.winner is None else hand.points if hand.winner == 0 else -hand.points
                for name, own in zip(record.fixture.seats, (net, -net), strict=True):
                    points[name].append(own)
        return {name: _estimate(several) for name, several in points.items() if len(several) > 1}


def _estimate(points: list[int]) -> Estimate:
    mean, half = fmean(points), 1.96 * stdev(points) / sqrt(len(points))
    return Estimate(mean, mean - half, mean + half)


@hookimpl
def arena_ratings() -> list[type[Rating]]:
    """Return the rating."""
    return [MyPart]
