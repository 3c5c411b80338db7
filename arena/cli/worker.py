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

GRACE = 2.0  # seconds for a worker whose director is gone to close its bots


def prepare(log: Callable[[], None]) -> None:
    """Leave Ctrl-C to the director, end in good order when it says so, and log where it is wanted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_follow_director, daemon=True).start()
    _stay_on_one_core()
    log()


def _stay_on_one_core() -> None:
    """Keep this worker, and the bots that it starts, on one core: of a match's three processes one runs at a time."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        (number,) = multiprocessing.current_process()._identity[:1] or (0,)  # noqa: SLF001 - counts the workers; there is no other
        os.sched_setaffinity(0, {cores[number % len(cores)]})


def _end(_: int, __: FrameType | None) -> None:
    """Unwind, so that the bots at the table are closed."""
    sys.exit()


def _follow_director() -> None:
    """End this process when its director has ended, were it by SIGKILL: nobody else would, for a worker waits for work for ever."""
    director = multiprocessing.parent_process()
    if director is None:
        return
    wait([director.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


@contextmanager
def stoppable() -> Iterator[None]:
    """Take SIGTERM and a closed terminal for Ctrl-C while the context lasts."""
    before = {which: signal.signal(which, _interrupt) for which in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
