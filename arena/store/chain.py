"""A hash chain over everything that is stored, so that any later change is found and located.

When a run begins, the digests of all facts and entrants are stored as one more fact, ``seals``. The hash of that fact starts the
chain. Each record then stores a link: the SHA-256 of the previous link and of all rows of the record. Links follow the order in
which records are stored. When the run ends, a hash of the last link is stored as the fact ``finished``, so that a record missing
from the end is noticed. The last link therefore covers the facts, the entrants and every record. Reports show it, and of a finished
run the value of ``finished``.

A change of a run under way, as a bot that joins a league or a spec that has grown, is stored as an event. Events and records share
one sequence of ids and one chain; the link of an event covers its content and the entrants that it added.

A row is hashed as the JSON of its table's name, empty for facts and entrants in ``seals``, and its columns by name, without columns
that are NULL. A column that a later schema adds is NULL in existing rows, so their links stay valid.

Records are stored when their match ends, in any order, because a fixed order would make workers wait for the slowest match and
lose finished matches when the run is killed. So two runs with the same results have different links.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from sqlite3 import Connection, Error
from typing import Annotated, Any

from msgspec import Meta, Struct, json

from arena import disk
from arena.errors import MALFORMED, StoreError
from arena.moments import Moment, now
from arena.records import Hash

START = "arena-chain-1"
DIGESTS = "seals"  # key of the fact that holds the digests of all other facts and of the entrants
END = "finished"  # key of the fact that holds the hash of the last link
LINK = "chain"  # column of a record's link
BROKEN = (Error, UnicodeDecodeError)  # raised for a damaged file: by SQLite, and by Python for names that are not UTF-8
RECORD = {"match": "id = ?", "game": "match = ?", "hand": "match = ?", "fault": "match = ?"}  # the rows of a record, by table
EVENT = {"event": "id = ?", "entrant": "event = ?"}  # the rows of an event
# in the order of the ids, without sorting: each half is read in the order of its table
LINKS = "SELECT id, fixture, chain FROM match UNION ALL SELECT id, NULL, chain FROM event ORDER BY 1"


def digests(database: Connection) -> str:
    """Return the digests of all stored facts and entrants, as the value of the fact ``seals``."""
    return json.encode(_digests(database)).decode()


def start(stored_digests: str) -> str:
    """Return the value that the first link follows."""
    return sha256(f"{START}\n{stored_digests}".encode()).hexdigest()


def link(database: Connection, tables: Mapping[str, str], number: int, before: str) -> str:
    """Return the link that follows the link ``before``, of a stored record or event with the id ``number``.

    ``tables``: RECORD or EVENT, which say where its rows are.
    """
    running = sha256(f"{before}\n".encode())
    for table, where in tables.items():
        query = f"SELECT * FROM {table} WHERE {where} ORDER BY 1, 2, 3"  # noqa: S608 - names from the tables above
        for row in _mappings(database, query, (number,)):
            running.update(_line(table, row))
    return running.hexdigest()


def link_at(database: Connection, number: int) -> str:
    """Return the link of the record or event with this id; empty: there is none."""
    found = database.execute(
        "SELECT chain FROM match WHERE id = ? UNION ALL SELECT chain FROM event WHERE id = ?", (number, number)
    )
    return next((str(link) for (link,) in found), "")


def end(last_link: str) -> str:
    """Return the value of the fact ``finished``."""
    return sha256(f"{last_link}\n{END}".encode()).hexdigest()


def last(database: Connection) -> tuple[int, str]:
    """Return the id and the link of the last record or event; 0 and the start of the chain: there is none."""
    found = database.execute(f"{LINKS} DESC LIMIT 1").fetchone()
    return (int(found[0]), str(found[2])) if found else (0, start(fact(database, DIGESTS)))


def fact(database: Connection, key: str) -> str:
    """Return the value of a fact; empty: there is none."""
    found = database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
    return str(found[0]) if found else ""


def fact_problems(database: Connection) -> Iterator[str]:
    """Yield each fact and entrant that was changed, removed or added since the run began."""
    current = _digests(database)
    try:
        sealed = json.decode(fact(database, DIGESTS), type=dict[str, str])
    except MALFORMED as error:
        yield f"run: {DIGESTS}: {error}"
        return
    for name in sorted({*current, *sealed}):
        if name not in current:
            yield f"{name}: removed since the run began"
        elif current[name] != sealed.get(name):
            yield f"{name}: {'changed' if name in sealed else 'added'} since the run began"


def event_problems(database: Connection) -> Iterator[str]:
    """Yield each event that was changed after it was stored."""
    before = start(fact(database, DIGESTS))
    for number, fixture, stored in database.execute(LINKS):
        if fixture is None and link(database, EVENT, number, before) != stored:
            yield f"event {number}: was changed after it was filed"
        before = str(stored)


def end_problems(database: Connection) -> Iterator[str]:
    """Yield a problem if the stored end of a finished run does not match the last record."""
    stored = fact(database, END)
    if stored and stored != end(last(database)[1]):
        yield f"run: {END}: does not match the last record: records were removed or added, or the value was changed"


def link_existing(database: Connection) -> None:
    """Add digests and links to a run that was stored by a schema without a chain."""
    if not fact(database, "title"):  # no run has begun
        return
    database.execute("INSERT INTO run VALUES (?, ?)", (DIGESTS, digests(database)))
    before = start(fact(database, DIGESTS))
    for (match,) in database.execute("SELECT id FROM match ORDER BY id").fetchall():
        before = link(database, RECORD, match, before)
        database.execute(f"UPDATE match SET {LINK} = ? WHERE id = ?", (before, match))  # noqa: S608 - a constant name
    if fact(database, END):
        database.execute("UPDATE run SET value = ? WHERE key = ?", (end(before), END))


def _digests(database: Connection) -> dict[str, str]:
    """Return the digest of each fact and of each entrant that is stored at the beginning; events cover later entrants."""
    facts = _mappings(database, "SELECT * FROM run WHERE key NOT IN (?, ?) ORDER BY key", (DIGESTS, END))
    entrants = _mappings(database, "SELECT * FROM entrant ORDER BY place", ())
    first = [row for row in entrants if "event" not in row]  # the column is NULL
    rows = [(f"run: {row['key']}", row) for row in facts] + [(f"entrant: {row['name']}", row) for row in first]
    return {name: sha256(_line("", row)).hexdigest() for name, row in rows}


def _mappings(database: Connection, query: str, values: tuple[Any, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield rows as mappings from column to value, without NULL values and without the link."""
    cursor = database.execute(query, values)
    columns = [column for column, *_ in cursor.description]
    for row in cursor:
        yield {name: value for name, value in zip(columns, row, strict=True) if name != LINK and value is not None}


def _line(table: str, row: Mapping[str, Any]) -> bytes:
    return json.encode([table, row], order="sorted") + b"\n"


# The witness of a run: the links of its chain, each with its number and the time, in a file outside of the database.
#
# The chain shows that nothing in a database was changed, but not that nothing is missing at its end, nor that all of it was not
# computed again. So after a transaction its last link is added as a line of JSON to ``witness.jsonl`` beside the database, and to
# the file that the variable ``ARENA_WITNESS`` names, which may serve many runs; records that are stored within a second of each
# other share a line. A database that lacks a link of its witness was rolled back, or made anew.
#
# The line is written after the transaction. A process that is killed in between leaves a witness that lacks the last links of the
# database, which is no contradiction; a database that lacks links of the witness is one.
#
# This shows changes by a person who can change the database but not the witness. A person who can change both can make them agree.
# Then only copies that were handed out show it: reports, exports and receipts of uploads name a link, and ``arena verify --expect``
# looks for it in the chain.

NAME = "witness.jsonl"
VARIABLE = "ARENA_WITNESS"
PAUSE = 1.0  # seconds between two lines about records
LONGEST = 1000  # bytes of a line
ROLLBACK_ACCEPTED = "rollback-accepted"

log = logging.getLogger(__name__)


class SeenLink(Struct, frozen=True, kw_only=True):
    """A link of a chain, as it was seen."""

    run: Hash  # the start of the chain, by which runs are told apart
    count: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]  # records and events until then; an id that SQLite can hold
    link: Hash
    at: Moment  # when it was seen


class RollbackAccepted(Struct, frozen=True, kw_only=True, tag_field="event", tag=ROLLBACK_ACCEPTED, forbid_unknown_fields=True):
    """A person has accepted that the chain lacks links that a witness has seen. This event has the id of the first of them."""

    at: Moment
    count: Annotated[int, Meta(ge=0)]  # of the last link that was given up
    link: Hash  # that link
    reason: Annotated[str, Meta(max_length=10_000)] = ""


def accepted_rollback(content: str) -> RollbackAccepted | None:
    """Return the event of an accepted rollback; None: it is another event."""
    try:
        return json.decode(content, type=RollbackAccepted)
    except MALFORMED:
        return None


def seen_now(run: str, count: int, link: str) -> SeenLink:
    """Return a link as it is seen at this moment."""
    return SeenLink(run=run, count=count, link=link, at=now())


class WitnessLog:
    """A file of links that were seen, of one run or of many."""

    def __init__(self, path: Path, *, beside: bool) -> None:
        """``beside``: whether it lies beside the database; it then has only links of that run, or of a run that it has replaced."""
        self.path = path
        self.beside = beside
        self._failed = False

    def add(self, seen: SeenLink) -> None:
        """Add a link. A file that cannot be written is logged once, and no run stops for it. Raises: UnsafeFileError."""
        try:
            disk.append_line(self.path, json.encode(seen))
        except OSError as error:
            if not self._failed:
                log.warning("%s: cannot be written: %s", self.path, error.strerror)
            self._failed = True

    def of(self, run: str) -> Iterator[SeenLink]:
        """Yield the links of a run, in the order in which they were written; an invalid line is skipped.

        Raises: StoreError.
        """
        for line in self._lines():
            if run.encode() in line and (found := _decode(line)) and found.run == run:
                yield found

    def highest(self, run: str) -> list[SeenLink]:
        """Return the last link of a run, then each earlier one whose ``count`` is higher than all after it. Raises: StoreError.

        There are several if records were stored after a rollback.
        """
        found = list[SeenLink]()
        for seen in reversed(list(self.of(run))):
            if not found or seen.count > found[-1].count:
                found.append(seen)
        return found

    def other(self, run: str) -> SeenLink | None:
        """Return the last link in a log ``beside`` the database if it is of another run than ``run``. Raises: StoreError."""
        last = next(filter(None, map(_decode, reversed(list(self._lines())))), None) if self.beside else None
        return last if last and last.run != run else None

    def _lines(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                while line := file.readline(LONGEST):
                    yield line
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}") from None


def logs_of(database: Path) -> tuple[WitnessLog, ...]:
    """Return the witness logs of a database."""
    named = os.environ.get(VARIABLE, "")
    beside = WitnessLog(database.with_name(NAME), beside=True)
    if not named:
        return (beside,)
    path = Path(os.path.expanduser(named))  # noqa: PTH111 - Path.expanduser() raises for an unknown user
    return beside, WitnessLog(disk.real(path), beside=False)  # the user named it, with any link


class WitnessPen:
    """Writes the last link of one database: after an event, at most once a second after records, and at the end."""

    def __init__(self, database: Path, seen_link: Callable[[], SeenLink | None]) -> None:
        """``seen_link`` returns the last link as it is seen now; None: the run has not begun. It may raise StoreError.

        Raises: UnsafeFileError, before anything is stored that the witness could not see.
        """
        self._logs = logs_of(database)
        for one in self._logs:
            with suppress(OSError):
                disk.check_own(one.path)
        self._seen_link = seen_link
        self._last = ""  # the link of the last line; empty: none was written
        self._next = 0.0  # monotonic time from which a line is due
        self._is_behind = False  # whether something was stored that no witness has seen

    def hurry(self) -> None:
        """Make the next link due at once."""
        self._next = 0.0

    def write_if_due(self) -> None:
        """Write the last link after a transaction, if it is due. Raises: StoreError."""
        self._is_behind = True
        if time.monotonic() >= self._next:
            self._write()

    def close(self) -> None:
        """Write the last link, if no witness has seen it. Raises: StoreError."""
        if self._is_behind:
            self._write()

    def _write(self) -> None:
        if seen := self._seen_link():
            if seen.link != self._last:
                for one in self._logs:
                    one.add(seen)
            self._last, self._next, self._is_behind = seen.link, time.monotonic() + PAUSE, False


def _decode(line: bytes) -> SeenLink | None:
    try:
        return json.decode(line, type=SeenLink)
    except MALFORMED:
        return None
