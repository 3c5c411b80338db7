"""Elo ratings from matches won and lost. Source: Bradley and Terry (1952)."""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

from arena.records import MatchRecord
from arena.stats.estimate import Estimate, Rating
from arena.stats.pairs import pairs

LEAST_PRIOR = 0.001  # logits: a sixth of an Elo point


class BradleyTerry(Rating, frozen=True, tag="bradley-terry"):
    """Elo, mean 0, from matches; 400 points are odds of ten to one.

    ``prior`` is the standard deviation of the prior on strengths, in logits: it keeps the ratings of unbeaten bots finite and
    hardly changes others. 0 is maximum likelihood. A pair of batches counts as one match, won by points.
    """

    prior: Annotated[float, Meta(ge=0, le=100)] = 3.0

    def __post_init__(self) -> None:
        """Raise ValueError for a prior so narrow that it outweighs the matches and makes the arithmetic fail."""
        if 0 < self.prior < LEAST_PRIOR:
            raise ValueError(f"prior: {self.prior:g}; expected 0 for none, or at least {LEAST_PRIOR:g}")

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played another; the order of the records does not change a bit of it."""
        from arena.stats import estimates  # noqa: PLC0415 - imports numpy, which takes time to load

        return estimates.by_matches(pairs(records), self.prior)


# Ratings in points a hand. Source: weighted least squares on paired comparisons; Mosteller (1951).


class PointsRating(Rating, frozen=True, tag="points"):
    """Points a hand relative to the mean of the field, each hand capped to +-60 points.

    Hands carry more information than match wins: the same ranking takes several times fewer matches.
    """

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played another; the order of the records does not change a bit of it."""
        from arena.stats import estimates  # noqa: PLC0415 - imports numpy, which takes time to load

        return estimates.by_points(pairs(records))
