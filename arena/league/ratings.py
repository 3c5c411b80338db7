"""The ratings of the versions of a league, each by its own results."""

from collections.abc import Iterable, Mapping

from arena.stats import estimates
from arena.stats.pairs import Pair
from arena.stats.ratings.base import Estimate, Rating
from arena.stats.ratings.bradley_terry import BradleyTerry


def rate(played: Iterable[Pair], rating: Rating) -> Mapping[str, Estimate]:
    """Return an estimate for every version that has played, by its id, on the scale of ``rating``."""
    if isinstance(rating, BradleyTerry):
        return estimates.by_matches(played, rating.prior)
    return estimates.by_points(played)
