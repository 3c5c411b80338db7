"""How the workers of a run are stopped: by their director, which the user stops (``arena.stopping``)."""

import atexit
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from types import FrameType

from arena import stopping

GRACE = 2.0  # seconds for a worker that is to end to close its bots


def prepare(log: Callable[[], None]) -> None:
    """Leave Ctrl-C and a closed terminal to the director, end in good order when it says so, and log where it is wanted."""
    for which in (signal.SIGINT, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    # From 3.14 on, a worker runs exit functions, where a SystemExit raised by the handler would be printed.
    atexit.register(signal.signal, signal.SIGTERM, signal.SIG_IGN)
    threading.Thread(target=_follow_director, daemon=True).start()
    log()


def _end(which: int, _: FrameType | None) -> None:
    """Unwind, which closes the bots at the table, and be gone soon in any case."""
    signal.signal(which, signal.SIG_IGN)
    stopping.end_soon(1, GRACE)
    sys.exit()


def _follow_director() -> None:
    """End this process when its director has ended, even by SIGKILL: otherwise it would wait for work without end."""
    director = multiprocessing.parent_process()
    if director is None:
        return
    wait([director.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    stopping.end_soon(1, GRACE)
