"""How far to believe a table: a second rating by points, and what no single line of ratings can say.

All of it from points a hand, which say most: residuals, circles and the Nash average; arena.stats.appraisal works them out.
"""

from collections.abc import Iterable, Mapping
from itertools import accumulate

from msgspec import Struct

from arena.stats.ratings.base import Estimate

TAIL = 0.025  # left off either end of an interval of ranks


class Strength(Struct, frozen=True, kw_only=True):
    """What else is known of an entrant."""

    points: Estimate  # a hand, around the mean of the field
    nash: float | None = None  # its weight in the Nash average; None: parts of the field never met
    residuals: dict[str, float] = {}  # by how many standard errors it did better against each than the points rating expects

    @property
    def strangest(self) -> tuple[str, float] | None:
        """Return the opponent against whom it did least as expected, and the residual; None, where nothing is left over."""
        found = max(self.residuals.items(), key=lambda one: (abs(one[1]), one[0]), default=None)
        return found if found and abs(found[1]) > 1e-9 else None


class Strengths(Struct, frozen=True, kw_only=True):
    """What else is known of a field."""

    entrants: dict[str, Strength]
    cyclic: float | None = None  # the share of who beats whom that no rating can say; None: it takes three who met
    warns: bool = False  # that is too much to be left unsaid, and more than chance


def rank_interval(chances: Iterable[float]) -> tuple[int, int] | None:
    """Return the ranks, from 1, that an entrant holds with a chance of 95 %; None, if there are no chances."""
    below = list(accumulate(chances))
    if not below:
        return None
    first = next(rank for rank, chance in enumerate(below, 1) if chance > TAIL)
    last = next((rank for rank, chance in enumerate(below, 1) if chance >= 1 - TAIL - 1e-9), len(below))
    return first, last


def notes(ratings: Mapping[str, Estimate | None]) -> list[tuple[str, list[str]]]:
    """Return what must be known of ratings: each note once, and whom it is about."""
    about: dict[str, list[str]] = {}
    for name, estimate in ratings.items():
        for note in estimate.note.split("; ") if estimate and estimate.note else ():
            about.setdefault(note, []).append(name)
    return list(about.items())
