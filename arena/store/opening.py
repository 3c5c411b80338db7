"""How a database is opened: to be written, brought to the newest schema; to be read, as it stands; and sound, or not at all."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from arena.errors import DamagedError
from arena.store import schema


def to_write(path: Path) -> sqlite3.Connection:
    """Return a connection that may write, to the newest schema. After an unclean end everything is looked at first.

    Raises: sqlite3.Error, StoreError.
    """
    unclean = _write_ahead(path).exists()
    database = sqlite3.connect(path)
    try:
        if unclean:
            check(database)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        schema.migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that reads. Raises: sqlite3.Error, StoreError.

    What an older arena has filed is read from a copy in memory that is brought to the newest schema; the file stays as it is.
    """
    database = sqlite3.connect(_uri(path), uri=True)
    try:
        version = schema.known(database)
        return _brought_up(database) if 0 < version < len(schema.CHANGES) else database
    except BaseException:
        database.close()
        raise


def check(database: sqlite3.Connection) -> None:
    """Raise DamagedError if SQLite finds the database broken. Source: PRAGMA integrity_check."""
    for (found,) in database.execute("PRAGMA integrity_check(1)"):
        if found != "ok":
            raise DamagedError(" ".join(str(found).split()))


def _brought_up(database: sqlite3.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    try:
        with closing(database):
            database.backup(copy)
        schema.migrate(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _write_ahead(path: Path) -> Path:
    """Return the file that a writer leaves behind only if it did not come to close the database."""
    return path.with_name(f"{path.name}-wal")


def _uri(path: Path) -> str:
    """Return the URI that opens a database for reading; in a folder where SQLite may not lay its files beside it, as it stands."""
    still = not os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    written = _write_ahead(path).exists()  # by a run that goes on, or was killed: then it does not stand still
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still and not written else ''}"
