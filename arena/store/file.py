"""The open database file of a run: queries and transactions, with the file's name in every error."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from arena.errors import DamagedError, StoreError
from arena.store import chain, limits, opening

INTACT_FILE_ERRORS = (sqlite3.OperationalError, sqlite3.IntegrityError, sqlite3.ProgrammingError)  # also raised for an intact file

TOGETHER = 20  # rows of a scan that are read at a time


class DatabaseFile:
    """A connection and the file that it was opened for."""

    def __init__(self, path: Path, connect: Callable[[Path], sqlite3.Connection]) -> None:
        """Open the file. Raises: StoreError."""
        self._path = path
        self._naming = _Naming(path)
        self._budget: limits.StepBudget | None = None
        self.after_commit: Callable[[], None] = lambda: None
        with self.naming_errors():
            self.database = connect(path)
        self._identity = identity(path)

    def with_limits(self) -> Self:
        """Limit the work of every later query, and return the file."""
        with self.naming_errors():
            self._budget = limits.restrict(self.database, self._path)
        return self

    def scan(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        """Yield the rows of a query that may read the whole file. Raises: StoreError."""
        self.start_pass()
        with self.naming_errors():
            cursor = self.database.execute(query, values)
        # Not ``yield from cursor``: if the caller stops early, the cursor would be closed when the generator is collected,
        # possibly after the database, and Python would report an unraisable exception.
        while several := self._next(cursor):
            yield from several

    def start_pass(self) -> None:
        """Allow the work of one more pass over the file."""
        if self._budget:
            self._budget.add_pass()

    def rows(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Return the rows of a query that reads what belongs to one row of a scan. Raises: StoreError."""
        with self.naming_errors():
            return self.database.execute(query, values).fetchall()

    def _next(self, cursor: sqlite3.Cursor) -> list[Any]:
        with self.naming_errors():
            return cursor.fetchmany(TOGETHER)

    def version(self) -> int:
        """Return a number that changes when another connection has written. Source: PRAGMA data_version. Raises: StoreError."""
        ((found,),) = self.rows("PRAGMA data_version")
        return int(found)

    def execute_many(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Execute a statement for each row, inside ``writing``."""
        self.database.executemany(statement, rows)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Run the block as one transaction; a block inside another joins its transaction.

        Another process may write too, as a submission to a league that is played. The transaction excludes it from the beginning,
        so that what the block reads is still true when it writes. Raises: StoreError, also if the file was removed or replaced.
        """
        if self.database.in_transaction:
            yield
            return
        if identity(self._path) != self._identity:
            raise StoreError(f"{self._path}: removed or replaced while this run was writing it")
        with self.naming_errors():
            self.database.execute("BEGIN IMMEDIATE")
            with self.database:
                yield
            self.after_commit()

    def naming_errors(self) -> "_Naming":
        """Put the file's name before the message of any error in the block. Raises: StoreError."""
        return self._naming


class _Naming:
    """The context of ``naming_errors``. It is entered for each row that is read; made of a generator it took as long as the row."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, chain.BROKEN):
            raise _named_error(self._path, error) from None
        if isinstance(error, StoreError) and not str(error).startswith(f"{self._path}: "):
            raise type(error)(f"{self._path}: {error}") from None


def to_write(path: Path) -> DatabaseFile:
    """Open a database for writing; create it if it does not exist. Raises: StoreError."""
    return DatabaseFile(path, opening.connection_to_write)


def to_read(path: Path) -> DatabaseFile:
    """Open a database for reading, with the limits for an untrusted file. Raises: StoreError."""
    return DatabaseFile(path, opening.connection_to_read).with_limits()


def _named_error(path: Path, error: Exception) -> StoreError:
    """Return an error of SQLite as one with the file's name."""
    if str(error) == limits.INTERRUPTED:
        return DamagedError(f"{path}: takes more work to read than an intact database of its size")
    return (StoreError if isinstance(error, INTACT_FILE_ERRORS) else DamagedError)(f"{path}: {error}")


def identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode, which differ if another file takes the name; None: the file does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
