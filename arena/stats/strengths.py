"""How reliable a table is: a rating by points, residuals and the non-transitive share."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from arena.stats.estimate import Estimate
from arena.stats.estimates import estimates, fit_points
from arena.stats.fit import (
    Array,
    Comparisons,
)
from arena.stats.ranks import non_transitivity, residuals

TAIL = 0.025  # probability outside each end of an interval of ranks


class Strength(Struct, frozen=True, kw_only=True):
    """Further estimates for one entrant."""

    points: Estimate  # points a hand, relative to the mean of the field
    residuals: dict[str, float] = {}  # by opponent: score above what the ratings predict, in standard deviations

    @property
    def largest_residual(self) -> tuple[str, float] | None:
        """Return the opponent with the largest absolute residual, and that residual; None if all are zero."""
        found = max(self.residuals.items(), key=lambda one: (abs(one[1]), one[0]), default=None)
        return found if found and abs(found[1]) > 1e-9 else None


class Strengths(Struct, frozen=True, kw_only=True):
    """Further estimates for a field."""

    entrants: dict[str, Strength]
    cyclic: float | None = None  # non-transitive share; None: parts never met, no cycle of pairings, or chance explains all
    warns: bool = False  # the share is above 5 % and significant


def rank_interval(chances: Iterable[float]) -> tuple[int, int] | None:
    """Return the 95 % interval of an entrant's rank, from 1; None if there are no chances."""
    below = list(accumulate(chances))
    if not below:
        return None
    first = next(rank for rank, chance in enumerate(below, 1) if chance > TAIL)
    last = next((rank for rank, chance in enumerate(below, 1) if chance >= 1 - TAIL - 1e-9), len(below))
    return first, last


def notes(ratings: Mapping[str, Estimate | None]) -> list[tuple[str, list[str]]]:
    """Return each note of the ratings once, with the entrants that it applies to."""
    entrants: dict[str, list[str]] = {}
    for name, estimate in ratings.items():
        for note in estimate.note.split("; ") if estimate and estimate.note else ():
            entrants.setdefault(note, []).append(name)
    return list(entrants.items())


# The computation of ``Strengths``.
#
# Everything comes from points a hand, which carry more information than matches won: one least-squares fit gives the points
# rating, the residuals and the non-transitive share.


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
