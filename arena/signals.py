"""Signal handlers for the time of a context."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None], *signals: signal.Signals) -> Iterator[None]:
    """Handle signals with ``handler`` inside the context; one that is ignored, as SIGHUP under nohup, stays ignored."""
    before = {number: signal.signal(number, handler) for number in signals if signal.getsignal(number) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
