"""Elo-like ratings from won and lost matches. Source: Bradley and Terry (1952)."""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

from arena.records import MatchRecord
from arena.stats.pairs import pairs
from arena.stats.ratings.base import Estimate, Rating

LEAST_PRIOR = 0.001  # logits, a sixth of an Elo


class BradleyTerry(Rating, frozen=True, tag="bradley-terry"):
    """Elo points around a mean of nought, from matches; 400 points are odds of ten to one.

    ``prior`` is how far apart strengths are expected to lie, as a standard deviation in logits: it keeps the unbeaten finite
    and hardly moves anybody else. 0 is plain maximum likelihood. A pair of batches counts as one match, won by points.
    """

    prior: Annotated[float, Meta(ge=0, le=100)] = 3.0

    def __post_init__(self) -> None:
        """Raise ValueError for a prior that would drown the matches, and the arithmetic."""
        if 0 < self.prior < LEAST_PRIOR:
            raise ValueError(f"prior: {self.prior:g}; expected 0 for none, or at least {LEAST_PRIOR:g}")

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that met another, the same to the last bit in whatever order they are read."""
        from arena.stats import estimates  # noqa: PLC0415 - numpy: only who rates should wait for it

        return estimates.by_matches(pairs(records), self.prior)
