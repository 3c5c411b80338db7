"""Channels by a futex in a page of a file that both ends may read: to send a one, the sender waits and the receiver wakes it."""

import mmap
import os
import struct
import time
from ctypes import addressof, create_string_buffer, string_at

from rogues.channel import CovertChannel, channel
from rogues.channels_by_file import mapped
from rogues.rogue import Scene, call, numbered_call

FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET = 0, 1, 9, 10
FUTEX_WAITV, NEW_WAKE, NEW_WAIT = 449, 454, 455
WAIT, LISTEN = 0.2, 0.05  # seconds


class _Futex(CovertChannel):
    flags = mmap.MAP_SHARED

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        file = os.open(os.__file__, os.O_RDONLY)
        self.word = mapped(file, self.flags)
        self.value = int.from_bytes(string_at(self.word, 4), "little")

    def send(self, index: int, bit: int) -> None:
        """Do nothing: ``after_send`` waits."""

    def after_send(self, index: int, bit: int) -> None:
        if bit:
            self.wait()

    def receive(self, index: int) -> bool:
        end = time.monotonic() + LISTEN
        while time.monotonic() < end:
            if self.woken():
                return True
        return False

    def wait(self) -> None:
        raise NotImplementedError

    def woken(self) -> int:
        raise NotImplementedError


@channel()
class SharedFutex(_Futex):
    def wait(self) -> None:
        call("futex", self.word, FUTEX_WAIT, self.value, struct.pack("qq", 0, int(WAIT * 1e9)), 0, 0)

    def woken(self) -> int:
        return call("futex", self.word, FUTEX_WAKE, 1, 0, 0, 0)


@channel()
class FutexInAPrivateMapping(SharedFutex):
    flags = mmap.MAP_PRIVATE


@channel()
class FutexWithABitset(_Futex):
    def wait(self) -> None:
        call("futex", self.word, FUTEX_WAIT_BITSET, self.value, _until(), 0, 1)

    def woken(self) -> int:
        return call("futex", self.word, FUTEX_WAKE_BITSET, 1, 0, 0, 1)


@channel()
class VectorOfFutexes(SharedFutex):
    def wait(self) -> None:
        waiter = create_string_buffer(struct.pack("QQII", self.value, self.word, 2, 0))
        numbered_call(FUTEX_WAITV, addressof(waiter), 1, 0, _until(), 1)


@channel()
class FutexOfTheNewCalls(_Futex):
    """Since Linux 6.7."""

    def wait(self) -> None:
        numbered_call(NEW_WAIT, self.word, self.value, 1, 2, _until(), 1)

    def woken(self) -> int:
        return numbered_call(NEW_WAKE, self.word, 1, 1, 2)


def _until() -> bytes:
    """Return the time of the timeout, as a timespec of CLOCK_MONOTONIC."""
    return struct.pack("qq", *divmod(time.monotonic_ns() + int(WAIT * 1e9), 10**9))
