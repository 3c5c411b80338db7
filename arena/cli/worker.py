"""How the processes of a run are stopped: the director by the user, its workers by the director."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from types import FrameType

from arena.signals import heard

GRACE = 2.0  # seconds for a worker that is to end to close its bots
MOMENT = 0.1  # seconds in which all workers of a pool that is broken off have heard of it


def prepare(log: Callable[[], None]) -> None:
    """Leave Ctrl-C to the director, end in good order when it says so, and log where it is wanted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _End())
    threading.Thread(target=_follow_director, daemon=True).start()
    _stay_on_one_core()
    log()


def _stay_on_one_core() -> None:
    """Keep this worker, and the bots that it starts, on one core: of a match's three processes one runs at a time."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        (number,) = multiprocessing.current_process()._identity[:1] or (0,)  # noqa: SLF001 - counts the workers; there is no other
        os.sched_setaffinity(0, {cores[number % len(cores)]})


class _End:
    """Ends a worker that is told to, by SIGTERM, so that neither its bots nor the other workers suffer.

    In a fixture it unwinds, which closes the bots at the table. Between two fixtures it lets a moment pass: if it ended as it reads
    a job, another would read the rest of that. And it is gone soon in any case: a pool takes SystemExit for the outcome of a job,
    and goes on to wait for the next, perhaps for a lock that another worker has taken along.
    """

    def __init__(self) -> None:
        self._waited = False

    def __call__(self, _: int, frame: FrameType | None) -> None:
        if _plays(frame):
            threading.Thread(target=_leave, daemon=True).start()
            sys.exit()
        if self._waited:
            os._exit(1)
        self._waited = True
        threading.Thread(target=_remind, daemon=True).start()


def _plays(frame: FrameType | None) -> bool:
    """Tell whether a fixture is being played."""
    while frame and frame.f_globals.get("__name__") != "arena.referee.job":
        frame = frame.f_back
    return frame is not None


def _remind() -> None:
    time.sleep(MOMENT)
    os.kill(os.getpid(), signal.SIGTERM)


def _leave() -> None:
    time.sleep(GRACE)
    os._exit(1)


def _follow_director() -> None:
    """End this process when its director has ended, were it by SIGKILL: nobody else would, for a worker waits for work for ever."""
    director = multiprocessing.parent_process()
    if director is None:
        return
    wait([director.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    _leave()


@contextmanager
def stoppable() -> Iterator[None]:
    """Take SIGTERM and a closed terminal for Ctrl-C while the context lasts; what is ignored, as under nohup, stays ignored."""
    with heard(_interrupt, signal.SIGTERM, signal.SIGHUP):
        yield


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
