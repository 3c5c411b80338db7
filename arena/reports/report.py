"""Everything that a tournament's report shows, as one value."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from arena.gin.rules import Rules
from arena.records import Assurance, Fault, MatchRecord, Result, result
from arena.reports.course import Course, Mark
from arena.reports.played import PlayedMatch, chosen, played
from arena.stats.ratings.base import Estimate, Rating
from arena.stats.standings import Standing, standings
from arena.stats.tally import Tally, count

FAULTS_SHOWN = 200  # of a tournament; all are counted, and all are in its database
MATCHES_SHOWN = 20_000  # likewise
HANDS_SHOWN = 12_000  # likewise, card by card: about three megabytes of a page


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
    course: dict[str, list[Mark]] = {}  # each entrant's points a hand as its hands were played
    results: list[Result] = []  # the first MATCHES_SHOWN
    played: list[PlayedMatch] = []  # those whose hands are shown: HANDS_SHOWN of them, from every pairing
    rules: Rules = Rules()


def make(
    records: Callable[[], Iterable[MatchRecord]],
    *,
    title: str,
    field: Sequence[str],
    rating: Rating,
    finished: bool,
    walls: Assurance,
    provenance: Mapping[str, str],
    rules: Rules,
    seed: str,
) -> Report:
    """Return the report on ``records``, which are read a few times and never held all at once."""
    seen = _Seen()
    tally = count(seen.passing(records()))
    ratings: Mapping[str, Estimate] = rating.rate(records())
    rows = standings(tally, ratings, field)
    shown = chosen(seen.results, (fault.fixture for fault in seen.faults), HANDS_SHOWN)
    return Report(
        title=title,
        finished=finished,
        matches=sum(row.counts.matches_won + row.counts.matches_lost for row in rows) // 2,
        hands=sum(row.counts.hands for row in rows) // 2,
        standings=rows,
        tally=tally,
        rated_by=str(rating.__struct_config__.tag),
        faults=seen.faults,
        walls=walls,
        provenance=dict(provenance),
        course=seen.course.marks(),
        results=seen.results,
        played=[played(record, rules, seed) for record in records() if record.fixture.id in shown] if shown else [],
        rules=rules,
    )


class _Seen:
    """What is kept of the records as they pass by."""

    def __init__(self) -> None:
        self.course = Course()
        self.results: list[Result] = []
        self.faults: list[ShownFault] = []

    def passing(self, records: Iterable[MatchRecord]) -> Iterator[MatchRecord]:
        for record in records:
            self.course.add(record)
            if len(self.results) < MATCHES_SHOWN:
                self.results.append(result(record))
            self.faults += _faults(record)[: FAULTS_SHOWN - len(self.faults)]
            yield record


def _faults(record: MatchRecord) -> list[ShownFault]:
    return [ShownFault(record.fixture.id, record.fixture.seats[fault.seat], fault) for fault in record.faults]
