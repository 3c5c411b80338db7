"""Everything that a tournament's report shows, as one value."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from arena.records import Assurance, Fault, MatchRecord
from arena.stats.ratings.base import Estimate, Rating
from arena.stats.standings import Standing, standings
from arena.stats.tally import Tally, count

FAULTS_SHOWN = 200  # of a tournament; all are counted, and all are in its database


class ShownFault(Struct, frozen=True):
    """A fault, and whose it was."""

    fixture: str
    entrant: str
    fault: Fault


class Report(Struct, frozen=True, kw_only=True):
    """A tournament, counted, rated and ranked."""

    title: str
    finished: bool
    matches: int
    hands: int
    standings: list[Standing]
    tally: Tally
    rated_by: str  # the rating's name
    faults: list[ShownFault]  # the first FAULTS_SHOWN
    walls: Assurance  # what kept the bots in
    provenance: dict[str, str]  # where every number comes from


def make(
    records: Callable[[], Iterable[MatchRecord]],
    *,
    title: str,
    field: Sequence[str],
    rating: Rating,
    finished: bool,
    walls: Assurance,
    provenance: Mapping[str, str],
) -> Report:
    """Return the report on ``records``, which are read a few times and never held all at once."""
    tally = count(records())
    ratings: Mapping[str, Estimate] = rating.rate(records())
    rows = standings(tally, ratings, field)
    return Report(
        title=title,
        finished=finished,
        matches=sum(row.counts.matches_won + row.counts.matches_lost for row in rows) // 2,
        hands=sum(row.counts.hands for row in rows) // 2,
        standings=rows,
        tally=tally,
        rated_by=str(rating.__struct_config__.tag),
        faults=[shown for shown, _ in zip(_faults(records()), range(FAULTS_SHOWN), strict=False)],
        walls=walls,
        provenance=dict(provenance),
    )


def _faults(records: Iterable[MatchRecord]) -> Iterator[ShownFault]:
    for record in records:
        for fault in record.faults:
            yield ShownFault(record.fixture.id, record.fixture.seats[fault.seat], fault)
