"""The calls that wait for a worker of a cluster."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from arena.errors import WorkerLostError

VANISHED = 5  # after so many vanished workers, a call is a failed try of its fixture


class PoolCall:
    """A call and its future."""

    def __init__(self, work: Callable[[Any], Any], argument: Any) -> None:  # noqa: ANN401 - calls are generic
        self.work = work
        self.argument = argument
        self.future: Future[Any] = Future()
        self._vanished = 0

    def begin(self) -> bool:
        """Mark the call as running, which it is already if it was put back; False: it was cancelled."""
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def count_vanished(self, error: Exception) -> bool:
        """Count a worker that vanished in the call; True: play it again, False: its future has the error."""
        self._vanished += 1
        if self._vanished >= VANISHED:
            self.future.set_exception(WorkerLostError(f"{self._vanished} workers vanished in it, the last: {error}"))
        return self._vanished < VANISHED


class CallQueue:
    """Calls in the order in which they are to be played; at most ``most`` are taken at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: deque[PoolCall] = deque()
        self._taken = 0
        self._error: Exception | None = None  # of every call from now on
        self._closed = False
        self._changed = threading.Condition()

    def put(self, call: PoolCall) -> None:
        """Add a call. Raises: RuntimeError, after ``close``."""
        with self._changed:
            if self._closed:
                raise RuntimeError("cannot submit to a pool that has been shut down")
            if self._error:
                call.future.set_exception(self._error)
                return
            self._waiting.append(call)
            self._changed.notify()

    def take(self, leaves: Callable[[], bool]) -> PoolCall | None:
        """Wait for the next call and return it; None: ``leaves()`` is true, or the queue is closed and empty."""
        with self._changed:
            while not leaves():
                while self._waiting and self._taken < self._most:
                    call = self._waiting.popleft()
                    if call.begin():
                        self._taken += 1
                        return call
                if self._closed and not self._waiting:
                    break
                self._changed.wait()
            self._changed.notify()  # this thread may have been woken for a call, which another one has to take
        return None

    def done(self) -> None:
        """Count one call less among those that are taken: it was played, or has failed."""
        with self._changed:
            self._taken -= 1
            self._changed.notify()

    def put_back(self, call: PoolCall) -> None:
        """Return a call that was taken, to be played next; if the queue is closed or has failed, give the call an error instead."""
        with self._changed:
            self._taken -= 1
            if self._closed or self._error:
                call.future.set_exception(self._error or WorkerLostError("the pool was shut down"))
            else:
                self._waiting.appendleft(call)
            self._changed.notify()

    def wake(self) -> None:
        """Wake all waiting threads."""
        with self._changed:
            self._changed.notify_all()

    @property
    def busy(self) -> bool:
        """Tell whether a call waits or is being played."""
        with self._changed:
            return bool(self._waiting or self._taken)

    def fail(self, error: Exception) -> None:
        """Give every call that waits, and every later one, an error."""
        with self._changed:
            self._error = error
            while self._waiting:
                call = self._waiting.popleft()
                if call.begin():
                    call.future.set_exception(error)
            self._changed.notify_all()

    def close(self, *, cancel: bool) -> None:
        """Accept no more calls; with ``cancel`` those that wait are cancelled."""
        with self._changed:
            self._closed = True
            while cancel and self._waiting:
                call = self._waiting.popleft()
                if not call.future.cancel():
                    call.future.set_exception(WorkerLostError("the pool was shut down"))
            self._changed.notify_all()
