"""Channels that no filter can close: processes share the hardware, and the memory that caches a file.

They are here to be measured; ``arena/players/confinement/README.md`` names them.
"""

import ctypes
import mmap
import os
import platform
import time
from typing import TYPE_CHECKING

from rogues.channel import CovertChannel, channel
from rogues.channels_by_file import PAGE, QUIET_FILE, CachedPages, mapped
from rogues.rogue import Scene

if TYPE_CHECKING:
    from collections.abc import Callable

FAR = 120 * PAGE  # a page of the file that no other channel uses

# A function of an address that returns the cycles a load from there takes, between two readings of rdtsc, and then flushes it.
TIME_AND_FLUSH = bytes.fromhex("0faef0 0faee8 0f31 48c1e220 4809d0 4989c0 8a0f 0faee8 0f31 48c1e220 4809d0 4c29c0 0fae3f c3")


@channel(lasting=True, unavoidable=True)
class PagesReadPlainly(CachedPages):
    """A page that was read is cached, and a page that is not cached takes a major fault to read. Each page serves once."""

    def evict(self) -> None:
        """Do nothing: the referee drops the pages, in place of a machine that is short of memory or has just started."""


@channel(unavoidable=True, one_core=True)
class SharedCore(CovertChannel):
    """A process on a core is slowed down by another process on it."""

    SPIN, LISTEN = 0.03, 0.02  # seconds

    def send(self, index: int, bit: int) -> None:
        """Do nothing: ``after_send`` uses the core."""

    def after_send(self, index: int, bit: int) -> None:
        end = time.monotonic() + self.SPIN * bit
        while time.monotonic() < end:
            pass

    def receive(self, index: int) -> bool:
        start, worked = time.monotonic(), time.thread_time()
        while time.monotonic() - start < self.LISTEN:
            pass
        return time.thread_time() - worked < 0.75 * self.LISTEN


@channel(unavoidable=True)
class SharedCache(CovertChannel):
    """A byte of a file that was just read is in the processor's cache, for every process that maps the file."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        if platform.machine() != "x86_64":
            raise OSError("the instructions are those of x86-64")
        self.byte = mapped(os.open(QUIET_FILE, os.O_RDONLY)) + FAR
        self.code = mmap.mmap(
            -1, PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        )
        self.code.write(TIME_AND_FLUSH)
        entry = ctypes.addressof(ctypes.c_char.from_buffer(self.code))
        self.cycles: Callable[[int], int] = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(entry)
        self.cycles(self.byte)
        self.threshold = (self._median(cached=True) + self._median(cached=False)) / 2

    def _median(self, *, cached: bool) -> int:
        """Return the median of the cycles that a load of the byte takes."""
        seen = []
        for _ in range(101):
            if cached:
                ctypes.string_at(self.byte, 1)
            seen.append(self.cycles(self.byte))
        return sorted(seen)[50]

    def prepare(self, index: int) -> None:
        self.cycles(self.byte)

    def send(self, index: int, bit: int) -> None:
        if bit:
            ctypes.string_at(self.byte, 1)

    def receive(self, index: int) -> bool:
        return self.cycles(self.byte) < self.threshold
