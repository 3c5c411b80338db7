"""How the processes of a run are stopped: the director by the user, its workers by the director."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def prepare(log: Callable[[], None]) -> None:
    """Leave Ctrl-C to the director, end in good order when it says so, and log where it is wanted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    log()


def _end(_: int, __: FrameType | None) -> None:
    """Unwind, so that the bots at the table are closed."""
    sys.exit()


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
