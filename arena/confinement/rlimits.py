"""Resource limits, which the launcher sets on itself. Source: setrlimit(2).

RLIMIT_DATA limits memory, not RLIMIT_AS: the former counts every writable private mapping, the latter also reserved addresses, and
a JavaScript interpreter or a numeric library reserves gigabytes that it never touches. RLIMIT_DATA does not count shared anonymous
memory, growing stacks, memfd and /dev/zero; the other layers forbid those. RLIMIT_AS bounds only the page tables.
"""

import os
import resource

from arena.confinement.launch_policy import ResourceLimits

ADDRESSES = 64 << 30  # bytes; reading a page that was never written costs a page table entry, 1/500 of its size
STACK = 8 << 20  # bytes; also what a new thread reserves
FILES = 64
# Pending signals of all processes of the user. The filter forbids signals that queue, so a thread has at most 31 pending. The limit
# is so high that several bots with 64 threads each stay below it: a bot that met it would notice the others.
SIGNALS = 8192
SPARE = 32  # processes that the user may start meanwhile before a bot's threads are refused


def apply(limits: ResourceLimits, *, alone: bool) -> None:
    """Set every limit permanently. ``alone``: whether RLIMIT_NPROC counts only the bot's threads. Raises: OSError."""
    _set(resource.RLIMIT_DATA, limits.memory_mb << 20)
    _set(resource.RLIMIT_AS, ADDRESSES + (limits.memory_mb << 20))
    _set(resource.RLIMIT_STACK, STACK)
    _set(resource.RLIMIT_FSIZE, limits.file_kb << 10)
    _set(resource.RLIMIT_NOFILE, FILES)
    # 1, not 0: at 0 the kernel still starts a handler that cores are piped to. Source: core(5).
    _set(resource.RLIMIT_CORE, 1)
    # The hard limit sends SIGKILL: the first process of a namespace ignores the soft limit's SIGXCPU.
    _set(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)
    _set(resource.RLIMIT_MEMLOCK, 0)
    if hasattr(resource, "RLIMIT_SIGPENDING"):
        _set(resource.RLIMIT_SIGPENDING, SIGNALS)
        _set(resource.RLIMIT_MSGQUEUE, 0)
    if limits.threads > 1:
        _set(resource.RLIMIT_NPROC, limits.threads if alone else tasks_of_user() + limits.threads + SPARE)


def _set(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, never above the current hard limit. ``hard``: None: the same as ``soft``."""
    _, ceiling = resource.getrlimit(kind)
    soft, hard = (_at_most(ceiling, value) for value in (soft, soft if hard is None else hard))
    resource.setrlimit(kind, (soft, hard))


def _at_most(ceiling: int, value: int) -> int:
    return value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)


def tasks_of_user() -> int:
    """Return the number of this user's threads: without a user namespace, RLIMIT_NPROC counts all of them on the machine."""
    return sum(_tasks(process) for process in os.listdir("/proc") if process.isdigit())


def _tasks(process: str) -> int:
    try:
        mine = os.stat(f"/proc/{process}").st_uid == os.getuid()
        return len(os.listdir(f"/proc/{process}/task")) if mine else 0
    except OSError:  # the process has ended
        return 0
