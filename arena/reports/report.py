"""Everything that a tournament's report shows, as one value."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.records import Assurance, Fault, MatchRecord, Result, result
from arena.reports.course import Course, Mark
from arena.reports.played import PlayedMatch, chosen, played
from arena.stats.ratings.base import Estimate, Rating
from arena.stats.standings import Standing, standings
from arena.stats.strengths import Strengths
from arena.stats.tally import Counting, Tally

FAULTS_SHOWN = 200  # of a tournament; all are counted, and all are in its database
MATCHES_SHOWN = 20_000  # likewise
HANDS_SHOWN = 12_000  # likewise, card by card: about three megabytes of a page


class ShownFault(Struct, frozen=True):
    """A fault, and whose it was."""

    fixture: str
    entrant: str
    fault: Fault


class About(Struct, frozen=True, kw_only=True):
    """What a report says that is not counted."""

    title: str
    field: tuple[str, ...]  # the entrants, in the order of the spec
    finished: bool
    rated_by: str  # the rating's name
    walls: Assurance
    provenance: dict[str, str]
    rules: Rules


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
    rules: dict[str, Any] = {}  # every number of them, with the ruleset's name
    strengths: Strengths | None = None  # None: not worked out, while it goes on


class Growing:
    """What a report shows of records as they come, each counted once and none kept."""

    def __init__(self) -> None:
        self.read = 0  # records
        self.matches = 0  # those of them that are no batch of hands
        self.results: list[Result] = []
        self.faults: list[ShownFault] = []
        self._counting = Counting()
        self._course = Course()

    def add(self, record: MatchRecord) -> None:
        """Count one more record."""
        self.read += 1
        self.matches += record.fixture.hands is None
        self._counting.add(record)
        self._course.add(record)
        if len(self.results) < MATCHES_SHOWN:
            self.results.append(replace(result(record), singles=()))  # hand by hand it stands in ``played``
        self.faults += _faults(record)[: FAULTS_SHOWN - len(self.faults)]

    def report(
        self,
        about: About,
        ratings: Mapping[str, Estimate],
        shown: Iterable[PlayedMatch] = (),
        strengths: Strengths | None = None,
    ) -> Report:
        """Return the report so far."""
        tally = self._counting.tally()
        rows = standings(tally, ratings, about.field)
        return Report(
            title=about.title,
            finished=about.finished,
            matches=self.matches,
            hands=sum(row.counts.hands for row in rows) // 2,
            standings=rows,
            tally=tally,
            rated_by=about.rated_by,
            faults=list(self.faults),
            walls=about.walls,
            provenance=about.provenance,
            course=self._course.marks(),
            results=list(self.results),
            played=list(shown),
            rules=to_builtins(about.rules),
            strengths=strengths,
        )


def make(records: Callable[[], Iterable[MatchRecord]], about: About, rating: Rating, seed: str) -> Report:
    """Return the report on ``records``, which are read a few times and never held all at once."""
    from arena.stats.appraisal import appraise

    growing = Growing()
    for record in records():
        growing.add(record)
    ratings = rating.rate(records())
    shown = chosen(growing.results, (fault.fixture for fault in growing.faults), HANDS_SHOWN)
    replayed = (played(record, about.rules, seed) for record in records() if record.fixture.id in shown)
    return growing.report(about, ratings, replayed, appraise(records()))


def _faults(record: MatchRecord) -> list[ShownFault]:
    return [ShownFault(record.fixture.id, record.fixture.seats[fault.seat], fault) for fault in record.faults]
