"""Ratings in points a hand. Source: weighted least squares on paired comparisons; Mosteller (1951)."""

from collections.abc import Iterable

from arena.records import MatchRecord
from arena.stats.pairs import pairs
from arena.stats.ratings.base import Estimate, Rating


class PointsRating(Rating, frozen=True, tag="points"):
    """Points a hand against the mean of the field, each hand held to 60 points either way.

    A hand says more than who won the match that it was part of: the same order comes from several times fewer matches.
    """

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that met another, the same to the last bit in whatever order they are read."""
        from arena.stats import estimates  # noqa: PLC0415 - numpy: only who rates should wait for it

        return estimates.by_points(pairs(records))
