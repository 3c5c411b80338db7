"""The filter that lets a bot make its system calls, and no others. Source: seccomp(2), syscalls(2).

An allow-list: a call of another architecture kills, a call that is never a bot's business is refused with EPERM, and an unknown one
does not exist (ENOSYS), so that programs fall back to what they did on older kernels. The program does not depend on the
process, so its hash can stand in a record.
"""

import errno
import platform
from functools import cache
from hashlib import sha256

from arena.players.sandboxes.bpf import (
    ALL_BITS,
    ALLOW,
    ARCHITECTURE,
    ARGUMENTS,
    ERRNO,
    KILL,
    NUMBER,
    SELF,
    Block,
    Test,
    answer,
    assemble,
    if_any,
    if_equal,
    load,
    unless_equal,
)
from arena.players.sandboxes.calls import FREE, NEVER, SCRATCH
from arena.players.sandboxes.syscalls import MACHINES, NUMBERS

CLONE_VM, CLONE_SIGHAND, CLONE_THREAD = 0x100, 0x800, 0x10000
OF_A_THREAD = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD
NOT_OF_A_THREAD = 0xFE020000 | 0x80 | 0x1000 | 0x2000 | 0x4000  # new namespaces, CLONE_IO, PIDFD, PTRACE, VFORK
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB = 0x1, 0x20, 0x100, 0x40000
O_ACCMODE, O_TRUNC, O_ASYNC = 0x3, 0x200, 0x2000
AF_UNIX, SOCK_STREAM, SOCK_KIND = 1, 1, 0xF
DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX = 0x5401, 0x5413, 0x541B, 0x5421, 0x5451, 0x5450
GET_DUMPABLE, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ, GET_NO_NEW_PRIVS, SET_VMA = 3, 15, 16, 21, 23, 39, 0x53564D41


@cache
def program(*, programs: bool, threads: bool, scratch: bool, machine: str = "") -> bytes:
    """Return the filter for a bot that becomes another program, has threads or has a scratch folder. Raises: KeyError, machine."""
    architecture, column = MACHINES[machine or platform.machine()]
    rules = _arguments(programs=programs, threads=threads, scratch=scratch)
    rules |= {name: answer(ALLOW) for name in (*FREE, *(SCRATCH if scratch else ()))}
    rules |= {name: _refuse() for name in (*NEVER, *(() if scratch else SCRATCH))}
    calls = ((NUMBERS[name][column], rule) for name, rule in rules.items())
    body = tuple(instruction for number, rule in calls if number is not None for instruction in if_equal(number, rule))
    native = (*load(ARCHITECTURE), *unless_equal(architecture, answer(KILL)))
    return assemble((*native, *load(NUMBER), *body, *answer(ERRNO | errno.ENOSYS)))


def digest(code: bytes) -> str:
    """Return what a record names a filter by: the SHA-256 of its code, hexadecimal."""
    return sha256(code).hexdigest()


def _arguments(*, programs: bool, threads: bool, scratch: bool) -> dict[str, Block]:
    """Return the rules for calls that are a bot's business with some arguments only.

    A lock, a lease, a notification or a signal owner set by fcntl or ioctl reaches beyond the process: a pipe's owner can have
    the referee killed without kill(2). Limits may be read, not lowered: so a bot that is the first process of its namespace cannot
    bring SIGKILL upon itself, and one that it ends was killed from outside. Opening with O_TRUNC, but not for writing, empties a
    file that may only be read, below Landlock's ABI 3; opening for writing is for the other walls to judge, which let a shell have
    its /dev/null.
    """
    oneself = Test(0, ALL_BITS, SELF)
    return {
        "open": answer(ALLOW) if scratch else _not_emptied(1),
        "openat": answer(ALLOW) if scratch else _not_emptied(2),
        "mmap": _unless(
            Test(3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS),
            Test(3, MAP_GROWSDOWN, MAP_GROWSDOWN),
            Test(3, MAP_HUGETLB, MAP_HUGETLB),
        ),
        "clone": _only(Test(0, OF_A_THREAD | NOT_OF_A_THREAD, OF_A_THREAD)) if threads else _refuse(),
        "execve": answer(ALLOW) if programs else _refuse(),
        "kill": _only(oneself),
        "tgkill": _only(oneself),
        "prlimit64": (*_null(2), *_only(oneself, Test(0, ALL_BITS, 0))),
        "fcntl": (
            *load(ARGUMENTS + 8),
            *if_equal(SETFL, _unless(Test(2, O_ASYNC, O_ASYNC))),
            *_among(1, DUPFD, GETFD, SETFD, GETFL, DUPFD_CLOEXEC),
        ),
        "ioctl": _among(1, TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX),
        "prctl": _among(0, GET_DUMPABLE, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ, GET_NO_NEW_PRIVS, SET_VMA),
        "socketpair": (
            *load(ARGUMENTS),
            *if_equal(AF_UNIX, _only(Test(1, SOCK_KIND, SOCK_STREAM))),
            *_refuse(),
        ),
        "sendto": _only(Test(5, ALL_BITS, 0)),  # length of an address: what was connected at birth needs none
    }


def _not_emptied(flags: int) -> Block:
    """Refuse to empty a file that is opened for reading (0), or for neither reading nor writing (3)."""
    return _unless(Test(flags, O_TRUNC | O_ACCMODE, O_TRUNC), Test(flags, O_TRUNC | O_ACCMODE, O_TRUNC | O_ACCMODE))


def _null(pointer: int) -> Block:
    """Refuse the call unless an argument is a null pointer, in both of its halves."""
    halves = (ARGUMENTS + 8 * pointer, ARGUMENTS + 8 * pointer + 4)
    return tuple(instruction for half in halves for instruction in (*load(half), *unless_equal(0, _refuse())))


def _refuse() -> Block:
    return answer(ERRNO | errno.EPERM)


def _only(*tests: Test) -> Block:
    """Allow the call if one test holds."""
    return (*if_any(tests, ALLOW), *_refuse())


def _unless(*tests: Test) -> Block:
    """Refuse the call if one test holds."""
    return (*if_any(tests, ERRNO | errno.EPERM), *answer(ALLOW))


def _among(argument: int, *values: int) -> Block:
    """Allow the call if an argument is one of some values."""
    return _only(*(Test(argument, ALL_BITS, value) for value in values))
