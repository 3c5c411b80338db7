"""Resource limits, set by the launcher on itself. Source: setrlimit(2).

RLIMIT_DATA bounds the memory, not RLIMIT_AS: the former counts every private mapping that may be written, the latter also what is
merely reserved, and an interpreter of JavaScript or a numeric library reserves gigabytes that it never touches. What RLIMIT_DATA
does not count is shut elsewhere: shared anonymous memory, stacks that grow, memfd and /dev/zero.
"""

import os
import resource

from arena.players.sandboxes.policy import Limits

ADDRESSES = 64 << 30  # bytes; a read of a page never written costs page tables, a five-hundredth of what is reserved
STACK = 8 << 20  # bytes; also what a new thread reserves
FILES = 64
SIGNALS = 64  # that may be pending
SPARE = 32  # processes of an ordinary user that may start elsewhere before a bot's threads are refused


def apply(limits: Limits, *, alone: bool) -> None:
    """Set every limit, soft and hard, for good. ``alone``: whether no other process is counted with the bot's threads."""
    _set(resource.RLIMIT_DATA, limits.memory_mb << 20)
    _set(resource.RLIMIT_AS, ADDRESSES + (limits.memory_mb << 20))
    _set(resource.RLIMIT_STACK, STACK)
    _set(resource.RLIMIT_FSIZE, limits.file_kb << 10)
    _set(resource.RLIMIT_NOFILE, FILES)
    _set(resource.RLIMIT_CORE, 1)  # a handler that the kernel pipes cores to is started at 0, not at 1: core(5)
    _set(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)  # the first process of a namespace ignores SIGXCPU
    _set(resource.RLIMIT_MEMLOCK, 0)
    if hasattr(resource, "RLIMIT_SIGPENDING"):
        _set(resource.RLIMIT_SIGPENDING, SIGNALS)
        _set(resource.RLIMIT_MSGQUEUE, 0)
    if limits.threads > 1:
        _set(resource.RLIMIT_NPROC, limits.threads if alone else _tasks_of_user() + limits.threads + SPARE)


def _set(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, never above the one in force."""
    _, ceiling = resource.getrlimit(kind)
    soft, hard = (_least(value, ceiling) for value in (soft, soft if hard is None else hard))
    resource.setrlimit(kind, (soft, hard))


def _least(value: int, ceiling: int) -> int:
    return value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)


def _tasks_of_user() -> int:
    """Return how many threads this user has: RLIMIT_NPROC counts them all, on the whole machine, without a user namespace."""
    return sum(_tasks(process) for process in os.listdir("/proc") if process.isdigit())


def _tasks(process: str) -> int:
    try:
        mine = os.stat(f"/proc/{process}").st_uid == os.getuid()
        return len(os.listdir(f"/proc/{process}/task")) if mine else 0
    except OSError:  # it ended meanwhile
        return 0
