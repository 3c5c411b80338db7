"""Folders for what is not complete yet, beside the place where it will be.

Who makes one holds a shared lock of the folder above until it is done with it, so that who has the exclusive one knows that
everything there was left by processes that were killed.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from arena.errors import StoreError
from arena.system import real

PREFIX = ".new-"
STALE = 86_400.0  # seconds after which a folder is of a submission that was killed


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Make a folder below ``parent`` that is removed at the end, if it is still there, and give its absolute path.

    Raises: StoreError.
    """
    with hold_shared_lock(parent):
        try:
            for old in parent.glob(f"{PREFIX}*"):
                with suppress(FileNotFoundError):  # another submission has removed it meanwhile
                    if old.stat().st_mtime < time.time() - STALE:
                        shutil.rmtree(old, ignore_errors=True)
            folder = real(Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)))
        except OSError as error:
            raise StoreError(f"{parent}: cannot be written: {error.strerror}") from None
        try:
            folder.chmod(0o755)  # the sandbox may run a bot as another user
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def hold_shared_lock(parent: Path) -> Iterator[None]:
    """Let others know that something is being made in a folder, which is created if its own parent is there. Raises: StoreError."""
    with ExitStack() as stack:
        try:
            parent.mkdir(exist_ok=True)
            stack.enter_context(_lock(parent, fcntl.LOCK_SH))
        except OSError as error:
            raise StoreError(f"{parent}: cannot be written: {error.strerror}") from None
        yield


@contextmanager
def try_exclusive_lock(parent: Path) -> Iterator[bool]:
    """Yield whether no process is writing in a folder, and keep others from it meanwhile."""
    with ExitStack() as stack:
        try:
            stack.enter_context(_lock(parent, fcntl.LOCK_EX | fcntl.LOCK_NB))
        except OSError:  # a process does, or the file system cannot tell
            yield False
        else:
            yield True


@contextmanager
def _lock(folder: Path, how: int) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)


def move_into_place(folder: Path, place: Path) -> None:
    """Move a complete folder to its place, which is named after its content, unless it is there. Raises: StoreError."""
    try:
        folder.rename(place)
    except OSError as error:
        if not place.is_dir():
            raise StoreError(f"{place}: cannot be written: {error.strerror}") from None
