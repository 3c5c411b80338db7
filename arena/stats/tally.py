"""Counts of wins, points, pairs and faults: the columns of a table that are not estimates.

Records are counted in one pass. Only one :class:`PairingCounts` for every two entrants is kept, and the legs without a partner yet.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import add
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from arena.gin.deal import Seat
from arena.gin.score import Ending
from arena.records import MatchRecord, points
from arena.stats.pairs import LegMatcher, Pair, between_two

Side = int  # of two entrants: 0 is the first by name, 1 the other


class Faults(Struct, frozen=True):
    """The number of faults by kind; a field for each ``FaultKind``."""

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
        for name, column in zip(Counts.__struct_fields__, columns, strict=False)  # no counts have no columns
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
        """Tell whether more than two entrants have played and one of them was in every pairing, as in a rating on a scale."""
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


class SideSums(Struct):
    """Sums over records for one of two entrants."""

    matches: int = 0  # won
    games: int = 0  # won
    points: int = 0  # hand points
    forfeits: int = 0
    decisions: int = 0
    cpu: float = 0.0
    faults: Faults = _NO_FAULTS

    def add(self, record: MatchRecord, seat: Seat, games: int, points: int) -> None:
        """Count a record for the entrant in ``seat``, which won ``games`` games and scored ``points`` hand points."""
        usage = record.usage[seat]
        self.matches += record.winner == seat
        self.games += games
        self.points += points
        self.forfeits += record.forfeit == seat
        self.decisions += usage.decisions
        self.cpu += usage.cpu
        if record.faults:
            self.faults += Faults(**Counter[str](fault.kind for fault in record.faults if fault.seat == seat))


class PairingCounts:
    """Adds up the counts of two entrants against each other; mutable, because a new ``Counts`` for each record takes too long."""

    def __init__(self) -> None:
        self._hands = self._drawn = 0
        self._sides = SideSums(), SideSums()  # of the first entrant by name, of the other
        # by ending and the winner's seat: of records with the first entrant in seat 0, in seat 1
        self._endings = defaultdict[tuple[Ending, Seat | None], int](int), defaultdict[tuple[Ending, Seat | None], int](int)
        self._pairs = [0, 0, 0]  # won by the first, drawn, lost
        self._counts: tuple[Counts, Counts] | None = None  # as they were returned, if nothing was added since

    def add(self, record: MatchRecord, first: Seat) -> None:
        """Count a record, without its pair; ``first`` is the seat of the first entrant."""
        self._counts = None
        self._hands += len(record.hands)
        self._drawn += record.winner is None and record.fixture.hands is None
        endings = self._endings[first]
        for hand in record.hands:
            endings[hand.ending, hand.winner] += 1
        games, scored = [game.winner for game in record.games], points(record)
        for side, seat in zip(self._sides, (first, 1 - first), strict=True):
            side.add(record, seat, games.count(seat), scored[seat])

    def add_pair(self, outcome: int) -> None:
        """Count a pair by its outcome for the first entrant."""
        self._counts = None
        self._pairs[1 - outcome] += 1

    def counts(self) -> tuple[Counts, Counts]:
        """Return the counts of both entrants, of all records added so far."""
        self._counts = self._counts or (self._of(0), self._of(1))
        return self._counts

    def _of(self, side: Side) -> Counts:
        mine, theirs = self._sides[side], self._sides[1 - side]
        won, drawn, lost = self._pairs[::-1] if side else self._pairs
        return Counts(
            matches_won=mine.matches,
            matches_lost=theirs.matches,
            matches_drawn=self._drawn,
            pairs_won=won,
            pairs_drawn=drawn,
            pairs_lost=lost,
            games_won=mine.games,
            games_lost=theirs.games,
            points_for=mine.points,
            points_against=theirs.points,
            hands=self._hands,
            gins=self._count_endings(Ending.GIN, side),
            big_gins=self._count_endings(Ending.BIG_GIN, side),
            knocks=self._count_endings(Ending.KNOCK, side),
            undercuts=self._count_endings(Ending.UNDERCUT, side),
            undercut=self._count_endings(Ending.UNDERCUT, 1 - side),
            dead=sum(number for endings in self._endings for (_, winner), number in endings.items() if winner is None),
            faults=mine.faults,
            forfeits=mine.forfeits,
            decisions=mine.decisions,
            cpu=mine.cpu,
        )

    def _count_endings(self, ending: Ending, side: Side) -> int:
        """Return the number of hands with an ending that one side won."""
        in_zero, in_one = self._endings
        return in_zero.get((ending, side), 0) + in_one.get((ending, 1 - side), 0)
