"""Counts of wins, points, pairs and faults: the columns of a table that are not estimates.

Records are counted in one pass. Only one :class:`Counts` for each entrant and opponent is kept, and the legs without a partner yet.
"""

from collections import Counter, defaultdict
from operator import add

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
        return Counts(**dict(zip(self.__struct_fields__, map(add, astuple(self), astuple(other)), strict=True)))


class Tally(Struct, frozen=True):
    """The counts of every entrant against every opponent."""

    crosstable: dict[str, dict[str, Counts]]  # by entrant, then opponent; only those that met

    @property
    def entrants(self) -> list[str]:
        """Return the entrants that have played, sorted by name."""
        return sorted(self.crosstable)

    def of(self, entrant: str) -> Counts:
        """Return the counts of an entrant against all opponents; zeros if it has not played."""
        return sum(self.crosstable.get(entrant, {}).values(), Counts())

    def between(self, entrant: str, opponent: str) -> Counts:
        """Return the counts of an entrant against one opponent; zeros if they have not met."""
        return self.crosstable.get(entrant, {}).get(opponent, Counts())


class TallyBuilder:
    """Builds a tally record by record."""

    def __init__(self) -> None:
        self._cells: defaultdict[str, defaultdict[str, Counts]] = defaultdict(lambda: defaultdict(Counts))
        self._matcher = LegMatcher()

    def add(self, record: MatchRecord) -> None:
        """Count a record; one of an entrant against itself is ignored."""
        if not between_two(record):
            return
        zero, one = record.fixture.seats
        self._cells[zero][one] += one_record(record, 0)
        self._cells[one][zero] += one_record(record, 1)
        if pair := self._matcher.add(record):
            self._cells[pair.entrant][pair.opponent] += _of_pair(pair.outcome)
            self._cells[pair.opponent][pair.entrant] += _of_pair(-pair.outcome)

    def tally(self) -> Tally:
        """Return the tally of all records added so far."""
        return Tally({entrant: dict(row) for entrant, row in self._cells.items()})


def one_record(record: MatchRecord, seat: Seat) -> Counts:
    """Return the counts of one record for the entrant in ``seat``, without its pair."""
    ended = Counter((hand.ending, hand.winner) for hand in record.hands)
    usage = record.usage[seat]
    return Counts(
        matches_won=int(record.winner == seat),
        matches_lost=int(record.winner == 1 - seat),
        matches_drawn=int(record.winner is None and record.fixture.hands is None),
        games_won=sum(game.winner == seat for game in record.games),
        games_lost=sum(game.winner == 1 - seat for game in record.games),
        points_for=points(record, seat),
        points_against=points(record, 1 - seat),
        hands=len(record.hands),
        gins=ended[Ending.GIN, seat],
        big_gins=ended[Ending.BIG_GIN, seat],
        knocks=ended[Ending.KNOCK, seat],
        undercuts=ended[Ending.UNDERCUT, seat],
        undercut=ended[Ending.UNDERCUT, 1 - seat],
        dead=ended[Ending.DEAD, None],
        faults=_faults(record, seat),
        forfeits=int(record.forfeit == seat),
        decisions=usage.decisions,
        cpu=usage.cpu,
    )


def _faults(record: MatchRecord, seat: Seat) -> Faults:
    if not record.faults:
        return _NONE
    kinds = Counter(fault.kind for fault in record.faults if fault.seat == seat)
    return Faults(*(kinds[kind] for kind in KINDS))


def _of_pair(outcome: int) -> Counts:
    return Counts(pairs_won=int(outcome > 0), pairs_drawn=int(outcome == 0), pairs_lost=int(outcome < 0))
