"""The ranked rows of a tournament: ranks follow from results; ratings are shown beside them and do not change them.

A format may rank its field by its own rule; its ranking is then given as places. Otherwise ranks come from counts alone, which are
added up while records are read, so no result has to be kept in memory.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from math import inf

from msgspec import Struct

from arena.records import Result
from arena.stats.estimate import Estimate
from arena.stats.pairs import Meeting
from arena.stats.tally import Counts, Tally

Places = Sequence[Sequence[str]]  # entrants by place, first place first; entrants in one place share its rank


class Standing(Struct, frozen=True):
    """An entrant's row."""

    rank: int  # from 1; equal entrants share a rank, and the following ranks are left out
    entrant: str
    counts: Counts
    rating: Estimate | None = None  # None: not rated


def standings(
    tally: Tally, ratings: Mapping[str, Estimate], field: Iterable[str] = (), places: Places | None = None
) -> list[Standing]:
    """Return the rows from first to last; every entrant of ``field`` has one, even before its first match.

    Ranks follow ``places``, which must contain every entrant. Without places they follow matches won, then pairs won (a draw is
    half a win), then games won less games lost, then hand points won less hand points lost. Rows of equal rank are sorted by
    rating, then by name.
    """
    counted = {entrant: tally.of(entrant) for entrant in {*field, *tally.entrants}}
    ranked = by_merit(counted) if places is None else places

    def by_rating(name: str) -> tuple[float, str]:
        return (-ratings[name].value if name in ratings else inf), name

    ordered = [sorted(place, key=by_rating) for place in ranked]
    return [Standing(rank, name, counted[name], ratings.get(name)) for rank, name in ranks(ordered)]


def ranks(places: Places) -> Iterator[tuple[int, str]]:
    """Yield the rank, from 1, and the name of each entrant."""
    # accumulate yields one sum more than there are places
    for rank, place in zip(accumulate(map(len, places), initial=1), places, strict=False):
        for name in place:
            yield rank, name


def by_results(field: Iterable[str], results: Iterable[Result]) -> Places:
    """Return the places of a field by the same rule as ``standings``, from results instead of records."""
    pairs: dict[tuple[str, ...], Meeting] = {}
    for result in results:
        one, other = sorted(result.fixture.seats)
        if one != other:
            key = (result.fixture.pair, one, other)
            pairs[key] = pairs.get(key, Meeting(one=one, other=other)).add(result)
    counted = {entrant: Counts() for entrant in field}
    for pair in pairs.values():
        counted[pair.one] += _of_pair(pair, 0)
        counted[pair.other] += _of_pair(pair, 1)
    return by_merit(counted)


def _of_pair(pair: Meeting, side: int) -> Counts:
    """Return the counts that ranks need, for one side of a pair; a single leg does not count as a pair."""
    outcome = (pair.outcome, -pair.outcome)[side]
    complete = pair.legs == 2
    return Counts(
        matches_won=pair.matches[side],
        matches_drawn=0 if pair.batches else pair.legs - sum(pair.matches),
        pairs_won=int(complete and outcome > 0),
        pairs_drawn=int(complete and outcome == 0),
        games_won=pair.games[side],
        games_lost=pair.games[1 - side],
        points_for=pair.points[side],
        points_against=pair.points[1 - side],
    )


def by_merit(counted: Mapping[str, Counts]) -> Places:
    """Return the places that follow from counts by the rule of ``standings``."""
    merits = {entrant: merit(counts) for entrant, counts in counted.items()}
    ordered = sorted(counted, key=merits.__getitem__, reverse=True)
    return [list(place) for _, place in groupby(ordered, key=merits.__getitem__)]


def merit(counts: Counts) -> tuple[int, int, int, int]:
    """Return the sort key of an entrant; matches and pairs are doubled, so that draws are whole numbers too."""
    return (
        2 * counts.matches_won + counts.matches_drawn,
        2 * counts.pairs_won + counts.pairs_drawn,
        counts.games_won - counts.games_lost,
        counts.net_points,
    )
