"""An SQLite file, opened, judged and closed; whatever SQLite says against it is told with the file's name.

SQLite takes its write-ahead log away when the last connection closes in good order. One that is still there was left by a run
that was killed: then the whole file is checked before anything is written. Source: https://sqlite.org/wal.html, section 4.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arena.errors import StoreError, in_one_line
from arena.store.chain import Change, changes
from arena.store.schema import CHANGES, known, migrate


class Database:
    """A connection."""

    def __init__(self, path: Path, *, write: bool) -> None:
        """Open a file; make it, if it is to be written. Raises: StoreError."""
        if not write and not path.is_file():
            raise StoreError(f"{path}: no such file; expected the database of a run")
        self._path = path
        with self._told():
            self._connection = _to_write(path) if write else _to_read(path)
            self._file = _identity(path)

    def close(self) -> None:
        """Close it."""
        with self._told():
            self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for one transaction: all of it is filed, or nothing. Raises: StoreError."""
        if _identity(self._path) != self._file:
            raise StoreError(f"{self._path}: has vanished, or another file has taken its place; nothing can be filed any more")
        with self._told(), self._connection:
            yield self._connection

    def rows(self, query: str, values: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the rows of a query. Raises: StoreError."""
        with self._told():
            yield from self._connection.execute(query, values)

    def changes(self) -> Iterator[Change]:
        """Yield whatever is not as it was filed, at one moment of a run that may go on."""
        with self._told():
            self._connection.execute("BEGIN")
            try:
                yield from (Change("database", damage) for damage in _damages(self._connection))
                yield from changes(self._connection)
            finally:
                with suppress(sqlite3.ProgrammingError):  # whoever had heard enough has closed it
                    self._connection.rollback()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, StoreError, UnicodeDecodeError, OverflowError) as error:  # of a name or number that was damaged
            raise StoreError(f"{self._path}: {in_one_line(str(error))}") from None


def _to_write(path: Path) -> sqlite3.Connection:
    left = path.with_name(f"{path.name}-wal").exists()
    database = sqlite3.connect(path)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        known(database)
        if left:
            _check(database)
        migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def _check(database: sqlite3.Connection) -> None:
    """Make sure that a file is whole. Raises: StoreError, with the first damage."""
    for damage in _damages(database):
        raise StoreError(f"was not closed in good order, and is damaged: {damage}")


def _to_read(path: Path) -> sqlite3.Connection:
    """Open a file for reading; one of an older schema is read as a copy in memory, which is brought to the newest."""
    database = sqlite3.connect(_uri(path), uri=True)
    if known(database) in (0, len(CHANGES)):
        return database
    copy = sqlite3.connect(":memory:")
    database.backup(copy)
    database.close()
    migrate(copy)
    return copy


def _uri(path: Path) -> str:
    """Return the URI that opens a database for reading; in a folder where SQLite may not lay its files beside it, as it stands."""
    still = not os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    written = path.with_name(f"{path.name}-wal").exists()  # by a run that goes on, or was killed: then it does not stand still
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still and not written else ''}"


def _identity(path: Path) -> tuple[int, int] | None:
    """Return which file stands at a path; None: none does."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _damages(database: sqlite3.Connection) -> Iterator[str]:
    """Yield what SQLite finds wrong with the file itself."""
    for (damage,) in database.execute("PRAGMA integrity_check"):
        if damage != "ok":
            yield f"{damage}"
    for table, _, parent, _ in database.execute("PRAGMA foreign_key_check"):
        yield f"a row of table {table} belongs to no row of {parent}"
