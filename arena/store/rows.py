"""Checks of the values in the database, on writing and on reading: a row becomes a record, whose types have the bounds.

Code that uses the store only has to check that recorded actions can be replayed.
"""

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from msgspec import Meta, ValidationError, convert, json

from arena import records
from arena.errors import MALFORMED, DamagedError
from arena.records import Long, Short
from arena.roster.entrant import Entered

MOST_FACTS = 1000
MOST_ENTRANTS = 20_000  # versions of the bots of a league
MOST_SHOWN = 1000  # entrants in a report; larger fields were not measured, see arena/PERFORMANCE.md

FaultText = Annotated[str, Meta(max_length=1 << 23)]  # a fault as JSON, with up to a megabyte of escaped stderr
FLAGS = {None: False, 0: False, 1: True}  # by the value of a column; any other is left for the check of the type to refuse

T = TypeVar("T")

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
    """Return a checked value of a column, or a record from the values of its fields; ``where`` names it in error messages.

    Raises: DamagedError.
    """
    try:
        return convert(values, kind)
    except ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        field = f"{place.strip('.`')}: " if place else ""
        raise DamagedError(f"{where}: {field}{_lower_first(what)}") from None


def document(kind: type[T], text: str, where: str) -> T:
    """Return a value that is stored as JSON. Raises: DamagedError."""
    try:
        return json.decode(text, type=kind)
    except MALFORMED as error:
        raise DamagedError(f"{where}: {_lower_first(' '.join(str(error).split()))}") from None


def read_entrant(row: tuple[Any, ...]) -> Entered:
    """Return an entrant. Raises: DamagedError."""
    *values, reads = row
    found = dict(zip(Entered.__struct_fields__, (*values, FLAGS.get(reads, reads)), strict=True))
    return check_row(Entered, found, "entrant")


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


def check_fixture(fixture: records.Fixture, known: frozenset[str] | None, hands: int, *, lost: bool) -> None:
    """Check that a record names known entrants and that a batch has all of its hands, or none if it was lost. Raises: DamagedError.

    ``known`` is None before the run has begun.
    """
    for seat in fixture.seats:
        if known is not None and seat not in known:
            raise DamagedError(f"{fixture.id}: {seat!r} is not an entrant")
    expected = 0 if lost else fixture.hands
    if expected not in (None, hands):
        raise DamagedError(f"{fixture.id}: found {hands} hands; expected {expected}")


def read_faults(texts: Iterable[object], where: str) -> records.FaultLists:
    """Return the faults of a fixture, excused or not. Raises: DamagedError."""
    faults = (document(records.Fault, check_row(FaultText, text, f"{where}: fault"), f"{where}: fault") for text in texts)
    return records.FaultLists.of(faults)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
