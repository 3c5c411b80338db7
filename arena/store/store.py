"""Writes and reads the records of a run in its SQLite database.

Several processes may write, one transaction at a time, and others may read meanwhile.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from arena import signals
from arena.errors import DamagedError, NotBegunError, NotRecordedError, StoreError
from arena.moments import now
from arena.records import Fault, Fixture, Hash, LeftStates, Long, MatchRecord, Result, Short
from arena.roster.entrant import Entered
from arena.store import chain, file, match_rows, rows, schema, witness
from arena.store.file import DatabaseFile
from arena.store.problems import named_error
from arena.store.witness import SeenLink, Witness


def _file_problems(database: sqlite3.Connection) -> Iterator[str]:
    for check in (file.check, schema.check):
        try:
            check(database)
        except StoreError as error:
            yield f"arena.sqlite: {error}"


def _orphan_rows(database: sqlite3.Connection) -> Iterator[str]:
    for table, _, parent, _ in database.execute("PRAGMA foreign_key_check"):
        yield f"{table}: a row belongs to no {parent}"


# by table, the column with the id of the record or event of a row; events come last, because their ids say where the others are cut
CUT = {"fault": "match", "hand": "match", "game": "match", "match": "id", "entrant": "event", "event": "id"}


class StoredLink(NamedTuple):
    """A link of the chain."""

    matches: int  # number of records up to this link
    link: str

    @property
    def end(self) -> str:
        """Return the end of the chain if the run finished with this link: the hash that its report then shows instead of it."""
        return chain.end(self.link)


class Facts(dict[str, str]):
    """The facts about a run by key. A missing key raises DamagedError, since each is stored when the run begins."""

    def __init__(self, path: Path, facts: Mapping[str, str]) -> None:
        super().__init__(facts)
        self._path = path

    def __missing__(self, key: str) -> str:
        """Raise DamagedError."""
        raise DamagedError(f"{self._path}: run: {key!r} is missing")


class Store:
    """An open database. Use it as a context manager, which closes it."""

    def __init__(self, path: Path, *, write: bool = False, witnessed: bool = True) -> None:
        """Open a database; to write, create it if it does not exist. Raises: StoreError.

        ``witnessed``: whether links are written to the witness (:mod:`arena.store.witness`); not for a copy that is handed out.
        """
        if not write and not path.is_file():
            raise NotBegunError(f"{path}: no such file; expected the database of a run")
        self.path: Final = path
        self._file = DatabaseFile(path, write=write)
        self._names: frozenset[str] | None = None  # of the entrants, as they were read; None: the run had not begun
        self._names_version = -1  # of the file when they were read, by ``DatabaseFile.version``; -1: they must be read
        self._file.database.create_function("in_order", 1, _in_order, deterministic=True)
        if write and witnessed:
            self._witness = Witness(path)
            self._file.after_commit = self._tell_witness

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.database.close()

    def seen_link(self) -> SeenLink | None:
        """Return the last link, as it is seen now; None: the run has not begun. Raises: StoreError."""
        with self._file.naming_errors:
            database = self._file.database
            digests = chain.fact(database, chain.DIGESTS)
            if not digests:
                return None
            count, link = chain.last(database)
            return SeenLink(run=chain.start(digests), count=count, link=link, at=now())

    def link_at(self, count: int) -> str:
        """Return the link with a number among records and events: 0 is the start of the chain; empty: there are fewer.

        Raises: StoreError.
        """
        with self._file.naming_errors:
            return self._chain_start() if count == 0 else chain.link_at(self._file.database, count)

    def contradiction(self, seen: SeenLink | None) -> str:
        """Return in one line that the database lacks a link that its witness has seen; empty: it has it. Raises: StoreError.

        A run without records may have been replaced by a new one.
        """
        if seen is None or seen.count == 0 or self.link_at(seen.count) == seen.link:
            return ""
        what = f"an older copy, one that was made without {self.path.name}-wal, or changed"
        return f"the database lacks link {seen.count}, which {witness.WITNESS_FILE} has seen at {seen.at}: it is {what}"

    def check_witness(self) -> None:
        """Raise StoreError, which says how to continue, if the database lacks the last link of its witness."""
        if found := self.contradiction(witness.last_seen(self.path)):
            remedy = f"put the newer one back, or remove {witness.WITNESS_FILE} to continue without what is missing"
            raise StoreError(f"{self.path.parent}: {found}; {remedy}")

    def _tell_witness(self) -> None:
        if seen := self.seen_link():
            self._witness.add(seen)

    def begin(self, facts: Mapping[str, str], field: Sequence[Entered]) -> None:
        """Store the facts and entrants of a new run in one transaction. Raises: StoreError, also if there is a run."""
        entrants = [(place, *rows.entrant_values(bot, None)) for place, bot in enumerate(field)]
        with self.deciding():
            if self.has_begun():
                raise StoreError(f"{self.path.parent}: holds a run already; expected a new folder")
            self._file.database.executemany("INSERT INTO run VALUES (?, ?)", facts.items())
            self._file.database.executemany("INSERT INTO entrant VALUES (?, ?, ?, ?, ?, ?, ?)", entrants)
            self._file.database.execute("INSERT INTO run VALUES (?, ?)", (chain.DIGESTS, chain.digests(self._file.database)))
            # Read both back: an error here rolls back what could not be read later.
            self.facts()
            self._known_names()

    def withdraw(self) -> None:
        """Delete the facts, entrants and events of a run without records, because nothing can be played. Raises: StoreError."""
        with self.deciding():
            for table in ("run", "entrant", "event"):
                self._file.database.execute(f"DELETE FROM {table}")  # noqa: S608 - names from above

    def finish(self) -> None:
        """Mark the run as finished, with the end of the chain. Raises: StoreError."""
        with self._file.transaction():
            _, link = chain.last(self._file.database)
            self._file.database.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (chain.END, chain.end(link)))

    def has_begun(self) -> bool:
        """Tell whether the facts about a run are stored. Raises: StoreError."""
        return any(self._file.scan("SELECT 1 FROM run LIMIT 1"))

    def facts(self) -> Facts:
        """Return every fact about the run; empty before it has begun. Raises: DamagedError."""
        found = self._file.scan("SELECT key, value FROM run WHERE key != ? ORDER BY key LIMIT ?", (chain.DIGESTS, rows.MOST_FACTS))
        with self._file.naming_errors:
            return Facts(self.path, {key: rows.fact(key, value) for key, value in found})

    def begun_facts(self) -> Facts:
        """Return the facts about a run that has begun. Raises: StoreError, before then; DamagedError."""
        facts = self.facts()
        if not facts:
            raise StoreError(f"{self.path}: the run has not begun; arena run begins it")
        return facts

    def fact(self, key: str) -> str:
        """Return a fact about a run that has begun. Raises: StoreError, before then; DamagedError, if it is missing."""
        return self.begun_facts()[key]

    def field(self) -> tuple[Entered, ...]:
        """Return the entrants, in the order of the spec. Raises: DamagedError, also for more than a report shows."""
        return self._entrants(rows.MOST_SHOWN)

    def entrants(self) -> tuple[Entered, ...]:
        """Return every entrant, also of a league, in the order in which they were stored. Raises: DamagedError."""
        return self._entrants(rows.MOST_ENTRANTS)

    def _entrants(self, most: int) -> tuple[Entered, ...]:
        found = self._file.scan("SELECT name, version, source, digest, reads FROM entrant ORDER BY place LIMIT ?", (most + 1,))
        with self._file.naming_errors:
            field = tuple(map(rows.read_entrant, found))
            if len(field) > most:
                raise DamagedError(f"more than {most} entrants")
        return field

    def copy(self, path: Path) -> None:
        """Write a consistent copy of the database, as a single file, to ``path``. Raises: StoreError."""
        try:
            with closing(sqlite3.connect(path)) as copy:
                self._file.database.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise named_error(path, error) from None

    def into_one_file(self) -> None:
        """Move the write-ahead log into the database file, so that a reader creates no file beside it. Raises: StoreError."""
        with self._file.naming_errors:
            if self._file.database.execute("PRAGMA journal_mode = DELETE").fetchone() != ("delete",):
                raise StoreError("its write-ahead log cannot be emptied")

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Run the block as one transaction: no other process writes between what it reads and writes. Raises: StoreError."""
        self._names_version = -1
        try:
            with self._file.transaction():
                yield
        finally:
            self._names_version = -1  # an error has rolled back the entrants that were read

    def add_event(self, content: str, *entrants: Entered) -> None:
        """Store an event, and the entrants that it adds, in one transaction. Raises: StoreError, also for a name that is taken."""
        with self.deciding():
            database = self._file.database
            last, before = chain.last(database)
            number = last + 1
            database.execute("INSERT INTO event VALUES (?, ?, NULL)", (number, content))
            came = [(None, *rows.entrant_values(entrant, number)) for entrant in entrants]
            database.executemany("INSERT INTO entrant VALUES (?, ?, ?, ?, ?, ?, ?)", came)
            # read it back: an error here rolls back what could not be read later
            _event(content)
            self._known_names()
            link = chain.link(database, chain.EVENT, number, before)
            database.execute("UPDATE event SET chain = ? WHERE id = ?", (link, number))

    def revise(self, content: str, entrants: Sequence[Entered]) -> None:
        """Store an event by which a run grows, with its new entrants; the run is then no longer finished. Raises: StoreError."""
        with self.deciding():
            self._file.database.execute("DELETE FROM run WHERE key = ?", (chain.END,))
            self.add_event(content, *entrants)

    def fixtures_after(self, event: int) -> Iterator[str]:
        """Yield the ids of the fixtures stored after an event; ``event``: its number, from 0. Raises: DamagedError."""
        first = "(SELECT id FROM event ORDER BY id LIMIT 1 OFFSET ?)"
        for (fixture,) in self._file.scan(f"SELECT fixture FROM match WHERE id > {first}", (event,)):  # noqa: S608 - a constant
            with self._file.naming_errors:
                yield rows.check_row(Short, fixture, "fixture")

    def events(self, after: int = 0) -> Iterator[str]:
        """Yield the content of every event after the first ``after``, in the order in which they were stored.

        Raises: DamagedError.
        """
        for (content,) in self._file.scan("SELECT content FROM event ORDER BY id LIMIT -1 OFFSET ?", (after,)):
            with self._file.naming_errors:
                yield _event(content)

    def cut(self, events: int) -> None:
        """Delete what was stored after the first ``events`` events, from the next event on. Raises: StoreError."""
        with self.deciding():
            for table, column in CUT.items():
                first = "(SELECT id FROM event ORDER BY id LIMIT 1 OFFSET ?)"
                self._file.database.execute(f"DELETE FROM {table} WHERE {column} >= {first}", (events,))  # noqa: S608 - names from above

    def add(self, *records: MatchRecord) -> None:
        """Store records in one transaction, all or none. Raises: StoreError, also for a fixture that is already stored."""
        with self._file.transaction():
            last, link = chain.last(self._file.database)
            for match, record in enumerate(records, last + 1):
                match_rows.insert(self._file, match, record)
                # Read the record back: an error here rolls back what could not be read later.
                self.record(record.fixture.id)
                link = chain.link(self._file.database, chain.RECORD, match, link)
                self._file.database.execute("UPDATE match SET chain = ? WHERE id = ?", (link, match))

    def records(self, after: int = 0) -> Iterator[MatchRecord]:
        """Yield every record after the first ``after``, in the order in which they were stored, one in memory at a time.

        Raises: DamagedError.
        """
        return self._records("ORDER BY id LIMIT -1 OFFSET ?", (after,))

    def records_in_order(self) -> Iterator[MatchRecord]:
        """Yield every record in the order of the fixtures' names, one in memory at a time. Raises: DamagedError."""
        return self._records("ORDER BY in_order(fixture)", ())

    def in_order(self) -> Iterator[tuple[int, MatchRecord]]:
        """Yield every record with its id, in the order of the fixtures' names, which does not depend on the order of play.

        Ids rise in the order in which records were stored. ``HandRecord.spent`` is left empty: reading it takes as long as all
        else. Raises: DamagedError.
        """
        return match_rows.read(self._file, self._known_names(), "ORDER BY in_order(fixture)", timed=False)

    def count(self) -> int:
        """Return the number of records. Raises: StoreError."""
        ((found,),) = self._file.scan("SELECT count(*) FROM match")
        return int(found)

    def fixtures(self) -> Iterator[Fixture]:
        """Yield the fixture of every record, in the order in which they were stored. Raises: DamagedError."""
        for found in self._file.scan(f"SELECT {match_rows.FIXTURE} FROM match ORDER BY id"):  # noqa: S608 - a constant
            with self._file.naming_errors:
                yield match_rows.fixture(found)

    def records_of(self, beginning: str) -> Iterator[MatchRecord]:
        """Yield the records of the fixtures whose names begin with a text, as ``r12/``. Raises: DamagedError."""
        return self._records("WHERE fixture >= ? AND fixture < ? ORDER BY id", (beginning, f"{beginning}\U0010ffff"))

    def record(self, fixture: str) -> MatchRecord:
        """Return the record of a fixture. Raises: NotRecordedError, DamagedError."""
        for record in self._records("WHERE fixture = ?", (fixture,)):
            return record
        raise NotRecordedError(f"{self.path}: fixture {fixture!r} not found; arena replay {self.path.parent} lists them")

    def faults(self, first: int = -1) -> Iterator[tuple[str, str, Fault]]:
        """Yield entrant, fixture and fault of each fault that is not excused, in the order of the fixtures' names.

        ``first``: read only so many records, the first that were stored; -1: all. Raises: DamagedError.
        """
        query = """
            SELECT seat0, seat1, fixture, fault FROM fault JOIN match ON match = id
            WHERE match IN (SELECT id FROM match ORDER BY id LIMIT ?) ORDER BY in_order(fixture), number
        """
        for (seat0, seat1, fixture), found in groupby(self._file.scan(query, (first,)), itemgetter(0, 1, 2)):
            with self._file.naming_errors:
                faults = rows.read_faults((text for *_, text in found), str(fixture)).costly
            yield from (((seat0, seat1)[fault.seat], fixture, fault) for fault in faults)

    def left_states(self) -> Iterator[LeftStates]:
        """Yield the states that bots left, in the order in which the records were stored. Raises: DamagedError."""
        query = "SELECT fixture, seat0, seat1, state0, state1 FROM match WHERE state0 NOT NULL OR state1 NOT NULL ORDER BY id"
        for fixture, *found in self._file.scan(query):
            with self._file.naming_errors:
                values = {"fixture": fixture, "seats": found[:2], "states": found[2:]}
                yield rows.check_row(LeftStates, values, f"{fixture}")

    def results(self) -> list[Result]:
        """Return the result of each fixture that was played, in the order of the fixtures' names.

        Raises: DamagedError.
        """
        return match_rows.results(self._file, self._known_names())

    def _records(self, which: str, values: tuple[Any, ...] = ()) -> Iterator[MatchRecord]:
        return (record for _, record in match_rows.read(self._file, self._known_names(), which, values))

    def _known_names(self) -> frozenset[str] | None:
        """Return the names of the entrants; None before the run has begun. They are read again if another process has written."""
        version = self._file.version()
        if self._names_version != version:
            self._names = frozenset(bot.name for bot in self.entrants()) if self.has_begun() else None
            self._names_version = version
        return self._names

    def begin_snapshot(self) -> None:
        """Make all later reads see the database as it is now, even while a run writes to it. Raises: StoreError."""
        with self._file.naming_errors:
            self._file.database.execute("BEGIN")

    def problems(self) -> Iterator[str]:
        """Yield each integrity problem outside the records: of the file, tables, facts, entrants, events and the end of the run."""
        self._file.start_pass()
        for check in (_file_problems, _orphan_rows, chain.fact_problems, chain.event_problems, chain.end_problems):
            try:
                yield from check(self._file.database)
            except chain.BROKEN as error:
                signals.raise_if_stopped()
                yield f"arena.sqlite: {error}"
                return  # what follows cannot be read either

    def changes(self, after: str = "") -> Iterator[str]:
        """Yield each integrity problem, and each record that was changed; ``after`` as in ``check_records``."""
        yield from self.problems()
        for fixture, as_stored in self.check_records(after):
            if not as_stored:
                yield f"{fixture}: record altered after it was written"

    def check_records(self, after: str = "") -> Iterator[tuple[str, bool]]:
        """Yield each fixture, in the order in which records were stored, and whether its record is unchanged.

        ``after``: a link of the chain; only records that were stored after it are checked, so none if it is not there. Empty: all.
        """
        before = self._chain_start()
        begun = after in ("", before)
        for number, fixture, stored in self._file.scan(chain.LINKS):
            try:
                if fixture is not None and begun:
                    yield fixture, chain.link(self._file.database, chain.RECORD, number, before) == stored
            except chain.BROKEN:
                signals.raise_if_stopped()
                yield fixture, False
            # Continue from the stored link, so that only the changed record is reported and not all that follow it.
            before = str(stored)
            begun = begun or before == after

    def record_link(self, number: int) -> str:
        """Return the link of a record by its number among records alone, from 1; empty: there are fewer. Raises: StoreError."""
        found = self._file.scan("SELECT chain FROM match ORDER BY id LIMIT 1 OFFSET ?", (number - 1,)) if number > 0 else ()
        return next((str(link) for (link,) in found), "")

    def links(self) -> Iterator[StoredLink]:
        """Yield the start of the chain and the stored link of each record and event, in the order in which they were stored."""
        matches = 0
        yield StoredLink(matches, self._chain_start())
        for _, fixture, stored in self._file.scan(chain.LINKS):
            matches += fixture is not None
            yield StoredLink(matches, str(stored))

    def _chain_start(self) -> str:
        with self._file.naming_errors:
            return chain.start(chain.fact(self._file.database, chain.DIGESTS))

    def last_link(self) -> str:
        """Return the end of a finished run's chain, or the link of the last record or event so far. Raises: DamagedError."""
        with self._file.naming_errors:
            found = chain.fact(self._file.database, chain.END) or chain.last(self._file.database)[1]
            return rows.check_row(Hash, found, chain.LINK)


def _event(content: object) -> str:
    """Return the content of an event. Raises: DamagedError."""
    return rows.check_row(Long, content, "event: content")


def _in_order(fixture: str) -> str:
    """Return a sort key for a fixture's name that puts pair 2 before pair 10."""
    return re.sub(r"[0-9]+", lambda number: number[0].zfill(12), fixture)
