"""The two ratings that a spec may name: Elo from matches won and lost, and points a hand.

Sources: Bradley and Terry (1952); weighted least squares on paired comparisons, Mosteller (1951).
"""

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arena.records import MatchRecord
from arena.stats.comparisons import Comparisons, Measure, PairSums, sum_pairs
from arena.stats.estimate import Estimate, Rating
from arena.stats.estimates import PRIOR, Rated, estimates, fit_matches, fit_points, hand_points, matches
from arena.stats.pairs import Pair, pairs
from arena.stats.strongest import ScheduledPairs, StrongestSet, growth_needed

GAP_POINTS, GAP_LOGITS = 2.0, 0.5  # points a hand, and logits: typical gaps between the strongest and the others
LEAST_PRIOR = 0.001  # logits: a sixth of an Elo point
TableFit = Callable[[Sequence[str], Comparisons], "Rated"]  # of the results of entrants


class BradleyTerry(Rating, frozen=True, tag="bradley-terry"):
    """Elo, mean 0 of those that won and lost, from matches; 400 points are odds of ten to one.

    ``prior`` is the standard deviation of the prior on strengths, in logits: it keeps the ratings of unbeaten bots finite and
    hardly changes others. 0 is maximum likelihood. A pair of batches counts as one match, won by points.
    """

    prior: Annotated[float, Meta(ge=0, le=100)] = PRIOR

    def __post_init__(self) -> None:
        """Raise ValueError for a prior so narrow that it outweighs the matches and makes the arithmetic fail."""
        if 0 < self.prior < LEAST_PRIOR:
            raise ValueError(f"prior: {self.prior:g}; expected 0 for none, or at least {LEAST_PRIOR:g}")

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played another; the order of the records does not change a bit of it."""
        return estimates(self._fit(*sum_pairs(pairs(records), matches)))

    def rate_scheduled(self, records: Iterable[MatchRecord], field: Sequence[str]) -> dict[str, Estimate]:
        """Return the same, with who may be the strongest."""
        return _rate_scheduled(records, field, matches, self._fit, GAP_LOGITS)

    def _fit(self, names: Sequence[str], table: Comparisons) -> Rated:
        return fit_matches(names, table, self.prior)


class PointsRating(Rating, frozen=True, tag="points"):
    """Points a hand relative to the mean of the field, each hand capped to +-40 points.

    Hands carry more information than match wins: the same ranking takes several times fewer matches.
    """

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played another; the order of the records does not change a bit of it."""
        return estimates(fit_points(*sum_pairs(pairs(records), hand_points)))

    def rate_scheduled(self, records: Iterable[MatchRecord], field: Sequence[str]) -> dict[str, Estimate]:
        """Return the same, with who may be the strongest."""
        return _rate_scheduled(records, field, hand_points, fit_points, GAP_POINTS)


def _rate_scheduled(
    records: Iterable[MatchRecord], field: Sequence[str], measure: Callable[[Pair], Measure], fit: TableFit, gap: float
) -> dict[str, Estimate]:
    """Return the estimates, with who may be the strongest; ``gap``: a typical difference in the unit of the fit."""
    sums, scheduled = PairSums(measure), ScheduledPairs(field, measure)
    for pair in pairs(records):
        sums.add(pair)
        scheduled.add(pair)
    may_be = contending(sorted(field), scheduled.looks(), fit, gap)
    rated = estimates(fit(*sums.comparisons()))
    return {name: replace(one, contends=may_be[name][0], out_after=may_be[name][1]) for name, one in rated.items()}


def contending(
    names: Sequence[str], looks: Iterable[Comparisons], fit: TableFit, gap: float
) -> dict[str, tuple[bool | None, float | None]]:
    """Return for each entrant ``contends`` and ``out_after`` of its estimate, after some looks of all."""
    left, known = StrongestSet(len(names), gap), None
    for table in looks:
        found = fit(names, table).parts[0].rated.fit
        known = found.values, found.covariance if found.plausible is None else found.plausible
        left.look(known)
    if known is None:
        return dict.fromkeys(names, (None, None))
    needed = zip(names, left.left.tolist(), growth_needed(known, gap).tolist(), strict=True)
    return {name: (contends, times if contends and isfinite(times) else None) for name, contends, times in needed}
