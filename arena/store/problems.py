"""The problem of a database in words.

SQLite passes on the kind of an error of the operating system and not its reason, so the system is asked again.
"""

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from arena.errors import DamagedError, StoreError

WAIT = 60.0  # seconds for another process to end its transaction, which takes milliseconds
INTERRUPTED = "interrupted"  # SQLite's message for a statement that a progress handler has stopped
INTACT_FILE_ERRORS = (sqlite3.OperationalError, sqlite3.IntegrityError, sqlite3.ProgrammingError)  # also raised for an intact file
# the beginnings of OperationalErrors about a stored value: a text that is not UTF-8, read or sorted, and a sum that is too large
VALUE_ERRORS = ("Could not decode to UTF-8", "user-defined function raised exception", "integer overflow")
OF_SYSTEM = {  # by the primary code of SQLite: what could not be done
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_FULL: "cannot be written",
    sqlite3.SQLITE_IOERR: "cannot be read or written",
    sqlite3.SQLITE_READONLY: "cannot be written",
}
LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
ROOM = 1 << 16  # bytes; SQLite's index of a log has half of that at first


def named_error(path: Path, error: Exception) -> StoreError:
    """Return an error of SQLite as a StoreError with the file's name; a DamagedError, if the file may be damaged."""
    if str(error) == INTERRUPTED:
        return DamagedError(f"{path}: takes more work to read than an intact database of its size")
    is_damaged = not isinstance(error, INTACT_FILE_ERRORS) or str(error).startswith(VALUE_ERRORS)
    return (DamagedError if is_damaged else StoreError)(f"{path}: {_reason(path, error)}")


def _reason(path: Path, error: Exception) -> str:
    """Return the problem of a database in words; if the operating system has caused it, with what the system says."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    primary = code & 0xFF  # the rest of an extended code tells where; https://www.sqlite.org/rescode.html
    if primary in LOCKED:
        return f"another process has kept it locked for {WAIT:.0f} s"
    if primary not in OF_SYSTEM:
        return str(error)
    reason = os.strerror(errno.ENOSPC) if code == sqlite3.SQLITE_FULL else _refusal(path)
    return f"{OF_SYSTEM[primary]}: {reason or f'{error} ({error.sqlite_errorname})'}"  # type: ignore[attr-defined] # it has a code


def _refusal(path: Path) -> str:
    """Return what the system says to a process that writes to a database and beside it; empty: it lets it."""
    try:
        # not opened: when this process closes a file, it loses the locks that SQLite has on it
        if path.exists() and not is_writable(path):
            return os.strerror(errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES)
        with TemporaryFile(dir=path.parent) as beside:
            beside.seek(size(path))  # a limit may be on the size of a file
            beside.write(bytes(ROOM))
            beside.flush()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def size(path: Path) -> int:
    """Return the bytes of a database and its write-ahead log."""
    total = 0
    for name in (path, write_ahead_log(path)):
        with suppress(OSError):
            total += name.stat().st_size
    return total


def is_writable(path: Path) -> bool:
    """Tell whether this process may write to a file, or make files in a folder."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def write_ahead_log(database: Path) -> Path:
    """Return the path of the log, which a writer removes when it closes the database."""
    return database.with_name(f"{database.name}-wal")
