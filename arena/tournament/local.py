"""Plays several fixtures at a time in worker processes on this machine.

Each worker and its bots stay on one core. Of the three processes of a match one runs at a time; a round trip through a pipe takes
6 µs on one core and 23 µs between two. With fewer workers than cores, the workers take the cores that other programs use least.
With more, no worker is pinned: towards the end of a run two of them could have to share a core while another one is idle.
"""

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent import futures
from functools import partial

from arena.tournament.core_use import cores, count, idlest
from arena.tournament.executors import Executor, tell_nobody
from arena.tournament.worker_pool import Workers

SAMPLE_SECONDS = 0.1  # between two readings, which show the cores that other programs use least


class Local(Executor, frozen=True, kw_only=True, tag="local"):
    """A pool of worker processes, one for each core unless ``--workers`` gives another number.

    Of the three processes of a match only one runs at a time, so more workers than cores gain nothing.
    """

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> futures.Executor:  # noqa: ARG002 - nothing to tell
        """Return a process pool with the start method that the program has set; by default with fork, if the platform has it."""
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
    time.sleep(SAMPLE_SECONDS)
    return idlest(before, count())[:workers]


def _prepare(prepare: Callable[[], None], cores: list[int], place: int) -> None:
    """Pin this worker, and the bots that it starts, to its core."""
    if cores:
        os.sched_setaffinity(0, {cores[place]})
    prepare()
