"""Fetches into memory what a sealed bot can still read: a page that is there already tells nothing when it is read again.

A bot may keep files open and mapped. Which of their pages are in memory lasts longer than the bot, and another process sees it by
the time that a page takes to read. So at the seal the harness reads all of them, which also updates their access times. To have
the kernel read ahead (posix_fadvise(2)) is not enough: it stops after a few megabytes. Folders that the bot has open are listed
for the same reason.
"""

import ctypes
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# What the harness sees of a bot's process in /proc: its memory and its files. Source: proc(5).
#
# The kernel shows them to a process of the same user. A harness that is root becomes that user while it looks, since a root in a
# container may not look into processes of others (CAP_SYS_PTRACE).

AT_FDCWD = -100
LONGEST_PATH = 4096  # bytes, its end included: PATH_MAX
PAGE = 4096
END_OF_ADDRESSES = 1 << 62  # of a process, on every machine; beyond are the kernel's
MAPPED = re.compile(rb"^\S+ \S+ \S+ (\S+) (\d+) +(/.*)$", re.MULTILINE)  # a line of /proc/PID/maps

MappedFile = tuple[bytes, bytes, bytes]  # device, inode and path
_library = ctypes.CDLL(None)


class ProcFolder:
    """The folder of a process in /proc. Each method raises OSError if the process has ended, or the kernel does not show it."""

    def __init__(self, pid: int) -> None:
        self._path = f"/proc/{pid}"

    @contextmanager
    def as_its_user(self) -> Iterator[None]:
        """Make this thread look and work with files as the process's user. Source: setfsuid(2)."""
        of_process = os.stat(self._path)
        if of_process.st_uid == os.geteuid():
            yield
            return
        _library.setfsgid(of_process.st_gid)
        _library.setfsuid(of_process.st_uid)
        try:
            yield
        finally:
            _library.setfsuid(os.geteuid())
            _library.setfsgid(os.getegid())

    def read_path(self, address: int) -> str:
        """Return the text at an address, up to its null byte; what is not UTF-8 has surrogates, as everywhere in ``os``."""
        text = b""
        with self._memory(address, os.O_RDONLY) as memory:
            while len(text) < LONGEST_PATH:
                at = address + len(text)
                found, end, _ = os.pread(memory, PAGE - at % PAGE, at).partition(b"\0")  # the next page may not exist
                text += found
                if end:
                    return os.fsdecode(text)
                if not found:  # the process has ended
                    break
        raise OSError(errno.ENAMETOOLONG, "a path without an end")

    def write(self, address: int, content: bytes) -> None:
        """Write to an address."""
        with self._memory(address, os.O_WRONLY) as memory:
            os.pwrite(memory, content, address)

    def path_of(self, folder: int) -> str:
        """Return the path of one of its open folders, as the process sees it; of AT_FDCWD: of its working folder."""
        return os.readlink(self._link(folder))

    def open_file(self, number: int) -> int:
        """Return one of its open files, opened again without access to the content (O_PATH)."""
        return os.open(self._link(number), os.O_PATH | os.O_CLOEXEC)

    def _link(self, number: int) -> str:
        return f"{self._path}/cwd" if number == AT_FDCWD else f"{self._path}/fd/{number}"

    def open_files(self) -> Iterator[str]:
        """Yield a path in /proc for each open file of each thread; threads need not have the same."""
        for thread in os.listdir(f"{self._path}/task"):
            with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                yield from (f"{self._path}/task/{thread}/fd/{number}" for number in os.listdir(f"{self._path}/task/{thread}/fd"))

    def mapped_files(self) -> set[MappedFile]:
        """Return the files that it has mapped. Its main thread must be alive."""
        with open(f"{self._path}/maps", "rb", buffering=0) as table:
            found = {*MAPPED.findall(table.read())}
        if not found:
            raise ProcessLookupError(errno.ESRCH, "the main thread has ended")
        return found

    def paths(self, file: MappedFile) -> Iterator[str]:
        """Yield the paths in /proc that a mapped file may have: its table has the same text for a newline and for its escape."""
        *_, path = file
        for text in {path, path.replace(rb"\012", b"\n")}:
            yield f"{self._path}/root{os.fsdecode(text)}"

    @contextmanager
    def _memory(self, address: int, flags: int) -> Iterator[int]:
        if address >= END_OF_ADDRESSES:
            raise OSError(errno.EFAULT, "not an address")
        memory = os.open(f"{self._path}/mem", flags | os.O_CLOEXEC)
        try:
            yield memory
        finally:
            with suppress(OSError):
                os.close(memory)


FRESH = 10.0  # seconds in which a file is not fetched again: the kernel drops pages only when it is short of memory


class _Fetched:
    """The mapped files that were fetched in the last seconds."""

    def __init__(self) -> None:
        self._files: set[MappedFile] = set()
        self._since = 0.0

    def files(self) -> set[MappedFile]:
        """Return the set, for the caller to add to."""
        now = time.monotonic()
        if now - self._since > FRESH:
            self._files, self._since = set(), now
        return self._files


def fetch(bot: ProcFolder) -> None:
    """Fetch every file and folder that a bot has open or mapped. What its user may not read, it may not either."""
    fetched = _recently.files()
    new = bot.mapped_files() - fetched
    for path in (*bot.open_files(), *(path for file in new for path in bot.paths(file))):
        with suppress(OSError):  # it has been closed, or removed
            _fetch(path)
    fetched |= new


def _fetch(path: str) -> None:
    kind = os.stat(path).st_mode
    if stat.S_ISDIR(kind):
        os.listdir(path)
    elif stat.S_ISREG(kind):
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            position = 0
            while count := os.preadv(file, [_buffer], position):
                position += count
        finally:
            os.close(file)


_recently = _Fetched()
_buffer = bytearray(1 << 20)  # for content that is not looked at
