"""Channels by counters that the kernel has for all processes together."""

import ctypes
import mmap
import os
import socket
import struct
from pathlib import Path

from rogues.channel import Counter, CovertChannel, channel
from rogues.rogue import Scene, call


@channel(one_core=True)
class NumbersOfPipes(Counter):
    """The number of a new pipe comes from a counter of the machine, of which a core reserves a thousand values at a time."""

    def number(self) -> int:
        ends = os.pipe()
        number = os.fstat(ends[0]).st_ino
        os.close(ends[0])
        os.close(ends[1])
        return number


@channel()
class NumbersOfSockets(Counter):
    def number(self) -> int:
        ends = socket.socketpair()
        number = os.fstat(ends[0].fileno()).st_ino
        ends[0].close()
        ends[1].close()
        return number


@channel()
class NumbersOfProcesses(Counter):
    MOVED, SEEN = 20, 15

    def number(self) -> int:
        child = os.fork()
        if child == 0:
            os._exit(0)
        return os.waitpid(child, 0)[0]


class _Amount(CovertChannel):
    """A resource that the sender uses for a one; the receiver sees how much of it is in use."""

    SIZE = 16 << 20

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.memory: list[mmap.mmap] = []

    def seen(self) -> int:
        """Return how much is in use, in bytes."""
        raise NotImplementedError

    def prepare(self, index: int) -> None:
        if index == 0:
            self.before = self.seen()

    def receive(self, index: int) -> bool:
        return self.seen() - self.before > self.SIZE // 2


@channel()
class MemoryInUse(_Amount):
    """sysinfo(2) returns how much memory of the machine is shared."""

    def send(self, index: int, bit: int) -> None:
        while self.memory:
            self.memory.pop().close()
        if bit:
            self.memory.append(mmap.mmap(-1, self.SIZE))
            self.memory[0].write(bytes(self.SIZE))

    def seen(self) -> int:
        found = ctypes.create_string_buffer(128)
        call("sysinfo", ctypes.addressof(found))
        return int(struct.unpack_from("Q", found.raw, 48)[0])


@channel()
class FreeSpace(_Amount):
    """statfs(2) returns how much of a file system is free; the log of a bot's stderr uses some."""

    def send(self, index: int, bit: int) -> None:
        Path(self.scene.stage, f"open/between-{self.scene.key}").write_bytes(bytes(self.SIZE * bit))

    def seen(self) -> int:
        found = os.statvfs(self.scene.stage)
        return (found.f_blocks - found.f_bfree) * found.f_bsize
