"""Asks for fixtures, has them played, and yields the records: the only loop of a tournament."""

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool

from arena.errors import WorkerLost
from arena.records import Fixture, MatchRecord, Result
from arena.referee import job
from arena.tournament.plan import Plan

log = logging.getLogger(__name__)

TRIES = 3  # a fixture whose worker was lost is played again twice


def conduct(
    plan: Plan, played: Callable[[], Sequence[Result]], pool: Callable[[], Executor], ahead: int
) -> Generator[MatchRecord, None, None]:
    """Yield the record of every fixture that the format still asks for.

    ``played`` tells what is on record; ``pool`` opens an executor, anew if its workers are lost; ``ahead`` is how many fixtures
    it holds at a time. Whoever takes a record has filed it before asking for the next. Raises: WorkerLost, if a fixture could not
    be played in three tries.
    """
    table = _Table(plan, pool, ahead)
    try:
        more = True
        while more:
            more = False
            for record in table.play(iter(plan.spec.format.fixtures(plan.names, played()))):
                more = True
                yield record
    except BaseException:
        table.close(break_off=True)
        raise
    table.close()


class _Table:
    """The fixtures in play, and the executor that plays them."""

    def __init__(self, plan: Plan, pool: Callable[[], Executor], ahead: int) -> None:
        self._plan = plan
        self._open = pool
        self._ahead = ahead
        self._executor: Executor | None = None
        self._playing: dict[Future[MatchRecord], tuple[Fixture, Executor]] = {}
        self._lost: dict[str, int] = {}  # by fixture: how often its worker was lost

    def play(self, fixtures: Iterator[Fixture]) -> Iterator[MatchRecord]:
        again: list[Fixture] = []
        while True:
            while len(self._playing) < self._ahead and (fixture := again.pop() if again else next(fixtures, None)):
                self._submit(fixture)
            if not self._playing:
                return
            done, _ = wait(self._playing, return_when=FIRST_COMPLETED)
            for future in done:
                fixture, executor = self._playing.pop(future)
                try:
                    record = future.result()
                except (WorkerLost, BrokenProcessPool) as error:
                    again.append(self._again(fixture, error))
                    if isinstance(error, BrokenProcessPool) and executor is self._executor:
                        self.close(break_off=True)
                else:
                    self._lost.pop(fixture.id, None)
                    yield record

    def close(self, *, break_off: bool = False) -> None:
        """End the executor; with ``break_off`` without waiting for what is being played."""
        if self._executor:
            self._executor.shutdown(cancel_futures=break_off)
            self._executor = None

    def _submit(self, fixture: Fixture) -> None:
        if self._executor is None:
            self._executor = self._open()
        try:
            future = self._executor.submit(job.play, self._plan.job(fixture))
        except BrokenProcessPool as error:
            future = Future()
            future.set_exception(error)
        self._playing[future] = (fixture, self._executor)

    def _again(self, fixture: Fixture, error: Exception) -> Fixture:
        """Return a fixture that is to be played again. Raises: WorkerLost."""
        lost = self._lost[fixture.id] = self._lost.get(fixture.id, 0) + 1
        log.warning("%s: lost, try %d of %d: %s", fixture.id, lost, TRIES, error)
        if lost >= TRIES:
            raise WorkerLost(f"fixture {fixture.id} could not be played in {TRIES} tries: {error}") from error
        return fixture
