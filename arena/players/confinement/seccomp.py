"""The system-call filter of a bot. Source: seccomp(2), syscalls(2).

It is an allow-list. A call by another architecture kills the process; a known call that no bot needs fails with EPERM; any other
call fails with ENOSYS, as on an older kernel, so that programs fall back to what they did there. The filter is the same for every
process (the launcher writes the process's own number into it), so its hash identifies it in a record.
"""

import errno
import platform
from functools import cache
from hashlib import sha256

from arena.players.confinement import arguments
from arena.players.confinement.allowed_syscalls import ABSENT, ALLOWED, DENIED, NUMBERED, SEALED, THREADED, WRITING
from arena.players.confinement.arguments import refuse
from arena.players.confinement.bpf import (
    ALLOW,
    ARCHITECTURE,
    ERRNO,
    KILL,
    NOTIFY,
    NUMBER,
    Block,
    answer,
    assemble,
    if_equal,
    load,
    unless_equal,
)
from arena.players.confinement.syscall_numbers import MACHINES, NUMBERS


@cache
def program(*, programs: bool, threads: bool, writes: bool, machine: str = "") -> bytes:
    """Return the filter of a bot.

    ``programs``: whether the bot executes a program instead of staying in the harness's interpreter. ``threads``: whether it may
    start threads. ``writes``: whether it has a folder of its own to write to. ``machine``: as platform.machine() has it; empty:
    this one. Raises: KeyError, for an unknown machine.
    """
    architecture, column = MACHINES[machine or platform.machine()]
    granted = (*(WRITING if writes else ()), *(THREADED if threads else ()))
    answers = arguments.rules(programs=programs, threads=threads, writes=writes)
    answers |= {name: answer(ALLOW) for name in (*ALLOWED, *granted)}
    answers |= {name: answer(ERRNO | errno.ENOSYS) for name in ABSENT}
    answers |= {name: refuse() for name in (*DENIED, *WRITING, *THREADED) if name not in granted}
    native = (*load(ARCHITECTURE), *unless_equal(architecture, answer(KILL)))
    return assemble((*native, *load(NUMBER), *_by_number(answers, column), *answer(ERRNO | errno.ENOSYS)))


@cache
def sealing_program(*, namespaces: bool, machine: str = "") -> bytes:
    """Return the filter by which the harness can refuse calls from a bot that is already running: its *seal*.

    It suspends each such call until the harness has answered, and is used beside ``program``, whose refusals count first.
    ``namespaces``: whether the bot has a process namespace of its own.
    """
    _, column = MACHINES[machine or platform.machine()]
    rules = {name: answer(NOTIFY) for name in (*SEALED, *(() if namespaces else NUMBERED))}
    return assemble((*load(NUMBER), *_by_number(rules, column), *answer(ALLOW)))


def digest(*programs: bytes) -> str:
    """Return the SHA-256 of the code of a bot's filters in hexadecimal, by which a record identifies them."""
    return sha256(b"".join(programs)).hexdigest()


def _by_number(rules: dict[str, Block], column: int) -> Block:
    """Return the program that applies the rule of a call's name to its number."""
    calls = ((NUMBERS[name][column], rule) for name, rule in rules.items())
    return tuple(instruction for number, rule in calls if number is not None for instruction in if_equal(number, rule))
