"""Before a bot is sealed, the harness reads into memory all files that the bot can still read: reading them again leaves no trace.

A bot may keep files open and mapped. A page that it reads stays in memory when the bot has ended, and another process sees this
by the time that reading the page takes. So at the seal the harness reads all of them, which also updates their access times.
Having the kernel read ahead (posix_fadvise(2)) is not enough: it stops after a few megabytes. Folders that the bot has open are
listed for the same reason.

A bot may have one file open many times, in each of its threads and in each of its processes: it is fetched once in FRESH seconds.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from arena.confinement.process_files import MappedFile, ProcFolder, closing_file
from arena.confinement.schedstat import thread_times

EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)  # errors of the machine, not of a bot
FRESH = 10.0  # seconds in which no file is fetched again: the kernel drops pages only when it is short of memory
# Bytes of all files that a bot may have open and mapped: the libraries of a framework for neural networks with those of graphics
# cards have 3 GB. They are read in 0.7 s if they are in memory.
MOST_BYTES = 4 << 30
WAITS = "/proc/thread-self/schedstat"
# For the files that are not in memory, without waits for a core: 600 MB of weights from a disk that reads 20 MB/s.
MOST_SECONDS = 30.0


class FileIdentity(NamedTuple):
    """A file or folder, with the time of its last change, because the number of a removed file is used again."""

    device: int
    inode: int
    changed: int  # in nanoseconds
    size: int  # bytes; 0: a folder
    is_folder: bool


class FetchedFiles:
    """The files that were fetched since a moment, by any thread."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        self.files: set[FileIdentity] = set()
        self.mapped: dict[MappedFile, FileIdentity] = {}  # those that were mapped


class _Recent:
    """The files that were fetched in the last FRESH seconds."""

    def __init__(self) -> None:
        self._latest = FetchedFiles()

    def files(self) -> FetchedFiles:
        """Return them, for the caller to add to."""
        if time.monotonic() - self._latest.since > FRESH:
            self.forget()
        return self._latest

    def forget(self) -> None:
        """Begin anew."""
        self._latest = FetchedFiles()


def fetch(bot: ProcFolder) -> None:
    """Fetch every file and folder that a bot has open, and every file that it has mapped, unless its user may not read it.

    One that was fetched less than FRESH seconds ago is left out. Raises: OSError, if they are more than a bot may have.
    """
    fetched = _recent.files()
    paths = dict(_mapped(bot, fetched))
    paths |= {file: path for path in bot.open_files() if (file := _identity(path))}
    size = sum(file.size for file in paths)
    if size > MOST_BYTES:
        raise OSError(
            errno.EFBIG, f"its open and mapped files have {size / 1e9:.1f} GB; allowed: {MOST_BYTES / 1e9:.1f} GB (close some)"
        )
    deadline = _usable_time() + MOST_SECONDS
    for file, path in paths.items():
        if file not in fetched.files:
            with _ignoring_closed_files():
                _fetch(file, path, deadline)
                fetched.files.add(file)


def _mapped(bot: ProcFolder, fetched: FetchedFiles) -> Iterator[tuple[FileIdentity, str]]:
    """Yield the files that a bot has mapped, each with a path in /proc; empty: it was fetched."""
    for mapped in bot.mapped_files():
        known = fetched.mapped.get(mapped)
        if known in fetched.files:
            yield known, ""
            continue
        for path in bot.paths(mapped):
            if file := _identity(path):
                fetched.mapped[mapped] = file
                yield file, path
                break


def _identity(path: str) -> FileIdentity | None:
    """Return the identity of a file or folder; None: it is neither, or was closed or removed, or its user may not examine it."""
    with _ignoring_closed_files():
        found = os.stat(path)
        is_folder = stat.S_ISDIR(found.st_mode)
        if is_folder or stat.S_ISREG(found.st_mode):
            return FileIdentity(found.st_dev, found.st_ino, found.st_ctime_ns, 0 if is_folder else found.st_size, is_folder)
    return None


def _fetch(file: FileIdentity, path: str, deadline: float) -> None:
    """Read a file or list a folder. Raises: TimeoutError, after ``deadline`` in usable time; OSError."""
    if file.is_folder:
        os.listdir(path)
        return
    with closing_file(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as opened:
        position = 0
        while position < file.size and (count := os.preadv(opened, [_buffer], position)):
            position += count
            if _usable_time() > deadline:
                raise TimeoutError(
                    errno.ETIMEDOUT, f"its open and mapped files could not be read within {MOST_SECONDS:g} s (close some)"
                )


def _usable_time() -> float:
    """Return monotonic seconds less those for which this thread waited for a core. Raises: OSError, of this machine."""
    try:
        _, waited = thread_times(WAITS)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in EXHAUSTED:  # to forget all waits at one reading would blame the bot
            raise
        waited = 0.0  # the kernel does not count
    return time.monotonic() - waited


@contextmanager
def _ignoring_closed_files() -> Iterator[None]:
    """Ignore the error of a file that was closed or removed, or that its user may not read. Raises: OSError, of this machine."""
    try:
        yield
    except OSError as error:
        if isinstance(error, TimeoutError) or error.errno in EXHAUSTED:
            raise


_recent = _Recent()
_buffer = bytearray(1 << 20)  # for content that is not used
