"""The memory and the files of a bot's process, in /proc. Source: proc(5).

The kernel shows them to a process of the same user. A harness that is root becomes that user meanwhile, because root in a
container may not read those of other users' processes (CAP_SYS_PTRACE).
"""

import ctypes
import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

AT_FDCWD = -100
LONGEST_PATH = 4096  # bytes, the null byte included: PATH_MAX
PAGE = 4096
END_OF_ADDRESSES = 1 << 62  # of a process, on every machine; beyond are the kernel's
READ_BYTES = 1 << 16
LONGEST_TABLE = 4 << 20  # bytes of /proc/PID/maps; of Java 0.1 MB, of a bot that maps a long path 65,530 times 270 MB
MAPPED = re.compile(rb"^\S+ \S+ \S+ (\S+) (\d+) +(/.*)$", re.MULTILINE)  # a line of /proc/PID/maps

MappedFile = tuple[bytes, bytes, bytes]  # device, inode and path
_library = ctypes.CDLL(None)


class ProcFolder:
    """The folder of a process in /proc. Each method raises OSError if the process has ended, or may not be examined."""

    def __init__(self, pid: int) -> None:
        self._path = f"/proc/{pid}"

    @contextmanager
    def as_its_user(self) -> Iterator[None]:
        """Make this thread access files as the process's user. Source: setfsuid(2)."""
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
        """Return the path of one of its open folders, as the process sees it; AT_FDCWD: its working folder."""
        return os.readlink(self._link(folder))

    def open_file(self, number: int) -> int:
        """Open one of its open files again, without access to the content (O_PATH); return the descriptor."""
        return os.open(self._link(number), os.O_PATH | os.O_CLOEXEC)

    def _link(self, number: int) -> str:
        return f"{self._path}/cwd" if number == AT_FDCWD else f"{self._path}/fd/{number}"

    def open_files(self) -> Iterator[str]:
        """Yield a path in /proc for each open file of each thread; threads need not have the same."""
        for thread in os.listdir(f"{self._path}/task"):
            with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                yield from (f"{self._path}/task/{thread}/fd/{number}" for number in os.listdir(f"{self._path}/task/{thread}/fd"))

    def mapped_files(self) -> set[MappedFile]:
        """Return the files that it has mapped. Its main thread must be alive, and the table of its memory not too long."""
        text = bytearray()
        with closing_file(os.open(f"{self._path}/maps", os.O_RDONLY | os.O_CLOEXEC)) as table:
            while chunk := os.read(table, READ_BYTES):
                text += chunk
                if len(text) > LONGEST_TABLE:
                    raise OSError(errno.E2BIG, f"the table of its mapped memory has more than {LONGEST_TABLE >> 20} MB (map less)")
        found = {*MAPPED.findall(text)}
        if not found:
            raise ProcessLookupError(errno.ESRCH, "the main thread has ended")
        return found

    def paths(self, file: MappedFile) -> Iterator[str]:
        r"""Yield the paths in /proc that a mapped file may have: in the table, ``\012`` is a newline or these four characters."""
        *_, path = file
        for text in {path, path.replace(rb"\012", b"\n")}:
            yield f"{self._path}/root{os.fsdecode(text)}"

    @contextmanager
    def _memory(self, address: int, flags: int) -> Iterator[int]:
        if address >= END_OF_ADDRESSES:
            raise OSError(errno.EFAULT, "not an address")
        with closing_file(os.open(f"{self._path}/mem", flags | os.O_CLOEXEC)) as memory:
            yield memory


@contextmanager
def closing_file(file: int) -> Iterator[int]:
    """Close an open file at the end."""
    try:
        yield file
    finally:
        os.close(file)
