"""The bots that a thread is starting.

Until a bot is ready, the harness reads its launcher's status socket and lets its calls through. The two bots of a match start at
the same time, so code that waits for one of them serves both, without another thread or process.
"""

import os
import select
import sys
import threading
from collections.abc import Callable


class StartingBots:
    """Descriptors of bots that are starting, each with a function that receives the events of ``poll`` there."""

    def __init__(self) -> None:
        self._serve: dict[int, Callable[[int], None]] = {}
        self._poll = select.epoll() if sys.platform == "linux" else select.poll()
        self._unit = 1 if sys.platform == "linux" else 1000  # epoll takes a timeout in seconds, poll in milliseconds

    def add(self, descriptor: int, serve: Callable[[int], None]) -> None:
        """Serve a descriptor until it is removed."""
        self._serve[descriptor] = serve
        self._poll.register(descriptor, select.POLLIN)

    def remove(self, descriptor: int) -> None:
        """Stop serving a descriptor, if it is served; call this before it is closed."""
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
    starting: StartingBots | None = None  # None: no bot was started yet, and no descriptor is open


def of_this_thread() -> StartingBots:
    """Return the bots that this thread is starting."""
    if _own.starting is None:
        _own.starting = StartingBots()
    return _own.starting


def _forget() -> None:
    """Forget the parent's bots in a forked process; unregistering them would change the parent's epoll too."""
    _own.starting = None


_own = _OfThread()
os.register_at_fork(after_in_child=_forget)
