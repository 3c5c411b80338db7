"""Spies: a bot that sees what an honest opponent's code looks up, by memory that both share.

The spy flushes a line of memory from the processor's cache, the opponent plays, and the spy measures how long a load takes: it is
fast if the opponent has used the line. Here the opponent is the sender; a one is a hand that it evaluates, and so a line.
"""

import ctypes
import mmap
import os
import platform
import time
from typing import TYPE_CHECKING

from rogues.channel import CovertChannel, channel
from rogues.channels_by_file import PAGE, mapped
from rogues.rogue import Scene

import arena.gin.melds

if TYPE_CHECKING:
    from collections.abc import Callable

# A function of an address that returns the cycles a load from there takes, between two readings of rdtsc, and then flushes it.
TIME_AND_FLUSH = bytes.fromhex("0faef0 0faee8 0f31 48c1e220 4809d0 4989c0 8a0f 0faee8 0f31 48c1e220 4809d0 4c29c0 0fae3f c3")
ITEMS = 24  # where a list has the address of its items: struct PyListObject


class Stopwatch:
    """Measures loads from memory, in cycles."""

    def __init__(self) -> None:
        if platform.machine() != "x86_64":
            raise OSError("the instructions are those of x86-64")
        self.code = mmap.mmap(
            -1, PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        )
        self.code.write(TIME_AND_FLUSH)
        entry = ctypes.addressof(ctypes.c_char.from_buffer(self.code))
        self.cycles: Callable[[int], int] = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(entry)
        own = ctypes.create_string_buffer(PAGE)
        byte = ctypes.addressof(own) + PAGE // 2
        self.cycles(byte)
        self.threshold = (self._median(byte, cached=True) + self._median(byte, cached=False)) / 2

    def is_cached(self, address: int) -> bool:
        """Return whether a byte is in the cache, and flush it."""
        return self.cycles(address) < self.threshold

    def _median(self, address: int, *, cached: bool) -> int:
        seen = []
        for _ in range(101):
            if cached:
                ctypes.string_at(address, 1)
            seen.append(self.cycles(address))
        return sorted(seen)[50]


class _Spy(CovertChannel):
    """A byte that the opponent uses for a one."""

    seen = 0  # its address, in the eyes of the spy

    def prepare(self, index: int) -> None:
        if index == 0:
            self.watch = Stopwatch()
        self.watch.is_cached(self.seen)

    def receive(self, index: int) -> bool:
        return self.watch.is_cached(self.seen)


@channel(of_clones=True, one_core=True)
class CardsOfASuit(_Spy):
    """The table of the runs has an entry for each set of cards of a suit, and a bot looks its own up."""

    HAND = 0b0110010010101  # cards of one suit

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        table = arena.gin.melds._LEFT  # noqa: SLF001 - what is attacked
        self.seen = (ctypes.c_void_p.from_address(id(table) + ITEMS).value or 0) + 8 * self.HAND

    def send(self, index: int, bit: int) -> None:
        arena.gin.melds.deadwood(self.HAND << 13 if bit else self.HAND << 13 ^ 0x1555 << 13)


@channel(by_template=True, one_core=True)
class CodeOfALibrary(_Spy):
    """The code of a library that the opponent runs; the spy maps the library's file."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        function = ctypes.cast(ctypes.CDLL(None).wcsftime, ctypes.c_void_p).value or 0
        found = _Place()
        ctypes.CDLL(None).dladdr(ctypes.c_void_p(function), ctypes.byref(found))
        self.seen = mapped(os.open(found.file, os.O_RDONLY), pages=1024) + function - found.start

    def send(self, index: int, bit: int) -> None:
        if bit:
            time.strftime("%j")


class _Place(ctypes.Structure):
    """Dl_info of dladdr(3)."""

    _fields_ = (("file", ctypes.c_char_p), ("start", ctypes.c_size_t), ("name", ctypes.c_char_p), ("address", ctypes.c_size_t))
