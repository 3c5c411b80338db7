"""Counts of wins, points, pairs and faults: the columns of a table that are not estimates.

Records are counted in one pass. Only one :class:`PairingCounts` for every two entrants is kept, and the legs without a partner yet.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import add
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, astuple

from arena.gin.facts import Seat
from arena.gin.score import Ending
from arena.records import MatchRecord, points_scored
from arena.stats.pairs import LegMatcher, Pair, between_two


class Faults(Struct, frozen=True):
    """The number of faults by kind; a field for each ``FaultKind``."""

    timeout: int = 0
    crash: int = 0
    malformed: int = 0
    illegal: int = 0
    memory: int = 0
    lost: int = 0

    @property
    def total(self) -> int:
        """Return the number of faults of all kinds."""
        return sum(astuple(self))

    def __add__(self, other: "Faults") -> "Faults":
        """Return the sum of both."""
        return Faults(*map(add, astuple(self), astuple(other)))


_NO_FAULTS = Faults()


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
    gins: int = 0  # hands won by gin
    big_gins: int = 0  # hands won by big gin
    knocks: int = 0  # hands won by its own knock
    undercuts: int = 0  # hands won as the defender
    undercut: int = 0  # hands lost by its own knock
    dead: int = 0  # hands that nobody won: dead ones, and ties that score nothing
    faults: Faults = _NO_FAULTS
    excused: int = 0  # faults of kind "lost" that cost nothing
    forfeits: int = 0  # matches and batches lost by faults
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
        name: sum(column, _NO_FAULTS) if name == "faults" else sum(column)
        for name, column in zip(Counts.__struct_fields__, columns, strict=False)  # without counts there are no columns
    }
    return Counts(**sums)


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

    @property
    def is_star(self) -> bool:
        """Tell whether more than two entrants have played and one of them was in every pairing, as in ``arena rate``."""
        met = [len(opponents) for opponents in self.crosstable.values()]
        return len(met) > 2 and sum(met) == 2 * (len(met) - 1) == 2 * max(met)

    def between(self, entrant: str, opponent: str) -> Counts:
        """Return the counts of an entrant against one opponent; zeros if they have not met."""
        return self.crosstable.get(entrant, {}).get(opponent, Counts())


class TallyBuilder:
    """Builds a tally record by record."""

    def __init__(self) -> None:
        self._pairings: defaultdict[tuple[str, str], PairingCounts] = defaultdict(PairingCounts)  # by names, sorted
        self._matcher = LegMatcher()

    def add(self, record: MatchRecord, place: int | None = None) -> Pair | None:
        """Count a record and return the pair that it completes, if any.

        A record of an entrant against itself is ignored, and one that was lost with its worker. ``place``: in the order of play;
        None: records are added in this order.
        """
        if not between_two(record):
            return None
        zero, one = record.fixture.seats
        if zero < one:
            self._pairings[zero, one].add(record, 0)
        else:
            self._pairings[one, zero].add(record, 1)
        pair = self._matcher.add(record, place)
        if pair:
            self._pairings[pair.entrant, pair.opponent].add_pair(pair.outcome)
        return pair

    def single_legs(self) -> list[Pair]:
        """Return the legs without a partner so far."""
        return self._matcher.single_legs()

    def tally(self) -> Tally:
        """Return the tally of all records added so far."""
        crosstable = defaultdict[str, dict[str, Counts]](dict)
        for (first, second), pairing in self._pairings.items():
            crosstable[first][second], crosstable[second][first] = pairing.counts()
        return Tally(dict(crosstable))


COLUMNS = {  # the fields of ``Counts`` for hands, by how they ended and whether the entrant won them
    (Ending.KNOCK, True): "knocks",
    (Ending.GIN, True): "gins",
    (Ending.BIG_GIN, True): "big_gins",
    (Ending.UNDERCUT, True): "undercuts",
    (Ending.UNDERCUT, False): "undercut",
}


class PairingCounts:
    """Adds up the counts of two entrants against each other; mutable, because a new ``Counts`` for each record takes too long."""

    def __init__(self) -> None:
        self._sums = asdict(Counts()), asdict(Counts())  # of the first entrant by name, of the other; without the COLUMNS of hands
        self._endings = Counter[tuple[Ending, Seat | None, Seat]]()  # hands by ending, winner, and seat of the first entrant
        self._counts: tuple[Counts, Counts] | None = None  # as they were returned, if nothing was added since

    def add(self, record: MatchRecord, first: Seat) -> None:
        """Count a record, without its pair; ``first`` is the seat of the first entrant."""
        self._counts = None
        games, scored = [game.winner for game in record.games], points_scored(record)
        for hand in record.hands:
            self._endings[hand.ending, hand.winner, first] += 1
        for sums, seat in zip(self._sums, (first, 1 - first), strict=True):
            usage = record.usage[seat]
            sums["matches_won"] += record.winner == seat
            sums["matches_lost"] += record.winner == 1 - seat
            sums["matches_drawn"] += record.winner is None and record.fixture.hands is None
            sums["games_won"] += games.count(seat)
            sums["games_lost"] += games.count(1 - seat)
            sums["points_for"] += scored[seat]
            sums["points_against"] += scored[1 - seat]
            sums["hands"] += len(record.hands)
            sums["forfeits"] += record.forfeit == seat
            sums["decisions"] += usage.decisions
            sums["cpu"] += usage.cpu
            if record.excused:
                sums["excused"] += sum(fault.seat == seat for fault in record.excused)
            if record.faults:
                sums["faults"] += Faults(**Counter[str](fault.kind for fault in record.faults if fault.seat == seat))

    def add_pair(self, outcome: int) -> None:
        """Count a pair by its outcome for the first entrant."""
        self._counts = None
        for sums, won in zip(self._sums, (outcome, -outcome), strict=True):
            sums["pairs_won" if won > 0 else "pairs_lost" if won < 0 else "pairs_drawn"] += 1

    def counts(self) -> tuple[Counts, Counts]:
        """Return the counts of both entrants, of all records added so far."""
        self._counts = self._counts or (self._of(0), self._of(1))
        return self._counts

    def _of(self, side: int) -> Counts:
        """Return the counts of one entrant; ``side`` is 0 for the first by name."""
        columns = Counter[str]()
        for (ending, winner, first), number in self._endings.items():
            column = "dead" if winner is None else COLUMNS.get((ending, winner == first ^ side))
            if column:
                columns[column] += number
        return Counts(**self._sums[side] | columns)
