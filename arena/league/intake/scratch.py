"""Temporary folders for what is not complete yet, beside its final place.

A process that uses one holds a shared lock of the parent folder. So a process that gets the exclusive lock knows that all temporary
folders there are orphans of killed processes. Orphans older than STALE seconds are removed whenever a new folder is made.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from arena.disk import make_folder, real
from arena.errors import StoreError, naming_errors

PREFIX = ".new-"
STALE = 86_400.0  # seconds since a temporary folder was last changed, after which it counts as an orphan, locked or not


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Yield the absolute path of a new folder in ``parent``, which is removed at the end unless it was moved away.

    Raises: StoreError.
    """
    with hold_shared_lock(parent):
        with naming_errors(parent, "cannot be written"):
            for old in parent.glob(f"{PREFIX}*"):
                with suppress(FileNotFoundError):  # another submission has removed it meanwhile
                    if old.stat().st_mtime < time.time() - STALE:
                        shutil.rmtree(old, ignore_errors=True)
            folder = real(Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)))
        try:
            folder.chmod(0o755)  # the sandbox may run a bot as another user
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def hold_shared_lock(parent: Path) -> Iterator[None]:
    """Hold the shared lock of a folder, which is created if its own parent exists. Raises: StoreError."""
    with ExitStack() as stack:
        with naming_errors(parent, "cannot be written"):
            make_folder(parent.parent, parent.name)
            stack.enter_context(_lock(parent, fcntl.LOCK_SH))
        yield


@contextmanager
def try_exclusive_lock(parent: Path) -> Iterator[bool]:
    """Try to hold the exclusive lock of a folder, and yield whether that succeeded."""
    with ExitStack() as stack:
        try:
            stack.enter_context(_lock(parent, fcntl.LOCK_EX | fcntl.LOCK_NB))
        except OSError:  # another process has it, or the file system has no locks
            yield False
        else:
            yield True


@contextmanager
def _lock(folder: Path, operation: int) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, operation)
        yield
    finally:
        os.close(handle)


def move_into_place(folder: Path, place: Path) -> None:
    """Move a complete folder to ``place``, which is named after its content, unless a folder exists there. Raises: StoreError."""
    try:
        folder.rename(place)
    except OSError as error:
        if not place.is_dir():
            raise StoreError(f"{place}: cannot be written: {error.strerror}") from None
