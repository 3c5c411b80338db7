"""A rogue: a small attack that returns whether it succeeded. Many leave marks that only the referee can see."""

import importlib
import os
import platform
from collections.abc import Callable
from ctypes import CDLL, c_char_p, c_long, get_errno
from pathlib import Path

from msgspec import Struct

from arena.confinement.syscalls import MACHINES, NUMBERS

SUBJECTS = ("files", "traces", "memory", "processes", "signals", "sockets", "kernel", "states")


class Scene(Struct, frozen=True, kw_only=True):
    """The surroundings of a rogue."""

    referee: int  # process number
    secret: str  # the content of the secret files, also in the referee's environment
    stage: str  # the folder of all files: home/, results/, bots/, open/, package/
    folder: str  # the rogue's own folder
    state: str  # the rogue's state folder, if it is granted one; without a sandbox one that all rogues share
    inherited: int  # a descriptor that the referee left open
    port: int  # TCP and UDP, where the referee listens
    memory_mb: int  # the limit
    bits: str = ""  # of two bots that communicate: what the sender has to send
    key: int = 0  # of two bots that communicate: a number that no others have


Attack = Callable[[Scene], object]


class Rogue(Struct, frozen=True):
    """An attack and how it is tested."""

    name: str
    attack: Attack
    subject: str  # the name of its module
    root_only: bool = False  # whether it needs root to succeed without a sandbox
    known_under_c: bool = False  # whether it is known to succeed under profile C
    cpu_seconds: int = 60


ROGUES: dict[str, Rogue] = {}


def rogue(*, root_only: bool = False, known_under_c: bool = False, cpu_seconds: int = 60) -> Callable[[Attack], Attack]:
    """Register an attack in the suite, by its function's name."""

    def enter(attack: Attack) -> Attack:
        name = attack.__name__.replace("_", " ")
        ROGUES[name] = Rogue(name, attack, attack.__module__, root_only, known_under_c, cpu_seconds)
        return attack

    return enter


def every_rogue() -> dict[str, Rogue]:
    """Return all attacks, by name."""
    for subject in SUBJECTS:
        importlib.import_module(f"rogues.{subject}")
    return ROGUES


def call(name: str, *arguments: int | bytes) -> int:
    """Make a system call by name. Raises: OSError."""
    return numbered_call(NUMBERS[name][MACHINES[platform.machine()][1]] or -1, *arguments)


def numbered_call(number: int, *arguments: int | bytes) -> int:
    """Make a system call by number. Raises: OSError."""
    kernel = CDLL(None, use_errno=True)
    kernel.syscall.restype = c_long
    result: int = kernel.syscall(c_long(number), *(c_char_p(one) if isinstance(one, bytes) else c_long(one) for one in arguments))
    if result == -1:
        raise OSError(get_errno(), os.strerror(get_errno()))
    return result


def text(path: str) -> str:
    """Return a file's text; bytes that are not UTF-8 are replaced."""
    return Path(path).read_text(encoding="utf-8", errors="replace")
