"""Kills a function, or fills the disk under it, at each system call that changes the file system.

For Linux on x86-64. Source: ptrace(2).
"""

import ctypes
import errno
import os
import platform
import signal
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

import pytest

TRACEME, POKEUSER, SYSCALL, SETOPTIONS, SYSCALL_INFO = 0, 6, 24, 0x4200, 0x420E
TRACE_SYSCALLS_AND_END_TOGETHER = 0x1 | 0x100000
WALL = 0x40000000  # waits for children of all kinds
NUMBER, RESULT = 15 * 8, 10 * 8  # places of orig_rax and rax in struct user
ENTERED = 1  # op of a stop before a system call
OPEN, WRITES = (2, 257), (1, 18, 20)  # open and openat; write, pwrite64 and writev
CHANGING = {
    *WRITES,
    *(74, 75),  # fsync, fdatasync
    *(76, 77, 285),  # truncate, ftruncate, fallocate
    *(82, 264, 316),  # rename, renameat, renameat2
    *(83, 258, 86, 265, 88, 266),  # mkdir, link and symlink, each also with a folder
    *(84, 87, 263),  # rmdir, unlink, unlinkat
}
REMOVALS = {84, 87, 263}  # which need no room
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
libc.ptrace.restype = ctypes.c_long

needs_ptrace = pytest.mark.skipif((sys.platform, platform.machine()) != ("linux", "x86_64"), reason="reads registers of x86-64")


class Interruption(Enum):
    """What happens at a system call."""

    KILL = "the process is killed"
    FULL = "the disk is full"


class Stop(NamedTuple):
    """How a function ended that was interrupted."""

    reached: int  # system calls that change the file system, up to the one at which it was interrupted
    code: int  # exit code; negative: the signal


class _Info(ctypes.Structure):
    """Struct ptrace_syscall_info, as far as it describes the beginning of a call."""

    _fields_ = (
        ("op", ctypes.c_uint8),
        ("padding", ctypes.c_uint8 * 3),
        ("arch", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("values", ctypes.c_uint64 * 6),
    )


def interrupted_everywhere(
    work: Callable[[], object], prepare: Callable[[], object], how: Interruption, step: int = 1
) -> Iterator[Stop]:
    """Yield each time that ``work`` was interrupted at a later system call, up to the first that it does not reach.

    ``prepare`` is called before each; with ``step`` 5 it is interrupted at every fifth call.
    """
    at = 1
    while True:
        prepare()
        stop = interrupted(work, at, how)
        if stop.reached < at:
            assert stop.code == 0, "it fails though nothing interrupts it"
            return
        yield stop
        at += step


def interrupted(work: Callable[[], object], at: int, how: Interruption) -> Stop:
    """Call a function in a child process, interrupted at its system call number ``at``; an exception is exit code 1."""
    child = os.fork()
    if child == 0:
        _run(work)
    os.waitpid(child, WALL)
    _ptrace(SETOPTIONS, child, 0, TRACE_SYSCALLS_AND_END_TOGETHER)
    reached, refused, passed_on = 0, False, 0
    while True:
        _ptrace(SYSCALL, child, 0, passed_on)
        _, status = os.waitpid(child, WALL)
        if not os.WIFSTOPPED(status):
            return Stop(reached, os.waitstatus_to_exitcode(status))
        passed_on = 0
        if os.WSTOPSIG(status) != signal.SIGTRAP | 0x80:
            passed_on = os.WSTOPSIG(status)
            continue
        info = _Info()
        _ptrace(SYSCALL_INFO, child, ctypes.sizeof(info), ctypes.addressof(info))
        if info.op != ENTERED:
            if refused:
                _ptrace(POKEUSER, child, RESULT, ctypes.c_uint64(-errno.ENOSPC).value)
            refused = False
        elif _changes(info) and (how is Interruption.KILL or info.number not in REMOVALS):
            reached += 1
            if reached == at and how is Interruption.KILL:
                os.kill(child, signal.SIGKILL)
                return Stop(reached, os.waitstatus_to_exitcode(os.waitpid(child, WALL)[1]))
            if reached == at:
                _ptrace(POKEUSER, child, NUMBER, ctypes.c_uint64(-1).value)
                refused = True


def _run(work: Callable[[], object]) -> None:
    code = 1
    try:
        _ptrace(TRACEME, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        work()
        code = 0
    finally:
        os._exit(code)


def _changes(info: _Info) -> bool:
    """Return whether a call changes the file system: what is written to the terminal does not."""
    if info.number in OPEN:
        flags = info.values[1 if info.number == OPEN[0] else 2]
        return bool(flags & os.O_CREAT)
    return info.number in CHANGING and not (info.number in WRITES and info.values[0] <= 2)


def _ptrace(request: int, process: int, place: int, value: int) -> None:
    if libc.ptrace(request, process, place, value) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")
