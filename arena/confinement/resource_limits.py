"""Resource limits, which the launcher sets on itself.

Source: setrlimit(2).

RLIMIT_DATA limits memory, not RLIMIT_AS: the former counts every writable private mapping, the latter also reserved addresses,
and a JavaScript interpreter or a numeric library reserves gigabytes that it never touches. RLIMIT_DATA does not count shared
anonymous memory, growing stacks, memfd and /dev/zero; the other layers forbid those.
"""

import os
import resource

from arena.confinement.launch_policy import ResourceLimits

# Bytes of RLIMIT_AS beyond the memory limit. RLIMIT_AS bounds the page tables, which no other limit counts: those of pages that are
# only read take 1/500 of the pages' size.
ADDRESSES = 64 << 30
STACK_BYTES = 8 << 20  # bytes; also what a new thread reserves
MOST_FILES = 64
# Pending signals of all processes of the user. The filter forbids signals that queue, so a thread has at most 31 pending. The limit
# is so high that several bots with 64 threads each stay below it: a bot that met it would notice the others.
MOST_SIGNALS = 8192
# Threads that the user and other bots may start before those of a bot are refused where RLIMIT_NPROC counts them all. There the
# harness counts the bot's own, until it is sealed and may start none (``listener.let_through``).
SPARE = 1024


def set_limits(limits: ResourceLimits, *, alone: bool) -> None:
    """Set every limit permanently. ``alone``: whether RLIMIT_NPROC counts only the bot's threads. Raises: OSError."""
    _set_limit(resource.RLIMIT_DATA, limits.memory_mb << 20)
    _set_limit(resource.RLIMIT_AS, ADDRESSES + (limits.memory_mb << 20))
    _set_limit(resource.RLIMIT_STACK, STACK_BYTES)
    _set_limit(resource.RLIMIT_FSIZE, limits.file_kb << 10)
    _set_limit(resource.RLIMIT_NOFILE, MOST_FILES)
    # 1, not 0: at 0 the kernel still starts a handler that cores are piped to. Source: core(5).
    _set_limit(resource.RLIMIT_CORE, 1)
    # The hard limit sends SIGKILL: the first process of a namespace ignores the soft limit's SIGXCPU.
    _set_limit(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)
    _set_limit(resource.RLIMIT_MEMLOCK, 0)
    if hasattr(resource, "RLIMIT_SIGPENDING"):
        _set_limit(resource.RLIMIT_SIGPENDING, MOST_SIGNALS)
        _set_limit(resource.RLIMIT_MSGQUEUE, 0)
    if limits.threads > 1:
        _set_limit(resource.RLIMIT_NPROC, limits.threads if alone else tasks_of_user() + limits.threads + SPARE)


def _set_limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, never above the current hard limit. ``hard``: None: the same as ``soft``."""
    _, ceiling = resource.getrlimit(kind)
    hard = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))


def tasks_of_user() -> int:
    """Return the number of this user's threads: without a user namespace, RLIMIT_NPROC counts all of them on the machine."""
    return sum(_tasks(process) for process in os.listdir("/proc") if process.isdigit())


def _tasks(process: str) -> int:
    try:
        is_own = os.stat(f"/proc/{process}").st_uid == os.getuid()
        return len(os.listdir(f"/proc/{process}/task")) if is_own else 0
    except OSError:  # the process has ended
        return 0
