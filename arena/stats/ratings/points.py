"""Ratings in points a hand. Source: weighted least squares on paired comparisons; Mosteller (1951)."""

from collections.abc import Iterable

from arena.records import MatchRecord
from arena.stats.pairs import pairs
from arena.stats.ratings.base import Estimate, Rating


class PointsRating(Rating, frozen=True, tag="points"):
    """Points a hand relative to the mean of the field, each hand capped to +-60 points.

    Hands carry more information than match wins: the same ranking takes several times fewer matches.
    """

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played another; the order of the records does not change a bit of it."""
        from arena.stats import estimates  # noqa: PLC0415 - imports numpy, which takes time to load

        return estimates.by_points(pairs(records))
