"""How reliable a table is: a rating by points, residuals and the non-transitive share."""

from collections.abc import Iterable, Mapping
from itertools import accumulate

from msgspec import Struct

from arena.stats.estimate import Estimate

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
