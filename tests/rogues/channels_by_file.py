"""Channels by files that both ends may read: contents, times, attributes, locks, watches, and which pages are cached."""

import ctypes
import errno
import fcntl
import mmap
import os
import pydoc_data
import resource
import time
from pathlib import Path
from typing import IO

from rogues.channel import CovertChannel, channel
from rogues.rogue import Scene, call

F_OFD_GETLK, F_OFD_SETLK = 36, 37
IN_OPEN = 0x20
PAGE = mmap.PAGESIZE
MADV_RANDOM, MADV_PAGEOUT = 1, 21
QUIET_FILE = f"{pydoc_data.__path__[0]}/topics.py"  # on disk, not executed, and large


@channel(lasting=True)
class Notes(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        if bit:
            self._note(index).touch()

    def receive(self, index: int) -> bool:
        return self._note(index).exists()

    def _note(self, index: int) -> Path:
        return Path(self.scene.stage, f"open/between-{self.scene.key}-{index}")


@channel()
class MappedFile(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        with Path(self.scene.stage, "open/note").open("r+b") as file, mmap.mmap(file.fileno(), 1) as page:
            page[0] = b"01"[bit]

    def receive(self, index: int) -> bool:
        return Path(self.scene.stage, "open/note").read_bytes()[:1] == b"1"


class _Lock(CovertChannel):
    """A file that is locked for a one."""

    path = os.__file__

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.file: IO[bytes] = open(self.path.format(folder=scene.folder, stage=scene.stage), "rb")  # noqa: SIM115 - open until the process ends

    def lock(self, kind: int) -> None:
        raise NotImplementedError

    def send(self, index: int, bit: int) -> None:
        self.lock(fcntl.LOCK_EX if bit else fcntl.LOCK_UN)

    def receive(self, index: int) -> bool:
        try:
            self.lock(fcntl.LOCK_EX)
        except BlockingIOError:
            return True
        self.lock(fcntl.LOCK_UN)
        return False


@channel()
class LockOfAFile(_Lock):
    path = "{stage}/open/note"

    def lock(self, kind: int) -> None:
        fcntl.flock(self.file, kind | fcntl.LOCK_NB)


@channel()
class LockOfTheirInterpreter(LockOfAFile):
    path = os.__file__


@channel()
class RecordLock(_Lock):
    """A lock for reading, which any reader may set; the receiver asks whether a lock for writing is possible."""

    set, ask = fcntl.F_SETLK, fcntl.F_GETLK

    def send(self, index: int, bit: int) -> None:
        fcntl.fcntl(self.file, self.set, bytes([fcntl.F_RDLCK if bit else fcntl.F_UNLCK]) + bytes(31))

    def receive(self, index: int) -> bool:
        return fcntl.fcntl(self.file, self.ask, bytes([fcntl.F_WRLCK]) + bytes(31))[0] != fcntl.F_UNLCK


@channel()
class OpenFileLock(RecordLock):
    set, ask = F_OFD_SETLK, F_OFD_GETLK


@channel()
class Lease(CovertChannel):
    """A lease for writing is possible only on a file that no other process has open or leased."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.files: list[int] = []

    def send(self, index: int, bit: int) -> None:
        while self.files:
            os.close(self.files.pop())
        if bit:
            self.files.append(os.open(f"{self.scene.folder}/bait", os.O_RDONLY))
            fcntl.fcntl(self.files[0], fcntl.F_SETLEASE, fcntl.F_RDLCK)

    def receive(self, index: int) -> bool:
        file = os.open(f"{self.scene.folder}/bait", os.O_RDONLY)
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False


@channel()
class TimeOfAFile(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        os.utime(f"{self.scene.folder}/bait", (4242, 4242 + bit))

    def receive(self, index: int) -> bool:
        return os.stat(f"{self.scene.folder}/bait").st_mtime == 4243


@channel()
class AttributeOfAFile(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        os.setxattr(f"{self.scene.folder}/bait", "user.between", b"01"[bit : bit + 1])

    def receive(self, index: int) -> bool:
        return os.getxattr(f"{self.scene.folder}/bait", "user.between") == b"1"


@channel(lasting=True, by_seal=True)
class AccessTimes(CovertChannel):
    """A read updates a file's access time once, where the file system is mounted with relatime; the referee makes them old."""

    def send(self, index: int, bit: int) -> None:
        if bit:
            self._leaf(index).read_bytes()

    def receive(self, index: int) -> bool:
        return self._leaf(index).stat().st_atime > 10_000

    def _leaf(self, index: int) -> Path:
        return Path(self.scene.folder, f"leaf-{index}")


@channel()
class WatchOfAFile(CovertChannel):
    """The receiver is notified when the sender opens a file."""

    def prepare(self, index: int) -> None:
        self.watcher = call("inotify_init1", os.O_NONBLOCK)
        call("inotify_add_watch", self.watcher, os.__file__.encode(), IN_OPEN)

    def send(self, index: int, bit: int) -> None:
        if bit:
            Path(os.__file__).read_bytes()

    def receive(self, index: int) -> bool:
        try:
            return bool(os.read(self.watcher, 4096))
        except BlockingIOError:
            return False
        finally:
            os.close(self.watcher)


class CachedPages(CovertChannel):
    """Pages of a file on disk that only the bots read, cached for a one; the receiver counts page faults that wait for the disk."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.file = os.open(QUIET_FILE, os.O_RDONLY)
        self.address = mapped(self.file)
        ctypes.CDLL(None).madvise(ctypes.c_void_p(self.address), ctypes.c_long(128 * PAGE), MADV_RANDOM)

    def send(self, index: int, bit: int) -> None:
        if index == 0:
            self.evict()
        if bit:
            self.fetch(index)

    def evict(self) -> None:
        """Drop the file's pages from memory."""
        os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_DONTNEED)

    def fetch(self, index: int) -> None:
        """Read one page into memory, and no other."""
        ctypes.string_at(self.address + self.at(index), 1)

    def receive(self, index: int) -> bool:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        ctypes.string_at(self.address + self.at(index), 1)
        return resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before

    def at(self, index: int) -> int:
        """Return the offset of a bit's page."""
        return 2 * index * PAGE


@channel(lasting=True)
class PagesEvictedByAdvice(CachedPages):
    pass


@channel(lasting=True)
class PagesReadWithoutWaiting(CachedPages):
    def receive(self, index: int) -> bool:
        try:
            return bool(os.preadv(self.file, [bytearray(1)], self.at(index), os.RWF_NOWAIT))
        except BlockingIOError:
            return False


@channel(lasting=True)
class PagesFetchedByReadahead(PagesReadWithoutWaiting):
    def fetch(self, index: int) -> None:
        call("readahead", self.file, self.at(index), PAGE)
        end = time.monotonic() + 1  # the call starts to read and returns; a slow disk needs a while
        while not self.receive(index) and time.monotonic() < end:
            time.sleep(0.001)


@channel(lasting=True, root_only=True)
class PagesSeenByMincore(CachedPages):
    """mincore(2) answers only a process that may write to the file or owns it."""

    def receive(self, index: int) -> bool:
        seen = ctypes.create_string_buffer(1)
        if ctypes.CDLL(None, use_errno=True).mincore(ctypes.c_void_p(self.address + self.at(index)), ctypes.c_long(1), seen):
            raise OSError(ctypes.get_errno(), "mincore")
        return bool(seen.raw[0] & 1)


@channel(lasting=True, root_only=True)
class PagesPagedOut(CachedPages):
    """MADV_PAGEOUT drops pages that no other process maps, for the owner of the file."""

    def evict(self) -> None:
        for index in range(64):
            self.fetch(index)
        if ctypes.CDLL(None, use_errno=True).madvise(ctypes.c_void_p(self.address), ctypes.c_long(128 * PAGE), MADV_PAGEOUT):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mapped(file: int, flags: int = mmap.MAP_SHARED, pages: int = 128) -> int:
    """Map the first pages of a file for reading and return the address."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    address = library.mmap(None, ctypes.c_long(pages * PAGE), mmap.PROT_READ, flags, file, ctypes.c_long(0))
    if address in {None, 2**64 - 1}:
        raise OSError(ctypes.get_errno() or errno.EINVAL, "mmap")
    return int(address)
