"""The base class of executors, which open a ``concurrent.futures.Executor`` for a run."""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor as Pool
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from msgspec import Struct

from arena.tournament.workers import Workers


def tell_nobody(_: str) -> None:
    """Discard a warning."""


class Executor(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """An executor. The fields of a subclass are its options; its docstring is its manual."""

    def workers(self, asked: int | None, cores: int) -> int:
        """Return the number of workers to open; ``asked``: the user's number, None for the executor's choice."""
        return asked or cores

    def where(self) -> str:
        """Return where the matches are played, for the user; empty: on this machine."""
        return ""

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> Pool:
        """Return a pool of ``workers`` workers; each calls ``prepare`` once, before its first fixture.

        ``warn`` receives, from any thread, what the user should know of the workers.
        """
        raise NotImplementedError


# Plays one fixture after the other in this process.

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


class Serial(Executor, frozen=True, kw_only=True, tag="serial"):
    """Plays one fixture after the other in the main process; for debugging and for small machines."""

    def workers(self, asked: int | None, cores: int) -> int:  # noqa: ARG002 - any number would be this process
        """Return 1."""
        return 1

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> Pool:  # noqa: ARG002 - this process
        """Return a pool that plays in this process; the arguments are not used."""
        return _InProcess()


class _InProcess(Pool):
    def submit(self, work: Callable[Arguments, Value], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Future[Value]:
        future: Future[Value] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised again by future.result()
            future.set_exception(error)
        return future


# The cores that this process may use, and how busy other programs keep them. Source: proc(5), stat.
#
# Two readings of the kernel's counters are compared; they count in ticks of 10 ms, so the readings should lie at least 50 ms apart.
# Where the system has no such counters, as on macOS, no other program is seen.

TICK = 1 / os.sysconf("SC_CLK_TCK")  # seconds
BUSY = (0, 1, 2, 5, 6, 7)  # columns: user, nice, system, interrupts and stolen time; not idle, and not waiting for a disk


class CoreCounts(Struct, frozen=True):
    """The counters at one moment."""

    at: float  # monotonic seconds
    own: float  # seconds of processor time of this process, and of the processes that it has waited for
    busy: dict[int, float]  # seconds that each core has been busy


def cores() -> tuple[int, ...]:
    """Return the numbers of the cores that this process may use."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else tuple(range(os.cpu_count() or 1))


def count() -> CoreCounts:
    """Read the counters now."""
    return CoreCounts(time.monotonic(), sum(os.times()[:4]), _busy(frozenset(cores())))


def used_by_others(before: CoreCounts, after: CoreCounts) -> float:
    """Return the mean number of cores that other programs kept busy between two readings."""
    busy = sum(after.busy.values()) - sum(before.busy.values()) - (after.own - before.own)
    return max(0.0, busy / max(TICK, after.at - before.at))


def idlest(before: CoreCounts, after: CoreCounts) -> list[int]:
    """Return the cores, first those that were least busy between two readings."""
    return sorted(cores(), key=lambda core: (after.busy.get(core, 0.0) - before.busy.get(core, 0.0), core))


def _busy(wanted: frozenset[int]) -> dict[int, float]:
    table = Path("/proc/stat")
    return dict(busy_seconds(table.read_text(encoding="ascii").splitlines(), wanted)) if table.exists() else {}


def busy_seconds(lines: Iterable[str], wanted: frozenset[int]) -> Iterator[tuple[int, float]]:
    """Yield each wanted core with the seconds that it has been busy, from the lines of /proc/stat."""
    for line in lines:
        name, *columns = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in wanted:
            yield int(name[3:]), TICK * sum(int(columns[column]) for column in BUSY)


# Plays several fixtures at a time in worker processes on this machine.
#
# Each worker and its bots stay on one core. Of the three processes of a match one runs at a time; a round trip through a pipe takes
# 6 µs on one core and 23 µs between two. With fewer workers than cores, the workers take the cores that other programs use least.
# With more, no worker is pinned: towards the end of a run two of them could have to share a core while another one is idle.

GLANCE = 0.1  # seconds for finding the cores that other programs use least


class Local(Executor, frozen=True, kw_only=True, tag="local"):
    """A pool of worker processes, one for each core unless ``--workers`` gives another number.

    Of the three processes of a match only one runs at a time, so more workers than cores gain nothing.
    """

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> Pool:  # noqa: ARG002 - nothing to tell
        """Return a process pool with the start method that was chosen; with fork where none was and the platform has it."""
        return Workers(workers, multiprocessing.get_context(_start_method()), partial(_prepare, prepare, cores_for(workers)))


def _start_method() -> str | None:
    """Return the start method for workers. From 3.14 on, Python itself prefers forkserver on Linux, which is slower to start."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    return "fork" if chosen is None and "fork" in multiprocessing.get_all_start_methods() else chosen


def cores_for(workers: int) -> list[int]:
    """Return a core for each worker; none where workers are not pinned."""
    found = list(cores())
    if not hasattr(os, "sched_setaffinity") or workers > len(found):
        return []
    if workers == len(found):
        return found
    before = count()
    time.sleep(GLANCE)
    return idlest(before, count())[:workers]


def _prepare(prepare: Callable[[], None], cores: list[int], place: int) -> None:
    """Pin this worker, and the bots that it starts, to its core."""
    if cores:
        os.sched_setaffinity(0, {cores[place]})
    prepare()
