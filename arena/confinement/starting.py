"""Serves the bots of a thread while they start.

Until a bot is ready the harness works for it: it reads the launcher's status socket, and lets the bot's calls through. The two
bots of a match start at the same time, so what waits for one of them serves both. It needs no thread and no other process.
"""

import os
import select
import sys
import threading
from collections.abc import Callable


class Starting:
    """Descriptors of bots that start, each with a function that is called with the events of ``poll`` there."""

    def __init__(self) -> None:
        self._serve: dict[int, Callable[[int], None]] = {}
        self._poll = select.epoll() if sys.platform == "linux" else select.poll()
        self._unit = 1 if sys.platform == "linux" else 1000  # of a timeout, in each second

    def add(self, descriptor: int, serve: Callable[[int], None]) -> None:
        """Serve a descriptor until it is removed."""
        self._serve[descriptor] = serve
        self._poll.register(descriptor, select.POLLIN)

    def remove(self, descriptor: int) -> None:
        """Serve a descriptor no longer, if it is served; call this before it is closed."""
        if self._serve.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def fileno(self) -> int | None:
        """Return a descriptor that can be read when ``serve`` has something to do; None: this system has none."""
        return self._poll.fileno() if hasattr(self._poll, "fileno") else None

    def serve(self, seconds: float = 0.0) -> None:
        """Serve every descriptor on which something has happened; wait at most ``seconds`` for the first."""
        for descriptor, events in self._poll.poll(seconds * self._unit):
            if serve := self._serve.get(descriptor):  # serving another one may have removed it
                serve(events)


class _OfThread(threading.local):
    starting: Starting | None = None  # None: none has started yet, and no descriptor is open


def of_this_thread() -> Starting:
    """Return the bots of this thread that start."""
    if _own.starting is None:
        _own.starting = Starting()
    return _own.starting


def _forget() -> None:
    """Leave the parent's bots to the parent, whose descriptors a forked process shares."""
    _own.starting = None


_own = _OfThread()
os.register_at_fork(after_in_child=_forget)
