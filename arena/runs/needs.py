"""Checks before a command plays that the machine has the resources it needs, and describes the installation.

The numbers are measured, with some room: ``/proc/PID/fd``, ``/proc/PID/task`` and VmPeak of a run, a duel and a review on 1 to 32
workers, with Python 3.11, glibc and OpenBLAS on two cores. ``tests/runs/test_needs.py`` plays with no more than they say.
"""

import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.confinement.resource_limits import tasks_of_user
from arena.errors import MachineError
from arena.tournament import core_use

MIB = 1 << 20
PREFLIGHT = 54  # descriptors: eight bots that are started at once, the database, logs
NO_WORKERS = 27  # descriptors of a command without workers
OF_A_WORKER = 3  # descriptors of the director: a pipe, and two by which multiprocessing knows that the process lives
OF_A_PLAYER = 42  # descriptors of a worker, besides those that it inherits: two bots, a template, a state folder
TASKS = 24  # processes and threads of a command without workers, with the bots of the preflight
TASKS_OF_A_WORKER = 6  # its thread in the director, itself and its own thread, a template, two bots
IMPORTS = 160 * MIB  # Python, and all that a command imports
OF_A_CORE = 48 * MIB  # a thread of OpenBLAS with its buffers, in every process that imports numpy
STACK = 8 * MIB  # of a thread
ARENA = 64 * MIB  # that glibc reserves for the allocations of a thread; source: mallopt(3), M_ARENA_MAX
ARENAS_OF_A_CORE = 8
TEMPORARY = 8 * MIB  # a batch of hands and its log; a bot's state
MANY = 100_000  # a limit of tasks above which those that run are not counted


class Need(Struct, frozen=True, kw_only=True):
    """An amount that a command needs of the machine."""

    what: str
    needed: int
    found: int | None  # None: there is no limit
    unit: int = 1  # amounts are shown in it: MIB, or 1 for a count
    remedy: str

    @property
    def is_met(self) -> bool:
        """Tell whether the machine has enough."""
        return self.found is None or self.found >= self.needed

    def __str__(self) -> str:
        """Return the amounts found and needed, with the remedy if too little was found."""
        found = "no limit" if self.found is None else self._number(self.found)
        return f"{self.what}: found {found}, needed {self._number(self.needed)}" + ("" if self.is_met else f" ({self.remedy})")

    def _number(self, number: int) -> str:
        return f"{number // self.unit:,} MiB" if self.unit == MIB else f"{number:,}"


def needs(workers: int, *, bots: bool = True) -> tuple[Need, ...]:
    """Return the needs of a command with a number of workers on this machine; ``bots``: whether it starts bots.

    The soft limit of descriptors is raised as far as the hard one allows and as is needed.
    """
    of_workers = (_descriptors(workers), _addresses(workers), *([_tasks(workers)] if workers else ()))
    return (*of_workers, _temporary(), *_proc()) if bots else of_workers


def check(workers: int, *, bots: bool = True) -> None:
    """Raise MachineError, with the numbers, unless this machine has what a command needs."""
    if missing := [str(need) for need in needs(workers, bots=bots) if not need.is_met]:
        fewer = f" for {workers} workers; fewer need less" if workers > 1 else ""
        raise MachineError(f"this machine gives too little{fewer}: {'; '.join(missing)}")


def _descriptors(workers: int) -> Need:
    needed = _open_descriptors() + (max(PREFLIGHT, OF_A_PLAYER + OF_A_WORKER * workers) if workers else NO_WORKERS)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed and (hard == resource.RLIM_INFINITY or hard > soft):
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return Need(what="descriptors", needed=needed, found=_limit(soft), remedy="ulimit -n")


def _addresses(workers: int) -> Need:
    cores, threads = len(core_use.cores()), workers + 1  # one for each worker, and the one that reads their logs
    needed = IMPORTS + cores * OF_A_CORE + threads * STACK + min(threads, ARENAS_OF_A_CORE * cores) * ARENA
    found = _limit(resource.getrlimit(resource.RLIMIT_AS)[0])
    return Need(what="address space", needed=needed, found=found, unit=MIB, remedy="ulimit -v")


def _tasks(workers: int) -> Need:
    """Root is bound by no limit. Source: getrlimit(2), RLIMIT_NPROC."""
    limit = _limit(resource.getrlimit(resource.RLIMIT_NPROC)[0]) if os.geteuid() else None
    found = limit if limit is None or limit > MANY else max(0, limit - tasks_of_user())
    needed = TASKS + TASKS_OF_A_WORKER * workers
    return Need(what="processes and threads", needed=needed, found=found, remedy="ulimit -u")


def _temporary() -> Need:
    try:
        folder = tempfile.gettempdir()
        status = os.statvfs(folder)
    except OSError:  # none of the usual folders can be written
        folder, found = "the temporary folder", 0
    else:
        no_inodes = status.f_files and not status.f_favail  # f_files is 0 where inodes are not limited
        found = 0 if no_inodes else status.f_bavail * status.f_frsize
    return Need(what=f"room in {folder}", needed=TEMPORARY, found=found, unit=MIB, remedy="TMPDIR may name another folder")


def _proc() -> Iterator[Need]:
    if sys.platform == "linux":
        found = int(Path("/proc/self/status").exists())
        yield Need(what="file system /proc", needed=1, found=found, remedy="mount -t proc proc /proc; the sandbox needs it")


def _limit(value: int) -> int | None:
    return None if value == resource.RLIM_INFINITY else value


def _open_descriptors() -> int:
    try:
        return sum(1 for _ in Path("/dev/fd").iterdir())
    except OSError:
        return 3
