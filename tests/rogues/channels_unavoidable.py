"""Channels that no filter can close: processes share the hardware, and the memory that caches a file.

They are here to be measured; ``arena/confinement/README.md`` names them.
"""

import ctypes
import os
import time

from rogues.channel import BITS, CovertChannel, channel
from rogues.channels_by_file import PAGE, QUIET_FILE, mapped
from rogues.rogue import Scene
from rogues.spies import Stopwatch

FAR = 120 * PAGE  # a page of the file that no other channel uses


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
        self.byte = mapped(os.open(QUIET_FILE, os.O_RDONLY)) + FAR
        self.watch = Stopwatch()

    def prepare(self, index: int) -> None:
        self.watch.is_cached(self.byte)

    def send(self, index: int, bit: int) -> None:
        if bit:
            ctypes.string_at(self.byte, 1)

    def receive(self, index: int) -> bool:
        return self.watch.is_cached(self.byte)


@channel(lasting=True, unavoidable=True, one_core=True)
class CacheLeftBehind(CovertChannel):
    """What the sender has read stays in the processor's cache until something else takes its place."""

    SPACING = PAGE + 3 * 64  # bytes between two bits, against fetching ahead

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.watch = Stopwatch()
        start = mapped(os.open(QUIET_FILE, os.O_RDONLY))
        self.bytes = [start + index * self.SPACING for index in range(BITS)]
        if scene.bits:
            for byte in self.bytes:
                self.watch.is_cached(byte)

    def send(self, index: int, bit: int) -> None:
        if index == BITS - 1:
            for byte, one in zip(self.bytes, self.scene.bits, strict=True):
                if one == "1":
                    ctypes.string_at(byte, 1)

    def receive(self, index: int) -> bool:
        return self.watch.is_cached(self.bytes[index])
