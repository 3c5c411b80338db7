"""Several fixtures at a time, each in a process of this machine."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor as Pool
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress

from arena.tournament.executors.base import Executor


class Local(Executor, frozen=True, kw_only=True, tag="local"):
    """A pool of worker processes, as many as there are cores unless ``--workers`` says another number.

    Of the three processes of a match one runs at a time, so more workers than cores gain nothing.
    """

    def open(self, workers: int, prepare: Callable[[], None]) -> Pool:
        """Return a process pool. Its start method is the one in force: the command line has chosen it for the log's sake."""
        return _Workers(workers, multiprocessing.get_context(), initializer=prepare)


class _Workers(ProcessPoolExecutor):
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's signature
        """End the pool; with ``cancel_futures`` what is being played is broken off too, and will be played again."""
        if cancel_futures:
            self._break_off()
        super().shutdown(wait, cancel_futures=cancel_futures)

    def _break_off(self) -> None:
        """End all workers at one moment: one that went on would read the half of a job that another was reading when it ended."""
        pids = [worker.pid for worker in list((self._processes or {}).values()) if worker.pid and worker.is_alive()]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
