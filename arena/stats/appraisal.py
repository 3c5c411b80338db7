"""Works out how far to believe a table; see arena.stats.strengths for what that comes to."""

from collections.abc import Iterable

from arena.records import MatchRecord
from arena.stats.comparisons import Array, compare
from arena.stats.estimates import by_points, hand_points
from arena.stats.fit import least_squares
from arena.stats.pairs import pairs
from arena.stats.ranks import circles, nash_average, payoffs, residuals
from arena.stats.ratings.base import Estimate
from arena.stats.strengths import Strength, Strengths


def appraise(records: Iterable[MatchRecord]) -> Strengths:
    """Return what else is known of all who met another, the same to the last bit in whatever order the records are read."""
    played = list(pairs(records))
    rated = {name: _rounded(estimate) for name, estimate in by_points(played).items()}
    names, table = compare(played, hand_points)
    fit = least_squares(table)
    if fit.values is None:
        return Strengths(entrants={name: Strength(points=estimate) for name, estimate in rated.items()})
    nash, left = nash_average(payoffs(table, fit)), residuals(table, fit)
    found = circles(table, fit)
    entrants = {
        name: Strength(points=rated[name], nash=round(float(nash[at]), 6), residuals=_by_name(names, left[at], table.weight[at]))
        for at, name in enumerate(names)
    }
    share = round(found.share, 6) if found.share is not None and found.freedom > 0 else None
    return Strengths(entrants=entrants, cyclic=share, warns=found.warns)


def _rounded(estimate: Estimate) -> Estimate:
    """Return an estimate to a millionth: beyond that machines differ."""
    value, low, high, *ranks = (round(number, 6) + 0.0 for number in (estimate.value, estimate.low, estimate.high, *estimate.ranks))
    return Estimate(value, low, high, estimate.note, tuple(ranks))


def _by_name(names: list[str], left: Array, weight: Array) -> dict[str, float]:
    return {name: round(float(left[at]), 6) for at, name in enumerate(names) if weight[at]}
