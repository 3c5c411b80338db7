"""Counts of wins, points, pairs and faults: the columns of a table that are not estimates.

Records are counted in one pass. Only one :class:`Counts` for each entrant and opponent is kept, and the legs without a partner yet.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from operator import add
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from arena.gin.deal import Seat
from arena.gin.score import Ending
from arena.records import FaultKind, MatchRecord, points
from arena.stats.pairs import LegMatcher, between_two

KINDS: tuple[FaultKind, ...] = ("timeout", "crash", "malformed", "illegal", "memory")


class Faults(Struct, frozen=True):
    """The number of faults by kind, in the order of ``KINDS``."""

    timeout: int = 0
    crash: int = 0
    malformed: int = 0
    illegal: int = 0
    memory: int = 0

    @property
    def total(self) -> int:
        """Return the number of faults of all kinds."""
        return sum(astuple(self))

    def __add__(self, other: "Faults") -> "Faults":
        """Return the sum of both."""
        return Faults(*map(add, astuple(self), astuple(other)))


_NONE = Faults()


class Counts(Struct, frozen=True, kw_only=True):
    """The results of an entrant against one opponent, or the sum over several."""

    matches_won: int = 0
    matches_lost: int = 0
    matches_drawn: int = 0  # ended by the limit of hands at a level score (R9.5)
    pairs_won: int = 0  # by matches, then games; pairs of batches by hand points
    pairs_drawn: int = 0
    pairs_lost: int = 0
    games_won: int = 0
    games_lost: int = 0
    points_for: int = 0  # hand points
    points_against: int = 0
    hands: int = 0
    gins: int = 0
    big_gins: int = 0
    knocks: int = 0  # hands won by its own knock
    undercuts: int = 0  # hands won as the defender
    undercut: int = 0  # hands lost by its own knock
    dead: int = 0  # hands in which neither scored
    faults: Faults = _NONE
    forfeits: int = 0  # matches lost by faults
    decisions: int = 0
    cpu: float = 0.0  # seconds of processor time

    @property
    def pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs_won + self.pairs_drawn + self.pairs_lost

    @property
    def net_points(self) -> int:
        """Return hand points won less hand points lost."""
        return self.points_for - self.points_against

    @property
    def points_a_hand(self) -> float | None:
        """Return the net points a hand; None if no hand was played."""
        return self.net_points / self.hands if self.hands else None

    @property
    def cpu_a_decision(self) -> float | None:
        """Return the seconds of processor time a decision; None if there was no decision."""
        return self.cpu / self.decisions if self.decisions else None

    def __add__(self, other: "Counts") -> "Counts":
        """Return the sum of both."""
        return total((self, other))


def total(several: Iterable[Counts]) -> Counts:
    """Return the sum of counts."""
    columns = zip(*map(astuple, several), strict=True)
    sums: dict[str, Any] = {
        name: sum(column, _NONE) if name == "faults" else sum(column)
        for name, column in zip(Counts.__struct_fields__, columns, strict=False)
    }
    return Counts(**sums)


# what each record adds to
SUMMED = (
    "matches_won",
    "matches_lost",
    "matches_drawn",
    "games_won",
    "games_lost",
    "points_for",
    "points_against",
    "hands",
    "gins",
    "big_gins",
    "knocks",
    "undercuts",
    "undercut",
    "dead",
    "forfeits",
    "decisions",
    "cpu",
)
PAIRS = ("pairs_won", "pairs_drawn", "pairs_lost")
WON = (Ending.GIN, Ending.BIG_GIN, Ending.KNOCK, Ending.UNDERCUT)


class Tally(Struct, frozen=True):
    """The counts of every entrant against every opponent."""

    crosstable: dict[str, dict[str, Counts]]  # by entrant, then opponent; only those that met

    @property
    def entrants(self) -> list[str]:
        """Return the entrants that have played, sorted by name."""
        return sorted(self.crosstable)

    def of(self, entrant: str) -> Counts:
        """Return the counts of an entrant against all opponents; zeros if it has not played."""
        return total(self.crosstable.get(entrant, {}).values())

    def between(self, entrant: str, opponent: str) -> Counts:
        """Return the counts of an entrant against one opponent; zeros if they have not met."""
        return self.crosstable.get(entrant, {}).get(opponent, Counts())


class TallyBuilder:
    """Builds a tally record by record."""

    def __init__(self) -> None:
        self._cells: defaultdict[str, defaultdict[str, RunningCounts]] = defaultdict(lambda: defaultdict(RunningCounts))
        self._matcher = LegMatcher()

    def add(self, record: MatchRecord) -> None:
        """Count a record; one of an entrant against itself is ignored."""
        if not between_two(record):
            return
        zero, one = record.fixture.seats
        ended = Counter([(hand.ending, hand.winner) for hand in record.hands])
        scored = (points(record, 0), points(record, 1))
        self._cells[zero][one].add(record, 0, ended, scored)
        self._cells[one][zero].add(record, 1, ended, scored)
        if pair := self._matcher.add(record):
            self._cells[pair.entrant][pair.opponent].add_pair(pair.outcome)
            self._cells[pair.opponent][pair.entrant].add_pair(-pair.outcome)

    def tally(self) -> Tally:
        """Return the tally of all records added so far."""
        return Tally({entrant: {other: cell.counts() for other, cell in row.items()} for entrant, row in self._cells.items()})


class RunningCounts:
    """The counts of an entrant against one opponent while records are added: a value for each would take most of the time."""

    def __init__(self) -> None:
        self._sums: list[Any] = [0] * len(SUMMED)
        self._pairs = [0, 0, 0]  # won, drawn, lost
        self._faults = _NONE
        self._counts: Counts | None = None  # as they were returned, if nothing was added since

    def add(
        self, record: MatchRecord, seat: Seat, ended: Mapping[tuple[Ending, Seat | None], int], scored: tuple[int, int]
    ) -> None:
        """Count a record for the entrant in ``seat``, without its pair; ``ended``: its hands by ending and winner."""
        usage, other = record.usage[seat], 1 - seat
        values = (  # in the order of SUMMED
            record.winner == seat,
            record.winner == other,
            record.winner is None and record.fixture.hands is None,
            sum([game.winner == seat for game in record.games]),
            sum([game.winner == other for game in record.games]),
            scored[seat],
            scored[other],
            len(record.hands),
            *[ended[ending, seat] for ending in WON],
            ended[Ending.UNDERCUT, other],
            ended[Ending.DEAD, None],
            record.forfeit == seat,
            usage.decisions,
            usage.cpu,
        )
        self._sums = list(map(add, self._sums, values))
        if record.faults:
            self._faults += _faults(record, seat)
        self._counts = None

    def add_pair(self, outcome: int) -> None:
        """Count a pair by its outcome."""
        self._pairs[1 - outcome] += 1
        self._counts = None

    def counts(self) -> Counts:
        """Return the counts of all records added so far."""
        if self._counts is None:
            self._counts = Counts(
                **dict(zip(SUMMED, self._sums, strict=True)), **dict(zip(PAIRS, self._pairs, strict=True)), faults=self._faults
            )
        return self._counts


def _faults(record: MatchRecord, seat: Seat) -> Faults:
    kinds = Counter(fault.kind for fault in record.faults if fault.seat == seat)
    return Faults(*(kinds[kind] for kind in KINDS))
