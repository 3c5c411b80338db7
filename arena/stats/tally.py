"""Wins, points and pairs, counted: everything in a standing that is no estimate.

One pass over the records; what is remembered is one :class:`Counts` for each entrant and opponent, and the legs that wait for
their partner.
"""

from collections import Counter, defaultdict

from msgspec import Struct
from msgspec.structs import astuple

from arena.gin.deal import Seat
from arena.gin.score import Ending
from arena.records import FaultKind, MatchRecord, points
from arena.stats.pairs import Pairing, between_two

KINDS: tuple[FaultKind, ...] = ("timeout", "crash", "malformed", "illegal", "memory")


class Faults(Struct, frozen=True):
    """Faults by their kind, in the order of ``KINDS``."""

    timeout: int = 0
    crash: int = 0
    malformed: int = 0
    illegal: int = 0
    memory: int = 0

    @property
    def total(self) -> int:
        """Return how many there were."""
        return sum(astuple(self))

    def __add__(self, other: "Faults") -> "Faults":
        """Return both together."""
        return Faults(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))


class Counts(Struct, frozen=True, kw_only=True):
    """What an entrant did against one opponent, or against all: counts add up."""

    matches_won: int = 0
    matches_lost: int = 0
    matches_drawn: int = 0  # cut short while level (R9.5)
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
    undercut: int = 0  # hands lost by a knock of its own
    dead: int = 0  # hands that nobody scored
    faults: Faults = Faults()
    forfeits: int = 0  # matches lost by faults
    decisions: int = 0
    cpu: float = 0.0  # seconds

    @property
    def pairs(self) -> int:
        """Return how many pairs were played."""
        return self.pairs_won + self.pairs_drawn + self.pairs_lost

    @property
    def net_points(self) -> int:
        """Return the hand points won less those lost."""
        return self.points_for - self.points_against

    @property
    def points_a_hand(self) -> float | None:
        """Return the net points a hand; None: no hand was played."""
        return self.net_points / self.hands if self.hands else None

    @property
    def cpu_a_decision(self) -> float | None:
        """Return seconds of processor time; None: no decision was asked for."""
        return self.cpu / self.decisions if self.decisions else None

    def __add__(self, other: "Counts") -> "Counts":
        """Return both together."""
        fields = zip(self.__struct_fields__, astuple(self), astuple(other), strict=True)
        return Counts(**{name: one + two for name, one, two in fields})


class Tally(Struct, frozen=True):
    """Who did what against whom."""

    crosstable: dict[str, dict[str, Counts]]  # entrant, opponent; only those who met

    @property
    def entrants(self) -> list[str]:
        """Return everybody who played, by name."""
        return sorted(self.crosstable)

    def of(self, entrant: str) -> Counts:
        """Return what an entrant did against all; nothing, if it has not played."""
        return sum(self.crosstable.get(entrant, {}).values(), Counts())

    def between(self, entrant: str, opponent: str) -> Counts:
        """Return what an entrant did against one opponent; nothing, if they have not met."""
        return self.crosstable.get(entrant, {}).get(opponent, Counts())


class Counting:
    """A tally that grows with every record."""

    def __init__(self) -> None:
        self._cells: defaultdict[str, defaultdict[str, Counts]] = defaultdict(lambda: defaultdict(Counts))
        self._pairing = Pairing()

    def add(self, record: MatchRecord) -> None:
        """Count one more record."""
        if not between_two(record):
            return
        zero, one = record.fixture.seats
        self._cells[zero][one] += one_record(record, 0)
        self._cells[one][zero] += one_record(record, 1)
        if pair := self._pairing.add(record):
            self._cells[pair.entrant][pair.opponent] += _of_pair(pair.outcome)
            self._cells[pair.opponent][pair.entrant] += _of_pair(-pair.outcome)

    def tally(self) -> Tally:
        """Return what was counted so far."""
        return Tally({entrant: dict(row) for entrant, row in self._cells.items()})


def one_record(record: MatchRecord, seat: Seat) -> Counts:
    """Return what a record counts for the entrant in ``seat``; its pair is counted apart."""
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
    kinds = Counter(fault.kind for fault in record.faults if fault.seat == seat)
    return Faults(*(kinds[kind] for kind in KINDS))


def _of_pair(outcome: int) -> Counts:
    return Counts(pairs_won=int(outcome > 0), pairs_drawn=int(outcome == 0), pairs_lost=int(outcome < 0))
