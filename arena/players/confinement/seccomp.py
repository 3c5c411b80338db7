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
from arena.players.confinement.allowed_syscalls import ABSENT, ALLOWED, DENIED, THREADED, WRITING
from arena.players.confinement.arguments import refuse
from arena.players.confinement.bpf import ALLOW, ARCHITECTURE, ERRNO, KILL, NUMBER, answer, assemble, if_equal, load, unless_equal
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
    rules = arguments.rules(programs=programs, threads=threads, writes=writes)
    rules |= {name: answer(ALLOW) for name in (*ALLOWED, *granted)}
    rules |= {name: answer(ERRNO | errno.ENOSYS) for name in ABSENT}
    rules |= {name: refuse() for name in (*DENIED, *WRITING, *THREADED) if name not in granted}
    calls = ((NUMBERS[name][column], rule) for name, rule in rules.items())
    body = tuple(instruction for number, rule in calls if number is not None for instruction in if_equal(number, rule))
    native = (*load(ARCHITECTURE), *unless_equal(architecture, answer(KILL)))
    return assemble((*native, *load(NUMBER), *body, *answer(ERRNO | errno.ENOSYS)))


def digest(code: bytes) -> str:
    """Return the SHA-256 of a filter's code in hexadecimal, by which a record identifies it."""
    return sha256(code).hexdigest()
