"""Has an executor play fixtures, as many at a time as its workers can use.

Two rules hold for every executor. Of two fixtures with the same ``deals`` (``Schedule``) the second is submitted when the caller
has stored the value of the first, so the order of their records is the order of play. A lost fixture is played again with nothing
else in play, so that no other fixture can cause its next loss.

An executor reports that the worker of one job was lost by raising WorkerLostError from its future. An executor that raises
BrokenExecutor, as the standard library's process pool does, loses everything in flight and cannot say which job was the cause;
then a fixture is charged with a failed try only if it was in play alone.
"""

import logging
import queue
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from itertools import chain
from types import TracebackType
from typing import Generic, Self, TypeVar

from arena.errors import WorkerLostError
from arena.records import Fixture
from arena.tournament.schedule import Schedule

log = logging.getLogger(__name__)

TRIES = 3  # for a fixture whose worker is lost
MOST_LOST = 10  # fixtures in a row that count as lost; more are no chance, so the run stops
TOGETHER = 100  # values that are yielded together at most: records of a megabyte or ten, in one transaction

Value = TypeVar("Value")


class InPlay(Generic[Value]):
    """The fixtures in play, and the executor that plays them. Use it as a context manager, which shuts down the executor."""

    def __init__(
        self,
        pool: Callable[[], Executor],
        ahead: int,
        submit: Callable[[Executor, Fixture], Future[Value]],
        lost: Callable[[Fixture, str], Value] | None = None,
    ) -> None:
        """Play at most ``ahead`` fixtures at a time.

        ``pool`` opens an executor, and another one if its workers are lost; ``submit`` gives it the job of a fixture; ``lost``
        returns the value of a fixture that was lost, for the reason given; None: it is played again.
        """
        self._open = pool
        self._ahead = ahead
        self._submit_job = submit
        self._value_of_lost = lost
        self._lost_in_a_row = 0
        self._executor: Executor | None = None
        self._inline = False  # the executor plays a fixture before ``submit`` returns
        self._playing: dict[Future[Value], tuple[Fixture, Executor]] = {}
        self._done: queue.SimpleQueue[Future[Value]] = queue.SimpleQueue()  # to wait for a thousand futures takes a millisecond
        self._lost: dict[str, int] = {}  # failed tries of each fixture that must be played again, alone

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close(cancel=kind is not None)

    def play(self, fixtures: Iterator[Fixture]) -> Iterator[Value]:
        """Yield the value of each fixture when it is done. Raises: as ``groups``."""
        return chain.from_iterable(self.groups(fixtures))

    def groups(self, fixtures: Iterator[Fixture]) -> Iterator[tuple[Value, ...]]:
        """Yield the values of the fixtures that are done, together those that were done while the caller was busy.

        A fixture that waits for the deals of one of them is submitted when the caller asks for more, and so has stored these.

        Raises: WorkerLostError, if a fixture was lost in three tries; the error of a fixture; both after all values before it.
        """
        schedule = Schedule(fixtures)
        while True:
            self._fill(schedule)
            if not self._playing:
                return
            ended, error = self._ended(schedule)
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
        """Shut down the executor; with ``cancel`` without waiting for the fixtures in play."""
        if self._executor:
            self._executor.shutdown(cancel_futures=cancel)
            self._executor = None

    def _fill(self, schedule: Schedule) -> None:
        while len(self._playing) < (1 if self._lost else self._ahead) and (fixture := schedule.start()):
            self._submit(fixture)
            if self._inline:
                return

    def _submit(self, fixture: Fixture) -> None:
        if self._executor is None:
            self._executor = self._open()
        try:
            future = self._submit_job(self._executor, fixture)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        self._inline = future.done()
        self._playing[future] = (fixture, self._executor)
        future.add_done_callback(self._done.put)

    def _ended(self, schedule: Schedule) -> tuple[list[tuple[Fixture, Value]], Exception | None]:
        """Return the fixtures that are done with their values, up to the first one that ends the run, and its error."""
        ended: list[tuple[Fixture, Value]] = []
        for future in self._next():
            fixture, executor = self._playing.pop(future)
            try:
                value = self._settled(future, fixture, executor)
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

    def _settled(self, future: Future[Value], fixture: Fixture, executor: Executor) -> Value | None:
        """Return the value of a future that is done; None if its fixture must be played again. Raises: WorkerLostError."""
        try:
            value = future.result()
        except WorkerLostError as error:
            if self._value_of_lost:
                return self._count_lost(fixture, error, self._value_of_lost)
            self._charge(fixture, error)
        except (BrokenExecutor, CancelledError) as error:
            if executor is self._executor:
                self._close(cancel=True)
            # one that was cancelled has not begun
            if self._value_of_lost and isinstance(error, BrokenExecutor):
                return self._count_lost(fixture, error, self._value_of_lost)
            # a fixture that was lost before is in play alone
            if fixture.id in self._lost:
                self._charge(fixture, error)
            else:
                log.warning("%s: lost with its executor: %s", fixture.id, error)
                self._lost[fixture.id] = 0
        else:
            self._lost.pop(fixture.id, None)
            self._lost_in_a_row = 0
            return value
        return None

    def _count_lost(self, fixture: Fixture, error: Exception, value: Callable[[Fixture, str], Value]) -> Value:
        """Return the value of a fixture that was lost and is not played again. Raises: WorkerLostError, for too many in a row."""
        self._lost_in_a_row += 1
        log.warning("%s: lost, and not played again: %s", fixture.id, error)
        if self._lost_in_a_row > MOST_LOST:
            raise WorkerLostError(f"more than {MOST_LOST} legs in a row were lost, the last: {error}") from error
        return value(fixture, str(error))

    def _charge(self, fixture: Fixture, error: Exception) -> None:
        """Count a failed try. Raises: WorkerLostError, if it was the last."""
        lost = self._lost[fixture.id] = self._lost.get(fixture.id, 0) + 1
        log.warning("%s: lost, try %d of %d: %s", fixture.id, lost, TRIES, error)
        if lost >= TRIES:
            raise WorkerLostError(f"fixture {fixture.id} could not be played in {TRIES} tries: {error}") from error
