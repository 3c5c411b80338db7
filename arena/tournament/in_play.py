"""The fixtures that a pool of workers plays now, as many as it can use.

Two rules hold for every pool. Of two fixtures with the same ``deals`` (``Schedule``) the second is submitted when the caller
has stored the value of the first, so the order of their records is the order of play. A lost fixture is played again with nothing
else in play, so that no other fixture can cause its next loss. After TRIES losses it is *void*: on record as lost, with the reason,
and not played. Where the format counts lost fixtures as results, it has one try.

A pool reports that the worker of one job was lost by raising WorkerLostError from its future. A pool that raises BrokenExecutor, as
the standard library's process pool does, loses all that is in play and cannot say which job was the cause; then a failed try is
counted only for a fixture that was in play alone.
"""

import logging
import queue
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from itertools import chain
from types import TracebackType
from typing import Generic, Self, TypeVar

from arena.errors import WorkerLostError
from arena.records import Fixture
from arena.tournament.executors import tell_nobody
from arena.tournament.order import Schedule
from arena.tournament.void import VoidStreak

log = logging.getLogger(__name__)

TRIES = 3  # for a fixture whose worker is lost
TOGETHER = 100  # values that are yielded together at most; as records they are one transaction of one to ten megabytes
Value = TypeVar("Value")


class InPlay(Generic[Value]):
    """The fixtures in play, and the pool that plays them. Use it as a context manager, which shuts down the pool."""

    def __init__(
        self,
        open_pool: Callable[[], futures.Executor],
        ahead: int,
        submit: Callable[[futures.Executor, Fixture], Future[Value]],
        void: Callable[[Fixture, str], Value] | None = None,
        tries: int = TRIES,
        warn: Callable[[str], None] = tell_nobody,
        streak: VoidStreak | None = None,
    ) -> None:
        """Play at most ``ahead`` fixtures at a time, each up to ``tries`` times.

        ``open_pool`` opens a pool, and another one if its workers are lost; ``submit`` gives it the job of a fixture; ``void``
        makes the value of a void fixture from it and the reason; without ``void`` it ends the play. ``warn`` receives a line about
        each try that was lost; ``streak`` continues one of fixtures that were in play before.
        """
        self._open_pool = open_pool
        self._ahead = ahead
        self._submit_job = submit
        self._value_of_void = void
        self._tries = tries
        self._warn = warn
        self._streak = streak or VoidStreak()
        self._pool: futures.Executor | None = None
        self._inline = False  # the pool plays a fixture before ``submit`` returns
        self._playing: dict[Future[Value], tuple[Fixture, futures.Executor]] = {}
        # a queue, because futures.wait() takes a millisecond for a thousand futures
        self._done: queue.SimpleQueue[Future[Value]] = queue.SimpleQueue()
        self._lost: dict[str, int] = {}  # failed tries of each fixture that must be played again, alone

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close(cancel=kind is not None)

    def play(self, fixtures: Iterator[Fixture]) -> Iterator[Value]:
        """Yield the value of each fixture when it is done. Raises: as ``groups``."""
        return chain.from_iterable(self.groups(fixtures))

    def groups(self, fixtures: Iterator[Fixture]) -> Iterator[tuple[Value, ...]]:
        """Yield the values of the fixtures that are done, in groups: all that were done while the caller was busy.

        A fixture that waits for the deals of one of them is submitted when the caller, having stored this group, asks for the next.

        Raises: WorkerLostError, if more than ``MOST_LOST`` fixtures in a row are void, or one is and there is no ``void``; any
        other error of a fixture. The values before it are yielded first.
        """
        schedule = Schedule(fixtures)
        while True:
            self._fill(schedule)
            if not self._playing:
                return
            ended, error = self._take_done(schedule)
            # submit before yielding, so that no worker is idle while the caller stores the values
            if not (self._inline or error):
                self._fill(schedule)
            if ended:
                yield tuple(value for _, value in ended)
            if error:
                raise error
            for fixture, _ in ended:
                schedule.done(fixture)

    def _close(self, *, cancel: bool) -> None:
        """Shut down the pool. ``cancel``: what has not begun is cancelled, and arena's pools abort what is in play."""
        if self._pool:
            self._pool.shutdown(cancel_futures=cancel)
            self._pool = None

    def _fill(self, schedule: Schedule) -> None:
        while len(self._playing) < (1 if self._lost else self._ahead) and (fixture := schedule.start()):
            self._submit(fixture)
            if self._inline:
                return

    def _submit(self, fixture: Fixture) -> None:
        if self._pool is None:
            self._pool = self._open_pool()
        try:
            future = self._submit_job(self._pool, fixture)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        self._inline = future.done()
        self._playing[future] = (fixture, self._pool)
        future.add_done_callback(self._done.put)

    def _take_done(self, schedule: Schedule) -> tuple[list[tuple[Fixture, Value]], Exception | None]:
        """Return the fixtures that are done with their values, up to the first one that ends the run, and its error."""
        ended: list[tuple[Fixture, Value]] = []
        for future in self._next():
            fixture, pool = self._playing.pop(future)
            try:
                value = self._settle(future, fixture, pool)
            except Exception as error:  # noqa: BLE001 - raised again when the values are stored
                return ended, error
            if value is None:
                schedule.again(fixture)
            else:
                ended.append((fixture, value))
        return ended, None

    def _next(self) -> Iterator[Future[Value]]:
        """Wait until a fixture is done; yield it and others that are done."""
        yield self._done.get()
        with suppress(queue.Empty):
            for _ in range(TOGETHER - 1):
                yield self._done.get_nowait()

    def _settle(self, future: Future[Value], fixture: Fixture, pool: futures.Executor) -> Value | None:
        """Return the value of a future that is done; None if its fixture must be played again. Raises: WorkerLostError."""
        try:
            value = future.result()
        except WorkerLostError as error:
            return self._charge(fixture, error)
        except (BrokenExecutor, CancelledError) as error:
            if pool is self._pool:
                self._close(cancel=True)
            # A fixture that was lost before is in play alone. A cancelled one has not begun, so it must not lose its only try.
            if isinstance(error, BrokenExecutor) if self._tries == 1 else fixture.id in self._lost:
                return self._charge(fixture, error)
            self._report(f"{fixture.id}: lost with its pool, and played again: {error}")
            self._lost[fixture.id] = 0
        else:
            self._lost.pop(fixture.id, None)
            self._streak.end()
            return value
        return None

    def _charge(self, fixture: Fixture, error: Exception) -> Value | None:
        """Count a failed try; return the value of a fixture that is void now. Raises: WorkerLostError, as ``groups``."""
        lost = self._lost[fixture.id] = self._lost.get(fixture.id, 0) + 1
        self._report(f"{fixture.id}: lost in try {lost} of {self._tries}: {error}")
        if lost < self._tries:
            return None
        if self._value_of_void is None:
            raise WorkerLostError(f"fixture {fixture.id} could not be played in {self._tries} tries: {error}") from error
        del self._lost[fixture.id]
        self._streak.add(error)
        return self._value_of_void(fixture, str(error))

    def _report(self, line: str) -> None:
        log.warning("%s", line)
        self._warn(line)
