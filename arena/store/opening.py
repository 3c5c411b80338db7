"""Opens a database: for writing, migrated to the newest schema; for reading, unchanged. A damaged one is refused."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from arena.errors import DamagedError, StoreError
from arena.store import limits, schema

WAIT = 60.0  # seconds for another process to end its transaction, which takes milliseconds
MOST_COPIED = 1 << 30  # bytes of a database with an older schema, which is read from a copy in memory


def connection_to_write(path: Path) -> sqlite3.Connection:
    """Return a connection for writing, migrated to the newest schema. Raises: sqlite3.Error, StoreError."""
    unclean = _write_ahead_log(path).exists()
    database = sqlite3.connect(path, timeout=WAIT)
    try:
        # The last writer did not close the database. Nothing may be added before the file is known to be intact.
        if unclean:
            check(database)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        schema.migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def connection_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection for reading a database that holds exactly our tables. Raises: sqlite3.Error, StoreError.

    A database with an older schema is copied into memory and migrated there; the file stays unchanged.
    """
    database = sqlite3.connect(_uri(path), uri=True)
    try:
        limits.restrict(database, path)
        database.execute("PRAGMA query_only = ON")
        schema.check(database)
        return _migrated_copy(database, path) if schema.version(database) < len(schema.MIGRATIONS) else database
    except BaseException:
        database.close()
        raise


def check(database: sqlite3.Connection) -> None:
    """Raise DamagedError if SQLite finds the database damaged. Source: PRAGMA integrity_check."""
    for (found,) in database.execute("PRAGMA integrity_check(1)"):
        if found != "ok":
            raise DamagedError(" ".join(str(found).split()))


def _migrated_copy(database: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    if path.stat().st_size > MOST_COPIED:
        raise StoreError(
            f"has schema {schema.version(database)} and is too large to migrate in memory; `arena run` migrates the file"
        )
    copy = sqlite3.connect(":memory:")
    try:
        limits.restrict(copy, path)
        with closing(database):
            database.backup(copy)
        schema.migrate(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _write_ahead_log(path: Path) -> Path:
    """Return the path of the log, which a writer removes when it closes the database."""
    return path.with_name(f"{path.name}-wal")


def _uri(path: Path) -> str:
    """Return the URI that opens a database read-only, also in a folder where SQLite may not create files beside it."""
    read_only_folder = not os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    # A log means that a run is writing or was killed. Opening as immutable would then ignore the log.
    has_log = _write_ahead_log(path).exists()
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if read_only_folder and not has_log else ''}"
