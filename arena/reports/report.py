"""Everything that a tournament's report shows, as one value; :mod:`arena.reports.report_builder` makes it from records."""

from collections.abc import Callable
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from arena.gin.rules import Rules
from arena.records import Assurance, Fault, Result
from arena.reports.answer import NO_COMMANDS, DuelCommands
from arena.reports.answer_card import AnswerCard
from arena.reports.comparison_report import ComparisonReport
from arena.reports.fallbacks import ModelPlay
from arena.reports.faults import FaultGroup
from arena.reports.played import PlayedMatch
from arena.reports.points_history import HistoryPoint
from arena.review.summary import Review
from arena.stats.format_details import Details
from arena.stats.second_leg_test import SecondLegs
from arena.stats.standings import Places, Standing
from arena.stats.strengths import Strengths
from arena.stats.tally import Tally

LARGEST_CROSS_TABLE = 250  # entrants; a larger field gets no cross table, and no table of rank chances


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
    is_league: bool = False  # which has no last match: rounds follow until the organiser stops
    rated_by: str  # the rating's name
    isolation: Assurance
    rated: bool = True  # whether entrants are compared by pairs of legs, and rated; otherwise only the format's own table is shown
    reading: tuple[str, ...] = ()  # the entrants that open files while they play, and so were not sealed
    duels: DuelCommands = NO_COMMANDS  # the commands that compare two entrants
    provenance: dict[str, str]
    rules: Rules
    batches: bool = False  # the format plays batches of single hands; used until a record shows it
    scheduled: bool = False  # no result changes what is played (``Format.scheduled``)
    coin_decides: Callable[[str], bool] = lambda _: False  # by key of deals: a coin decided which leg is played first
    places: Places | None = None  # the ranking by the format; None: by matches, pairs, games and points won
    details: Details | None = None  # tie-breaks and brackets of the format; None: it has none
    comparison: ComparisonReport | None = None  # None: not a duel or gauntlet
    planned: int = 0  # the number of all matches, or of batches that of all hands; 0: it is not known beforehand
    planned_as: str = ""  # whether results may add to that, "at least", or end it before, "at most"
    further: str = ""  # the command that plays on after an undecided comparison; empty: there is none
    grown: str = ""  # what was added since the run began, and when; empty: nothing
    resume: str = ""  # the command that plays on a run that was stopped; empty: it is over, is being played, or none is known
    review: Review | None = None  # of the hands that were reviewed; None: no hand was


class Report(Struct, frozen=True, kw_only=True):
    """A tournament, counted, rated and ranked."""

    summary: str = ""  # what was found, in a few sentences
    answer: AnswerCard  # the same in its parts
    comparison: ComparisonReport | None = None  # the verdict and its evidence; None: not a duel or gauntlet
    title: str
    finished: bool
    is_league: bool
    matches: int
    planned: int = 0  # all matches of a run that is not finished, or of batches all hands; 0: that is not known
    planned_as: str = ""  # "at least" or "at most", where that depends on results
    batches: bool  # batches of single hands were played, or will be, instead of matches
    hands: int
    standings: list[Standing]
    tally: Tally
    rated_by: str  # the rating's name
    faults: list[ShownFault]  # the first FAULTS_SHOWN
    fault_groups: list[FaultGroup] = []  # all faults by cause
    void: dict[str, int] = {}  # fixtures of each entrant that were lost with the process that played them, and count for nobody
    isolation: Assurance  # how the bots were isolated
    rated: bool = True  # whether there are pairs and ratings; otherwise the format's own table is the result
    reading: tuple[str, ...] = ()  # the entrants that open files while they play, and so were not sealed
    models: tuple[ModelPlay, ...] = ()  # the entrants without a sandbox that asked a language model
    provenance: dict[str, str]  # what is needed to reproduce the numbers
    history: dict[str, list[HistoryPoint]] = {}  # each entrant's points a hand over the run
    results: list[Result] = []  # the first MATCHES_SHOWN
    played: list[PlayedMatch] = []  # matches with their hands, at most HANDS_SHOWN, from every pairing
    rules: dict[str, Any] = {}  # the ruleset's name and every number of it
    knocks_with: int = 10  # points of deadwood that a knock may leave, at most; the highest limit of a hand (R6.1, R6.7)
    strengths: Strengths | None = None  # None: not computed while the run is in progress
    second_legs: dict[str, SecondLegs] = {}  # of each entrant with a pair of which a coin decided which leg was played first
    details: Details | None = None  # tie-breaks and brackets; None: the format has none
    review: Review | UnsetType = UNSET  # as ``arena review --json`` has it; UNSET, which JSON leaves out: no hand was reviewed

    @property
    def has_cross_table(self) -> bool:
        """Tell whether the field is small enough to show every two entrants, and every rank of each."""
        return len(self.standings) <= LARGEST_CROSS_TABLE

    @property
    def fault_total(self) -> int:
        """Return the number of faults, those that cost nothing included."""
        return sum(row.counts.faults.total + row.counts.excused for row in self.standings)
