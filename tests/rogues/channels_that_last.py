"""Channels that last when the sender has ended, and that only the seal closes: each uses what a bot needs until it is ready."""

import encodings
import os
import threading
import time

from rogues.channel import CovertChannel, channel
from rogues.channels_by_file import CachedPages
from rogues.rogue import Scene

SHARED_FOLDER = os.path.dirname(encodings.__file__)  # on a disk: a file system in memory does not remember which names are missing
NAMES = 7  # for each bit
OPENED = 56  # a bot may have 64 descriptors
OLD = 1_000_000  # seconds; the referee makes times of access older than that
FASTER = 0.75  # of the time that the look-up of a missing name takes, if the kernel remembers that it is missing


class _Names(CovertChannel):
    """The kernel remembers that a name is missing, and then finds that out faster, for every process."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.folder = os.open(SHARED_FOLDER, os.O_RDONLY | os.O_DIRECTORY)

    def look_up(self, name: str) -> None:
        """Look up a missing name."""
        raise NotImplementedError

    def send(self, index: int, bit: int) -> None:
        for number in range(NAMES * bit):
            self.look_up(f"{self.scene.key}-{index}-{number}")

    def receive(self, index: int) -> bool:
        fast = 0
        for number in range(NAMES):
            unknown = self._seconds(f"{self.scene.key}-{index}-{number}-unknown-{time.monotonic_ns()}")
            fast += self._seconds(f"{self.scene.key}-{index}-{number}") < FASTER * unknown
        return fast > NAMES // 2

    def _seconds(self, name: str) -> float:
        start = time.perf_counter()
        self.look_up(name)
        return time.perf_counter() - start


@channel(lasting=True, by_seal=True)
class MissingNames(_Names):
    def look_up(self, name: str) -> None:
        os.access(f"{SHARED_FOLDER}/{name}", os.F_OK)


@channel(lasting=True, by_seal=True, relayed=True)
class RelayedNames(MissingNames):
    """A third match's bot reads the names, and writes them again for the next."""


@channel(lasting=True, by_seal=True)
class MissingNamesInAnOpenFolder(_Names):
    def look_up(self, name: str) -> None:
        try:
            os.stat(name, dir_fd=self.folder)
        except FileNotFoundError:
            return


@channel(lasting=True, by_seal=True, cold=True)
class PagesReadPlainly(CachedPages):
    """A page that was read is in memory, and one that is not takes a major fault to read. Each page serves once."""

    def evict(self) -> None:
        """Do nothing: the referee drops the pages, in place of a machine that is short of memory or has just started."""


@channel(lasting=True, by_seal=True, cold=True)
class PagesReadFromAnOpenFile(PagesReadPlainly):
    def fetch(self, index: int) -> None:
        os.pread(self.file, 1, self.at(index))


@channel(lasting=True, by_seal=True, unavoidable=True, short_of_memory=True)
class PagesDroppedDuringPlay(PagesReadPlainly):
    """What the seal has read into memory is dropped again, as a machine does that is short of memory."""


class _TimesOfAccess(CovertChannel):
    """What is read gets a new time of access, once a day, where the file system is mounted with relatime."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.opened = [os.open(self.path(index), os.O_RDONLY) for index in range(OPENED)]

    def path(self, index: int) -> str:
        raise NotImplementedError

    def read(self, descriptor: int) -> None:
        raise NotImplementedError

    def send(self, index: int, bit: int) -> None:
        if bit and index < OPENED:
            self.read(self.opened[index])

    def receive(self, index: int) -> bool:
        return os.stat(self.path(index)).st_atime > OLD


@channel(lasting=True, by_seal=True)
class TimesOfOpenFiles(_TimesOfAccess):
    def path(self, index: int) -> str:
        return f"{self.scene.folder}/leaf-{index}"

    def read(self, descriptor: int) -> None:
        os.read(descriptor, 1)


@channel(lasting=True, by_seal=True)
class TimesOfOpenFolders(_TimesOfAccess):
    def path(self, index: int) -> str:
        return f"{self.scene.folder}/branch-{index}"

    def read(self, descriptor: int) -> None:
        os.listdir(descriptor)


class _NumberLeft(CovertChannel):
    """A counter of the machine that the sender leaves at a value."""

    BITS, STEP = 8, 32

    def number(self) -> int:
        """Move the counter by one, and return it."""
        raise NotImplementedError

    def send(self, index: int, bit: int) -> None:
        if index % self.BITS == self.BITS - 1:
            wanted = int(self.scene.bits[index - self.BITS + 1 : index + 1], 2)
            while (self.number() + self.STEP // 4) // self.STEP % (1 << self.BITS) != wanted:
                pass

    def receive(self, index: int) -> bool:
        if index % self.BITS == 0:
            self.seen = (self.number() + self.STEP // 4) // self.STEP % (1 << self.BITS)
        return bool(self.seen >> self.BITS - 1 - index % self.BITS & 1)


@channel(lasting=True, by_seal=True, bits_a_leg=4, threads=2, one_core=True)
class NumbersOfPipesLeft(_NumberLeft):
    """Sockets have the same counter. Between the two the harness skips up to 1,023 numbers, and other programs take some."""

    BITS, STEP = 4, 4096

    def number(self) -> int:
        ends = os.pipe()
        number = os.fstat(ends[0]).st_ino
        os.close(ends[0])
        os.close(ends[1])
        return number


@channel(lasting=True, by_seal=True, bits_a_leg=_NumberLeft.BITS, threads=8)
class NumbersOfThreadsLeft(_NumberLeft):
    """All processes of a process namespace draw the numbers of their threads from one sequence."""

    STEP = 8

    def number(self) -> int:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        assert thread.native_id
        return thread.native_id


@channel(lasting=True, by_seal=True, bits_a_leg=4, threads=8)
class OwnNumbersLeft(CovertChannel):
    """Every process and thread of the machine takes the next number. A process sees its own, or else a user number made of it."""

    BITS, STEP, MODULUS = 4, 28, 478  # MODULUS: of the user numbers that no distribution assigns

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.number = os.getuid() if os.getpid() == 1 else os.getpid()

    def send(self, index: int, bit: int) -> None:
        if index % self.BITS == self.BITS - 1:
            wanted = int(self.scene.bits[index - self.BITS + 1 : index + 1], 2)
            for _ in range((wanted * self.STEP + self.STEP // 3 - self.number) % self.MODULUS):
                thread = threading.Thread(target=int)
                thread.start()
                thread.join()

    def receive(self, index: int) -> bool:
        return bool(self.number % self.MODULUS // self.STEP >> self.BITS - 1 - index % self.BITS & 1)
