"""The ranked rows of a tournament: what was won decides, what is estimated stands beside it."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from arena.stats.ratings.base import Estimate
from arena.stats.tally import Counts, Tally


class Standing(Struct, frozen=True):
    """An entrant's row."""

    rank: int  # from 1; who is equal in everything shares it, and the next rank is left out
    entrant: str
    counts: Counts
    rating: Estimate | None = None  # None: not rated


def standings(tally: Tally, ratings: Mapping[str, Estimate], field: Iterable[str] = ()) -> list[Standing]:
    """Return the rows from first to last; whoever is in ``field`` has one, even before its first match.

    Rank goes by matches won, then pairs won (a drawn one of either is half), then games won less games lost, then hand points won
    less hand points lost. Rows of equal rank stand in the order of their names.
    """
    counted = {entrant: tally.of(entrant) for entrant in {*field, *tally.entrants}}
    merits = {entrant: merit(counts) for entrant, counts in counted.items()}
    order = sorted(counted, key=lambda entrant: ([-part for part in merits[entrant]], entrant))
    rank = {merits[entrant]: place for place, entrant in reversed(list(enumerate(order, 1)))}  # the first of equals gives it
    return [Standing(rank[merits[entrant]], entrant, counted[entrant], ratings.get(entrant)) for entrant in order]


def merit(counts: Counts) -> tuple[int, int, int, int]:
    """Return what ranks an entrant, the weightiest first; matches and pairs are doubled, so that all are whole numbers."""
    return (
        2 * counts.matches_won + counts.matches_drawn,
        2 * counts.pairs_won + counts.pairs_drawn,
        counts.games_won - counts.games_lost,
        counts.net_points,
    )
