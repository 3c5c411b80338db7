"""Where fixtures are played, and how their records are stored."""

import atexit
import multiprocessing
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent import futures
from contextlib import closing, contextmanager
from functools import cache, partial
from math import inf
from multiprocessing.connection import wait

import pluggy
from msgspec.structs import replace

from arena.errors import InputError
from arena.plugins import consent, manager
from arena.records import Fixture, MatchRecord, Result
from arena.referee import job
from arena.referee.job import Job
from arena.runs import needs
from arena.runs.logs import log_nowhere
from arena.runs.sections import make_part, read_section
from arena.store.store import Store
from arena.tournament import core_use, executors
from arena.tournament.director import conduct
from arena.tournament.executors import Executor, tell_nobody
from arena.tournament.plan import Plan
from arena.tournament.spec import any_of
from arena.tournament.void import VoidStreak


class Runner:
    """An executor with its workers, and the plugins that receive each record."""

    def __init__(
        self,
        plugins: pluggy.PluginManager,
        executor: str = "local",
        workers: int | None = None,
        work: Callable[[Job], MatchRecord] = job.play,
        until: float = inf,
        warn: Callable[[str], None] = tell_nobody,
    ) -> None:
        """Choose an executor by its name, or as a section of a spec names one with its options.

        ``work`` plays one fixture; after ``until``, by the monotonic clock, no bot is asked. ``warn`` receives warnings about
        workers that do not play fixtures. Raises: InputError, if there is no such executor or option, or ``workers`` is below 1;
        MachineError, if it needs more than there is.
        """
        if workers is not None and workers < 1:
            raise InputError(f"workers: found {workers}; expected 1 or more")
        self.plugins = plugins
        self._executor = _make_executor(plugins, executor)
        self.workers = self._executor.workers(workers, len(core_use.cores()))
        where = self._executor.where()
        self.why_workers = _workers_reason(self.workers, workers, manager.name_of(type(self._executor)), where)
        needs.check(1 if where else self.workers, bots=False)  # the command has checked the needs of its bots
        self._work = work
        self._until = until
        self._warn = warn
        self._streak = VoidStreak()  # also over the rounds of a league, which are played one by one

    def open(self, prepare: Callable[[], None], warn: Callable[[str], None] | None = None) -> futures.Executor:
        """Return the pool of workers; each calls ``prepare`` once. ``warn`` receives warnings about them.

        Raises: InputError, ClusterError.
        """
        return self._executor.open(self.workers, prepare, warn or self._warn)

    @contextmanager
    def open_pool(self, prepare: Callable[[], None] | None = None) -> Iterator[futures.Executor]:
        """Open the pool, and shut it down at the end, which cancels tasks that have not begun; by default its workers log nothing.

        Raises: as ``open``.
        """
        pool = self.open(prepare or prepare_silently)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)

    def play_and_store(
        self,
        plan: Plan,
        store: Store,
        prepare: Callable[[], None],
        played: Callable[[], Sequence[Result]],
        warn: Callable[[str], None],
    ) -> Generator[tuple[MatchRecord, ...], None, None]:
        """Play what the format asks for; yield records once they are stored and the plugins have received them.

        Records that arrive while others are stored are stored together, so that a slow disk does not limit how many are played.

        ``played`` returns the results so far whenever the format is asked for more, ``warn`` receives warnings about workers.
        Raises: OutOfTimeError; otherwise as ``conduct``.
        """

        def make_job(fixture: Fixture) -> Job:
            return replace(plan.job(fixture), until=self._until)

        pool = partial(self.open, prepare, cache(warn))  # pools are opened again and again, with the same warnings
        with closing(conduct(plan, played, pool, 2 * self.workers, self._work, make_job, warn, self._streak)) as records:
            for arrived in records:
                stored = tuple(with_luck(record, plan) for record in arrived)
                store.add(*stored)
                for record in stored:
                    self.plugins.hook.arena_recorded(record=record)
                yield stored


def _make_executor(plugins: pluggy.PluginManager, text: str) -> Executor:
    """Return the executor that a text names, perhaps with options. Raises: InputError, with the nearest name; PluginError."""
    values, source = read_section(text, "executor")
    known = any_of(tuple(manager.executors(plugins).values()))
    made: Executor = make_part("executor", values, known, source, consent.hint())
    return made


def _workers_reason(workers: int, asked: int | None, executor: str, where: str) -> str:
    """Return the number of workers and its reason, for the user; ``where`` they are, empty: on this machine."""
    if where:
        return f"at most {workers} matches at a time {where}"
    cores = len(core_use.cores())
    if workers == asked:
        return f"workers: {workers}, by --workers; cores: {cores}"
    if workers == cores:
        return f"workers: {workers}, one for each core"
    return f"workers: {workers}, by the executor {executor}; cores: {cores}"


def with_luck(record: MatchRecord, plan: Plan) -> MatchRecord:
    """Return a record with the luck of its draws, if it is a batch of single hands, which are played to compare strength."""
    if record.fixture.hands is None:
        return record
    from arena.stats.luck import add_luck  # noqa: PLC0415 - needs numpy, 0.1 s to import; matches never need it

    return add_luck(record, plan.spec.rules, plan.seed or "", plan.luck)


def prepare(log: Callable[[], None]) -> None:
    """Prepare a worker: ignore SIGINT and SIGHUP, exit cleanly on SIGTERM and when the director ends, and set up its log."""
    director = multiprocessing.parent_process()  # None: a plugin's executor has started this process by other means
    for_ever = threading.Event().wait
    executors.end_with_director(partial(wait, [director.sentinel]) if director else for_ever, code=0)
    # From 3.14 on, a worker runs exit functions, where a SystemExit raised by the handler would be printed.
    atexit.register(signal.signal, signal.SIGTERM, signal.SIG_IGN)
    log()


def prepare_silently() -> None:
    """Prepare a worker that logs nothing: its errors reach the process that submitted the task."""
    prepare(log_nowhere)
