"""Everything that a tournament's report shows, as one value.

A run may have a million records, so they are never held in memory together: ``ReportBuilder`` counts each as it is read, and what
is shown in full (faults, matches, hands) is limited by the constants below. All of it remains in the run's database.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.records import Assurance, Fault, MatchRecord, Result, result
from arena.reports.comparison import ComparisonReport
from arena.reports.faults import FaultGroup, Grouping
from arena.reports.history import HistoryPoint, PointsHistory
from arena.reports.numbers import rating_name
from arena.reports.played import PlayedMatch, chosen, played, reviewed
from arena.reports.summary import summary
from arena.reports.verdict import verdict
from arena.review.summary import Review
from arena.stats.details import Details
from arena.stats.pairs import Pair
from arena.stats.ratings.base import Estimate, Rating
from arena.stats.second_legs import SecondLegs, SecondLegsBuilder
from arena.stats.standings import Places, Standing, standings
from arena.stats.strengths import Strengths
from arena.stats.tally import Tally, TallyBuilder

FAULTS_SHOWN = 200
DECK_POINTS = 100  # more deadwood than ten cards can have (R1.2) is as good as no limit
MATCHES_SHOWN = 20_000
CROSSED = 250  # entrants; of a larger field no table shows every two, or every rank of each
HANDS_SHOWN = 12_000  # card by card: about three megabytes of a page


class ShownFault(Struct, frozen=True):
    """A fault, its fixture and its entrant."""

    fixture: str
    entrant: str
    fault: Fault


class About(Struct, frozen=True, kw_only=True):
    """The part of a report that is not counted from records."""

    title: str
    field: tuple[str, ...]  # the entrants, in the order of the spec
    finished: bool
    rated_by: str  # the rating's name
    isolation: Assurance
    reading: tuple[str, ...] = ()  # the entrants that open files while they play, and so were not sealed
    provenance: dict[str, str]
    rules: Rules
    coin_decides: Callable[[str], bool] = lambda _: (
        False
    )  # receives deals; whether a coin decided which leg on them is played first
    places: Places | None = None  # the ranking by the format; None: by matches, pairs, games and points won
    details: Details | None = None  # tie-breaks and brackets of the format; None: it has none
    comparison: ComparisonReport | None = None  # None: not a duel or gauntlet
    review: Review | None = None  # of the hands that were reviewed; None: none was


class Report(Struct, frozen=True, kw_only=True):
    """A tournament, counted, rated and ranked."""

    summary: str = ""  # what was found, in a sentence or two
    comparison: ComparisonReport | None = None  # the verdict and its evidence; None: not a duel or gauntlet
    title: str
    finished: bool
    matches: int
    hands: int  # those that were skipped included
    skipped: int = 0  # hands that were not played, because they are the same in both legs
    standings: list[Standing]
    tally: Tally
    rated_by: str  # the rating's name
    faults: list[ShownFault]  # the first FAULTS_SHOWN
    fault_groups: list[FaultGroup] = []  # all faults by cause
    isolation: Assurance  # how the bots were isolated
    reading: tuple[str, ...] = ()  # the entrants that open files while they play, and so were not sealed
    provenance: dict[str, str]  # what is needed to reproduce the numbers
    history: dict[str, list[HistoryPoint]] = {}  # each entrant's points a hand over the run
    results: list[Result] = []  # the first MATCHES_SHOWN
    played: list[PlayedMatch] = []  # matches with their hands, at most HANDS_SHOWN, from every pairing
    rules: dict[str, Any] = {}  # the ruleset's name and every number of it
    knocks_with: int = 10  # points of deadwood that a knock may leave, at most (R6.1)
    strengths: Strengths | None = None  # None: not computed while the run is in progress
    second_legs: dict[str, SecondLegs] = {}  # of each entrant with a pair of which a coin decided which leg was played first
    details: Details | None = None  # tie-breaks and brackets; None: the format has none
    review: Review | UnsetType = UNSET  # as ``arena review --json`` has it; UNSET, which JSON leaves out: no hand was reviewed

    @property
    def crossed(self) -> bool:
        """Tell whether the field is small enough to show every two entrants, and every rank of each."""
        return len(self.standings) <= CROSSED


class ReportBuilder:
    """Builds a report from records that are added one by one, in the order in which they were stored."""

    def __init__(self, coin_decides: Callable[[str], bool] = lambda _: False) -> None:
        """``coin_decides`` receives deals and returns whether a coin decided which of two legs on them was played first."""
        self._coin_decides = coin_decides
        self.read = 0  # records
        self.hands = 0
        self.matches = 0  # records of whole matches; the others are batches of single hands
        self.skipped = 0  # hands
        self.results: list[Result] = []
        self.faults: list[ShownFault] = []
        self._grouping = Grouping()
        self._counting = TallyBuilder()
        self._history = PointsHistory()
        self._second_legs = SecondLegsBuilder()

    def add(self, record: MatchRecord, place: int | None = None) -> Pair | None:
        """Count one more record; return the pair that it completes, if any.

        ``place``: in the order of play; None: records are added in this order.
        """
        self.read += 1
        if record.lost is not None:  # only a verdict counts it
            return None
        self.hands += len(record.hands)
        self.matches += record.fixture.hands is None
        self.skipped += sum([hand.skipped is not None for hand in record.hands])
        self._history.add(record)
        if len(self.results) < MATCHES_SHOWN:
            self.results.append(replace(result(record), singles=()))  # single hands are in ``played``
        faults = _faults(record)
        self.faults += faults[: FAULTS_SHOWN - len(self.faults)]
        for shown in faults:
            self._grouping.add(shown.entrant, shown.fixture, shown.fault)
        pair = self._counting.add(record, place)
        if pair and self._coin_decides(pair.deals):
            self._second_legs.add(pair)
        return pair

    def unpaired(self) -> list[Pair]:
        """Return the legs without a partner so far."""
        return self._counting.unpaired()

    def report(
        self,
        about: About,
        ratings: Mapping[str, Estimate],
        shown: Iterable[PlayedMatch] = (),
        strengths: Strengths | None = None,
    ) -> Report:
        """Return the report on all records so far, with the ``ratings`` and the matches to show hand by hand."""
        tally = self._counting.tally()
        rows = standings(tally, ratings, about.field, about.places)
        return Report(
            summary=_summary(about, rows, tally),
            comparison=about.comparison,
            title=about.title,
            finished=about.finished,
            matches=self.matches,
            hands=sum(row.counts.hands for row in rows) // 2,
            skipped=self.skipped,
            standings=rows,
            tally=tally,
            rated_by=about.rated_by,
            faults=list(self.faults),
            fault_groups=self._grouping.groups(),
            isolation=about.isolation,
            reading=about.reading,
            provenance=about.provenance,
            history=self._history.lines(),
            results=list(self.results),
            played=list(shown),
            rules=to_builtins(about.rules),
            knocks_with=knocks_with(about.rules),
            strengths=strengths,
            second_legs=self._second_legs.found(),
            details=about.details,
            review=about.review or UNSET,
        )


def make(
    records: Iterable[tuple[int, MatchRecord]],
    find: Callable[[str], MatchRecord],
    about: About,
    rating: Rating,
    seed_of: Callable[[str], str],
) -> Report:
    """Return the report on ``records``, which are read once, each with its place in the order of play.

    ``find`` returns the record of a fixture that is shown, and ``seed_of`` its seed.

    Raises: DamagedError, for a hand that cannot be replayed.
    """
    from arena.stats.appraisal import Appraisal

    builder, appraisal = ReportBuilder(about.coin_decides), Appraisal()
    # the rating takes the records one by one, so that all three count each while it is in memory
    passing = _counted(records, builder, appraisal.add)
    ratings = rating.rate(passing)
    deque(passing, maxlen=0)  # those that the rating did not need
    for leg in builder.unpaired():
        appraisal.add(leg)
    first = (*(fault.fixture for fault in builder.faults), *_dearest(about.review))
    shown = chosen(builder.results, first, HANDS_SHOWN)
    names = (one.fixture.id for one in builder.results if one.fixture.id in shown)
    replayed = (reviewed(played(find(name), about.rules, seed_of(name)), about.review) for name in names)
    return builder.report(about, ratings, replayed, appraisal.strengths())


def _dearest(review: Review | None) -> Iterator[str]:
    """Yield the fixtures of the decisions that a review lists."""
    if review:
        yield from (one.fixture for bot in review.bots for one in review.dearest(bot))


def _counted(
    records: Iterable[tuple[int, MatchRecord]], builder: ReportBuilder, paired: Callable[[Pair], None]
) -> Iterator[MatchRecord]:
    """Yield each record after it was counted; ``paired`` receives each pair as soon as it is complete."""
    for place, record in records:
        if pair := builder.add(record, place):
            paired(pair)
        yield record


def _summary(about: About, rows: list[Standing], tally: Tally) -> str:
    if about.comparison:
        return f"{verdict(about.comparison)}."
    return summary(rows, tally, rating_name(about.rated_by), ranked=about.isolation.profile != "none")


def knocks_with(rules: Rules) -> int:
    """Return the deadwood that a knock may leave, at most."""
    # every deadwood below one that is allowed is allowed, too
    return next(points for points in range(DECK_POINTS, -1, -1) if rules.may_knock_with(points))


def _faults(record: MatchRecord) -> list[ShownFault]:
    return [ShownFault(record.fixture.id, record.fixture.seats[fault.seat], fault) for fault in record.faults]
