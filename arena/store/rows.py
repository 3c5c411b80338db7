"""The types and bounds of every value in the database, checked on writing and on reading.

People send each other results, so a database is trusted no more than a bot's message. All checks of values are here: code that uses
the store only has to check that recorded actions can be replayed. The bounds lie far above what a tournament can
produce: rules allow bonuses of up to 10,000 points and hands of up to a thousand draws.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, ValidationError, convert, json

from arena import records
from arena.errors import MALFORMED, DamagedError
from arena.gin.cards import DECK, NAMES, cards
from arena.gin.score import Ending
from arena.roster.entrant import Entered, EntrantName

MOST_FACTS = 1000
MOST_ENTRANTS = 20_000  # versions of the bots of a league
MOST_SHOWN = 1000  # entrants in a report; larger fields were not measured, see arena/PERFORMANCE.md

Count = Annotated[int, Meta(ge=0, le=1 << 40)]
HandPoints = Annotated[int, Meta(ge=0, le=10**9)]
NetPoints = Annotated[int, Meta(ge=-(10**9), le=10**9)]
Total = Annotated[int, Meta(ge=0, le=10**15)]  # of a game or a match: up to a million hands
Deadwood = Annotated[int, Meta(ge=0, le=1000)]
Luck = Annotated[float, Meta(ge=-1e6, le=1e6)]
SeatNumber = Annotated[int, Meta(ge=0, le=1)]
Flag = Literal[0, 1]
BatchSize = Annotated[int, Meta(ge=1, le=10_000_000)]  # hands
Short = Annotated[str, Meta(max_length=1000)]
Long = Annotated[str, Meta(max_length=1 << 20)]
FaultText = Annotated[str, Meta(max_length=1 << 23)]  # a fault as JSON, with up to a megabyte of escaped stderr

T = TypeVar("T")

_TIMES = re.compile(r"(?:(?:0|[1-9][0-9]{0,14})(?: (?:0|[1-9][0-9]{0,14}))*)?")
_NUMBERS = json.Decoder(tuple[int, ...])  # five times as fast as int() for each


class EntrantRow(Struct, frozen=True, array_like=True):
    """A row of ``entrant``, without its place."""

    name: EntrantName
    version: Short
    source: Annotated[str, Meta(max_length=10_000)]
    digest: Short
    reads: Literal[1] | None = None  # 1: it opens files while it plays


class FixtureRow(Struct, frozen=True, array_like=True):
    """The columns of ``match`` that define its fixture."""

    id: Count
    fixture: Short
    seat0: Short
    seat1: Short
    deals: Short
    batch: BatchSize | None
    scored: Flag

    def as_fixture(self) -> records.Fixture:
        """Return the fixture."""
        return records.Fixture(self.fixture, (self.seat0, self.seat1), self.deals, self.batch, bool(self.scored))


class MatchRow(FixtureRow, frozen=True, array_like=True):
    """A row of ``match``, without its link."""

    winner: SeatNumber | None
    forfeit: SeatNumber | None
    usage: Long
    state0: records.Hash | None
    state1: records.Hash | None
    lost: Short | None


class StatesRow(Struct, frozen=True, array_like=True):
    """The columns of ``match`` that name its fixture and entrants, and the digests of the states that these left."""

    fixture: Short
    seat0: Short
    seat1: Short
    state0: records.Hash | None
    state1: records.Hash | None


class GameRow(Struct, frozen=True, array_like=True):
    """A row of ``game``, without its match and its number."""

    winner: SeatNumber
    total0: Total
    total1: Total


class HandRow(Struct, frozen=True, array_like=True, gc=False):
    """A row of ``hand``."""

    match: Count
    game: Count
    number: Count
    dealer: SeatNumber
    actions: Long
    ending: Ending
    winner: SeatNumber | None
    points: HandPoints
    deadwood0: Deadwood
    deadwood1: Deadwood
    score0: HandPoints | None
    score1: HandPoints | None
    luck: Luck | None
    spent: Long | None
    notes: Long | None
    deck: Short | None

    def as_record(self, fixture: str) -> records.HandRecord:
        """Return the hand. Raises: DamagedError."""
        return records.HandRecord(
            game=self.game,
            hand=self.number,
            dealer=self.dealer,
            actions=self.actions,
            ending=self.ending,
            winner=self.winner,
            points=self.points,
            deadwood=(self.deadwood0, self.deadwood1),
            score=None if self.score0 is None or self.score1 is None else (self.score0, self.score1),
            luck=self.luck,
            spent=self._times(fixture, self.spent) if self.spent else (),
            notes=self._notes(fixture, self.notes) if self.notes is not None else (),
            deck=self.deck if self.deck is None else self._checked_deck(fixture, self.deck),
        )

    def _checked_deck(self, fixture: str, deck: str) -> str:
        """Return the deck of an imported hand. Raises: DamagedError."""
        words = records.words_of_deck(deck)
        try:
            if len(words) == len(NAMES) and cards(words) == DECK:
                return deck
        except ValueError:
            pass
        raise DamagedError(f"{fixture} {self.game}.{self.number}: deck: expected each of the 52 cards once")

    def _notes(self, fixture: str, text: str) -> tuple[records.Note, ...]:
        """Return the notes of the hand. Raises: DamagedError."""
        where = f"{fixture} {self.game}.{self.number}: notes"
        notes = document(tuple[records.Note, ...], text, where)
        turns = [note.turn for note in notes]
        if turns != sorted(set(turns)) or (turns and turns[-1] >= len(self.actions.split())):
            raise DamagedError(f"{where}: expected at most one for each action, in the order of the actions")
        return notes

    def _times(self, fixture: str, text: str) -> tuple[int, ...]:
        """Return the microseconds of each action. Raises: DamagedError."""
        times = _NUMBERS.decode(f"[{text.replace(' ', ',')}]") if _TIMES.fullmatch(text) else None
        if times is None or len(times) != len(self.actions.split()):
            raise DamagedError(f"{fixture} {self.game}.{self.number}: spent: expected a time in microseconds for each action")
        return times


class ResultRow(FixtureRow, frozen=True, array_like=True):
    """A match with its games counted and its points added up."""

    winner: SeatNumber | None
    games0: Count
    games1: Count
    points0: Total
    points1: Total
    hands: Count
    lost: Flag

    def as_result(self, singles: tuple[records.SingleHand, ...]) -> records.Result:
        """Return the result, with the hands of a batch."""
        return records.Result(
            fixture=self.as_fixture(),
            winner=self.winner,
            games=(self.games0, self.games1),
            points=(self.points0, self.points1),
            hands=self.hands,
            lost=bool(self.lost),
            singles=singles,
        )


class SingleRow(Struct, frozen=True, array_like=True):
    """A hand of a batch."""

    match: Count
    points: NetPoints
    luck: Luck | None
    score0: HandPoints
    score1: HandPoints


FACTS: dict[str, Any] = {  # any other fact: Long
    "title": Short,
    "seed": Short,
    "commitment": records.Hash,
    "arena": Short,
    "python": Short,
    "platform": Short,
    "started": Short,
}


def check_row(kind: type[T], values: object, where: str) -> T:
    """Return a checked row; ``where`` names it in error messages. Raises: DamagedError."""
    try:
        return convert(values, kind)
    except ValidationError as error:
        raise DamagedError(f"{where}: {_with_column(error, kind)}") from None


def document(kind: type[T], text: str, where: str) -> T:
    """Return a value that is stored as JSON. Raises: DamagedError."""
    try:
        return json.decode(text, type=kind)
    except MALFORMED as error:
        raise DamagedError(f"{where}: {_lower_first(' '.join(str(error).split()))}") from None


def read_entrant(values: object) -> Entered:
    """Return an entrant. Raises: DamagedError."""
    found = check_row(EntrantRow, values, "entrant")
    return Entered(found.name, found.version, found.source, found.digest, reads_while_playing=found.reads is not None)


def entrant_values(entrant: Entered, event: int | None) -> tuple[object, ...]:
    """Return the row of an entrant without its place; ``event``: the id of the event that added it, None: the run began with it."""
    return (entrant.name, entrant.version, entrant.source, entrant.digest, event, 1 if entrant.reads_while_playing else None)


def fact(key: str, value: object) -> str:
    """Return the value of a fact. Raises: DamagedError."""
    where = f"run: {key}"
    found: str = check_row(FACTS.get(key, Long), value, where)
    if key == "walls":  # what the sandbox guarantees
        document(records.Assurance, found, where)
    return found


def check_fixture(fixture: MatchRow | ResultRow, known: frozenset[str] | None, hands: int) -> None:
    """Check that a record names known entrants and that a batch has all of its hands, or none if it was lost. Raises: DamagedError.

    ``known`` is None before the run has begun.
    """
    for seat in (fixture.seat0, fixture.seat1):
        if known is not None and seat not in known:
            raise DamagedError(f"{fixture.fixture}: {seat!r} is not an entrant")
    is_lost = fixture.lost not in (None, 0)  # a MatchRow has the reason or None, a ResultRow 1 or 0
    if is_lost or fixture.batch is not None:
        expected = 0 if is_lost else fixture.batch
        if hands != expected:
            raise DamagedError(f"{fixture.fixture}: found {hands} hands; expected {expected}")


def check_hands(found: list[Any], fixture: str) -> list[HandRow]:
    """Return the checked rows of a match's hands. Raises: DamagedError."""
    try:
        return convert(found, list[HandRow])
    except ValidationError:  # checked again one by one, so that the error names the hand
        return [check_row(HandRow, hand, f"{fixture} {hand[1]}.{hand[2]}") for hand in found]


def read_faults(texts: Iterable[object], where: str) -> records.FaultLists:
    """Return the faults of a fixture, excused or not. Raises: DamagedError."""
    faults = (document(records.Fault, check_row(FaultText, text, f"{where}: fault"), f"{where}: fault") for text in texts)
    return records.FaultLists.of(faults)


def _with_column(error: ValidationError, kind: type) -> str:
    """Return msgspec's message with the column's name instead of its number."""
    what, _, place = str(error).partition(" - at `$[")
    number = place.partition("]")[0]
    fields: tuple[str, ...] = getattr(kind, "__struct_fields__", ())
    name = f"{fields[int(number)]}: " if number.isdigit() and int(number) < len(fields) else ""
    return f"{name}{_lower_first(what)}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
