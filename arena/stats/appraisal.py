"""The computation of ``Strengths``.

Everything comes from points a hand, which carry more information than matches won: one least-squares fit gives the points
rating, the residuals and the non-transitive share.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from arena.stats.comparisons import Array, Comparisons
from arena.stats.estimate import Estimate
from arena.stats.estimates import estimates, fit_points
from arena.stats.rank_certainty import non_transitivity, residuals
from arena.stats.strengths import Strength, Strengths


def appraise(names: Sequence[str], table: Comparisons) -> Strengths:
    """Return the strengths of entrants from their comparisons by ``hand_points``."""
    fits = fit_points(names, table)
    rated = {name: _round(estimate) for name, estimate in estimates(fits).items()}
    if len(fits.parts) != 1:
        return Strengths(entrants={name: Strength(points=estimate) for name, estimate in rated.items()})
    fit = fits.parts[0].rated.fit
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


def _by_name(names: Sequence[str], left: Array, weight: Array) -> dict[str, float]:
    return {name: round(float(left[at]), 6) for at, name in enumerate(names) if weight[at]}
