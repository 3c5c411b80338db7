"""The open database file of a run: queries and transactions, with the file's name in every error."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from arena import disk, signals
from arena.errors import DamagedError, StoreError, naming_errors
from arena.store import chain, schema
from arena.store.problems import WAIT, is_writable, named_error, write_ahead_log
from arena.store.step_budget import restrict


def connection_to_write(path: Path) -> sqlite3.Connection:
    """Return a connection for writing; a new database gets our tables. Raises: sqlite3.Error, StoreError."""
    unclean = write_ahead_log(path).exists()
    database = sqlite3.connect(path, timeout=WAIT)
    try:
        # The last writer was killed, or another one is writing. Nothing may be added before the file is known to be intact.
        if unclean:
            check(database)
        schema.is_new(database)  # one of another arena is refused before anything is changed
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        schema.create(database)
    except BaseException:
        database.close()
        raise
    return database


def connection_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection for reading a database that holds exactly our tables. Raises: sqlite3.Error, StoreError."""
    database = sqlite3.connect(_uri(path), uri=True)
    try:
        restrict(database, path)
        database.execute("PRAGMA query_only = ON")
        # In one transaction: a writer may create the tables meanwhile.
        database.execute("BEGIN")
        with database:
            schema.check(database)
    except BaseException:
        database.close()
        raise
    return database


SIDE_FILES = ("-wal", "-shm", "-journal")  # that SQLite makes beside a database, the index even to read it


def check_files(path: Path, *, write: bool) -> None:
    """Check the files that SQLite opens; a database that is only read may have other names. Raises: StoreError."""
    with naming_errors(path, "cannot be opened"):
        for name in SIDE_FILES:
            disk.check_own(path.with_name(f"{path.name}{name}"))
        if write:
            disk.check_own(path)
        else:
            disk.inside(path.parent, path.name)


def check(database: sqlite3.Connection) -> None:
    """Raise DamagedError if SQLite finds the database damaged. Source: PRAGMA integrity_check."""
    for (found,) in database.execute("PRAGMA integrity_check(1)"):
        if found != "ok":
            raise DamagedError(" ".join(str(found).split()))


def _uri(path: Path) -> str:
    """Return the URI that opens a database read-only, also in a folder where SQLite may not create files beside it."""
    read_only_folder = not is_writable(path.parent)
    # A log means that a run is writing or was killed. Opening as immutable would then ignore the log.
    has_log = write_ahead_log(path).exists()
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if read_only_folder and not has_log else ''}"


SHOWN = 240  # characters of a text that cannot be stored
ROWS_AT_A_TIME = 20  # rows of a scan that are read at a time


class DatabaseFile:
    """A connection and the file that it was opened for."""

    def __init__(self, path: Path, *, write: bool) -> None:
        """Open the file; to write, create it if it does not exist; to read, limit the work of every query.

        Raises: StoreError, also for a link, because SQLite makes files beside what it leads to.
        """
        self._path = path
        self.naming_errors = _NamingErrors(path)
        self._naming_own = _NamingErrors(path, DamagedError)  # a caller's StoreError may be about another file
        self.after_commit: Callable[[], None] = lambda: None
        check_files(path, write=write)
        with self.naming_errors:
            self.database = connection_to_write(path) if write else connection_to_read(path)
            self._budget = None if write else restrict(self.database, path)  # again, for a budget to which passes are added
        self._identity = identity(path)

    def scan(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        """Yield the rows of a query that may read the whole file. Raises: StoreError."""
        self.start_pass()
        with self.naming_errors:
            cursor = self.database.execute(query, values)
        # Not ``yield from cursor``: if the caller stops early, the cursor would be closed when the generator is collected,
        # possibly after the database, and Python would report an unraisable exception.
        while some := self._fetch(cursor):
            yield from some

    def start_pass(self) -> None:
        """Allow the work of one more pass over the file."""
        if self._budget:
            self._budget.add_pass()

    def rows(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Return all rows of a query that reads a small part of the file: it adds no steps to the budget. Raises: StoreError."""
        with self.naming_errors:
            return self.database.execute(query, values).fetchall()

    def _fetch(self, cursor: sqlite3.Cursor) -> list[Any]:
        with self.naming_errors:
            return cursor.fetchmany(ROWS_AT_A_TIME)

    def version(self) -> int:
        """Return a number that changes when another connection has written. Source: PRAGMA data_version. Raises: StoreError."""
        ((found,),) = self.rows("PRAGMA data_version")
        return int(found)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction; a block inside another joins its transaction.

        Other processes may write too, as one that submits a bot to a league under way. The transaction excludes them from its
        beginning, so that what the block reads is still true when it writes. Raises: StoreError, also if the file was removed or
        replaced.
        """
        if self.database.in_transaction:
            yield
            return
        if identity(self._path) != self._identity:
            raise StoreError(f"{self._path}: removed or replaced while this run was writing it")
        with self._naming_own:
            self.database.execute("BEGIN IMMEDIATE")
            with self.database:
                yield
            self.after_commit()


class _NamingErrors:
    """Turns an error of SQLite, or of a ``kind``, in the block into one with the file's name. Raises: StoreError.

    A class, because it is entered for each row, and a generator took as long as reading it.
    """

    def __init__(self, path: Path, kind: type[StoreError] = StoreError) -> None:
        self._path = path
        self._kind = kind

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, chain.BROKEN):
            signals.raise_if_stopped()  # SQLite says "interrupted" if a signal's exception is raised in the progress handler
            raise named_error(self._path, error) from None
        if isinstance(error, UnicodeEncodeError):
            raise StoreError(f"{self._path}: cannot hold {error.object!r:.{SHOWN}}, which is not UTF-8 text") from None
        if isinstance(error, self._kind) and not str(error).startswith(f"{self._path}: "):
            raise type(error)(f"{self._path}: {error}") from None


def identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode, which differ if another file takes the name; None: the file does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
