"""What a rogue is: a small attack that says whether it got through. Many leave marks that only the referee can see."""

import importlib
import os
import platform
from collections.abc import Callable
from ctypes import CDLL, c_char_p, c_long, get_errno
from pathlib import Path

from msgspec import Struct

from arena.players.sandboxes.syscalls import MACHINES, NUMBERS

SUBJECTS = ("files", "traces", "memory", "processes", "signals", "sockets", "channels", "kernel")


class Scene(Struct, frozen=True, kw_only=True):
    """What stands around the rogue."""

    referee: int  # process number
    secret: str  # what the secret files and the referee's environment hold
    stage: str  # the folder of everything: home/, results/, bots/, open/, package/
    folder: str  # the rogue's own
    inherited: int  # a descriptor that the referee forgot to close
    port: int  # TCP and UDP, where the referee listens
    memory_mb: int  # the limit
    role: str = ""  # of two bots that talk to each other: "speaks" or "listens"


Attack = Callable[[Scene], object]


class Rogue(Struct, frozen=True):
    """An attack and how it is staged."""

    name: str
    attack: Attack
    subject: str  # the module it stands in
    root_only: bool = False  # whether the bare baseline needs root to succeed
    seen_under_c: bool = False  # whether profile C is known to let it through
    pair: bool = False  # whether two bots have to meet
    cpu_seconds: int = 60


ROGUES: dict[str, Rogue] = {}


def rogue(
    *, root_only: bool = False, seen_under_c: bool = False, pair: bool = False, cpu_seconds: int = 60
) -> Callable[[Attack], Attack]:
    """Enter an attack in the suite, by its function's name."""

    def enter(attack: Attack) -> Attack:
        name = attack.__name__.replace("_", " ")
        ROGUES[name] = Rogue(name, attack, attack.__module__, root_only, seen_under_c, pair, cpu_seconds)
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
    found: int = kernel.syscall(c_long(number), *(c_char_p(one) if isinstance(one, bytes) else c_long(one) for one in arguments))
    if found == -1:
        raise OSError(get_errno(), os.strerror(get_errno()))
    return found


def text(path: str) -> str:
    """Return a file's text, whatever its bytes."""
    return Path(path).read_text(encoding="utf-8", errors="replace")
