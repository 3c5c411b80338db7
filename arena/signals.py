"""Signals that a program hears in its own way while a context lasts."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def heard(by: Callable[[int, FrameType | None], None], *several: signal.Signals) -> Iterator[None]:
    """Have ``by`` hear some signals while the context lasts; what is ignored, as SIGHUP under nohup, stays ignored."""
    before = {which: signal.signal(which, by) for which in several if signal.getsignal(which) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
