"""Writes a file that is whole or as it was before, whatever is killed, loses its power or finds the disk full.

The content is written to a draft beside the file, ``.NAME.new``, and is on the disk before the draft gets the file's name. A writer
locks the draft, so several may write the same file, and the draft of a writer that was killed is used again by the next.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def write(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file and wait until it is on the disk; ``private``: only its owner may read it. Raises: OSError."""
    draft = path.with_name(f".{path.name}.new")
    handle = _locked(draft, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "wb", closefd=False) as file:
            file.truncate()
            file.write(content)
            file.flush()
            os.fsync(handle)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    finally:
        os.close(handle)
    sync(path.parent)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk. Raises: OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(path: Path, mode: int = 0o600) -> int:
    """Lock a file, which is created if it does not exist, and return its handle, whose end is that of the lock. Raises: OSError.

    If the file is renamed or removed while this process waits, the file that has the name then is locked.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_still(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _locked(draft: Path, mode: int) -> int:
    try:
        return lock(draft, mode)
    except PermissionError:  # another user was killed as they wrote it; who owns the folder may remove it
        draft.unlink()
        return lock(draft, mode)


def _is_still(path: Path, handle: int) -> bool:
    """Return whether a path leads to the file of a handle, and not to another one or to none."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False
