"""Computes how reliable a table is, as :class:`arena.stats.strengths.Strengths`.

Everything here comes from points a hand, which carry more information than matches won: one least-squares fit gives the points
rating, the residuals and the non-transitive share.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from arena.records import MatchRecord
from arena.stats.estimate import Estimate
from arena.stats.estimates import estimates, fit_points, hand_points
from arena.stats.fit import Array, Comparisons, PairSums
from arena.stats.pairs import Pair, pairs
from arena.stats.ranks import non_transitivity, residuals
from arena.stats.strengths import Strength, Strengths


class Appraisal:
    """Counts pairs one by one, and the legs without a partner."""

    def __init__(self) -> None:
        self._sums = PairSums(hand_points)

    def add(self, pair: Pair) -> None:
        """Count one more pair."""
        self._sums.add(pair)

    def strengths(self) -> Strengths:
        """Return the strengths of all entrants that played another; the order of the pairs does not change a bit of it."""
        return _strengths(*self._sums.comparisons())


def appraise(records: Iterable[MatchRecord]) -> Strengths:
    """Return the strengths of all entrants that played another; the order of the records does not change a bit of it."""
    appraisal = Appraisal()
    for pair in pairs(records):
        appraisal.add(pair)
    return appraisal.strengths()


def _strengths(names: list[str], table: Comparisons) -> Strengths:
    fits = fit_points(names, table)
    rated = {name: _round(estimate) for name, estimate in estimates(fits).items()}
    if len(fits.parts) != 1:
        return Strengths(entrants={name: Strength(points=estimate) for name, estimate in rated.items()})
    fit = fits.parts[0].fit
    left, found = residuals(table, fit), non_transitivity(table, fit)
    entrants = {
        name: Strength(points=rated[name], residuals=_by_name(names, left[at], table.weight[at])) for at, name in enumerate(names)
    }
    share = round(found.share, 6) if found.share is not None and found.degrees_of_freedom > 0 else None
    return Strengths(entrants=entrants, cyclic=share, warns=found.warns)


def _round(estimate: Estimate) -> Estimate:
    """Return an estimate rounded to a millionth, because machines differ in the digits after that."""
    value, low, high = (round(number, 6) + 0.0 for number in (estimate.value, estimate.low, estimate.high))
    return replace(estimate, value=value, low=low, high=high)


def _by_name(names: list[str], left: Array, weight: Array) -> dict[str, float]:
    return {name: round(float(left[at]), 6) for at, name in enumerate(names) if weight[at]}
