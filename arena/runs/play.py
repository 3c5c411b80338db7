"""Plays a plan: how commands, the pytest plugin and a person at the table have matches played and stored.

A run is a folder with a database. ``play`` opens it, checks that the plan may begin or resume there, starts every bot once, has the
director play what the format asks for, stores the records in groups, and hands the played run to ``conclude``, whose value it
returns; the database is open meanwhile. However the run ends, nothing that was stored is lost.
"""

import atexit
import multiprocessing
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent import futures
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache, partial
from math import inf
from multiprocessing.connection import wait
from typing import NamedTuple, TypeVar

import pluggy
from msgspec.structs import replace

from arena import signals
from arena.errors import BotUnavailableError, InputError, OutOfTimeError, RosterError, RunStoppedError
from arena.plugins import consent, manager
from arena.records import Fixture, MatchRecord, Result
from arena.referee import job
from arena.referee.job import Job
from arena.runs import needs, session
from arena.runs.logs import log_nowhere, logging_to
from arena.runs.sections import make_part, read_section
from arena.runs.session import RunStart
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import executors, seeds
from arena.tournament import plan as plans
from arena.tournament.director import conduct
from arena.tournament.executors import CoreCounts, Executor, tell_nobody
from arena.tournament.plan import Plan
from arena.tournament.spec import any_of
from arena.tournament.void import VoidStreak

# Where fixtures are played, and how their records are stored.


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
        self.workers = self._executor.workers(workers, len(executors.cores()))
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
    cores = len(executors.cores())
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


# The progress of a run, as callbacks for a command or a test.


class Observer:
    """Callbacks of a run; each does nothing by default."""

    def warning(self, text: str) -> None:
        """Receive a warning: on the trust that the results deserve, the bots or the workers."""

    def start(self, plan: Plan, folder: Folder) -> None:
        """Receive the plan with its seed, and where the run is stored; no bot has started yet, unless the run has grown."""

    def playing(self, workers: str, used_by_others: float) -> None:
        """Receive, before the first match, the number of workers with its reason, and how many cores other programs use."""

    def already_over(self, played: int) -> None:
        """Receive the number of matches of a run that is over: only its reports are written again."""

    def results(self, results: Sequence[Result]) -> None:
        """Receive all results whenever the format is asked for more fixtures."""

    def record(self, record: MatchRecord) -> None:
        """Receive a record that has just been stored."""


Value = TypeVar("Value")


class OpenRun(NamedTuple):
    """A run whose database is open."""

    plan: Plan  # with its seed
    folder: Folder
    store: Store


def play(
    start: RunStart,
    runner: Runner,
    observer: Observer,
    conclude: Callable[[OpenRun], Value],
    log_level: str | None = "INFO",
) -> Value:
    """Play what is left of a plan in its folder, and return what ``conclude`` makes of it. ``log_level`` None: log nothing.

    Raises: RunStoppedError, if the user stops it; RosterError, for a bot that does not start; BotUnavailableError, for one without
    a sandbox that ends the run; StoreError, SandboxError, WorkerLostError; InputError and ClusterError, if the executor cannot be
    opened.
    """
    before = executors.count()  # of processor time
    plan, folder = start.plan, start.folder
    assurance = plans.check_sandbox(plan)
    with session.open_run(folder) as store, reporting_stop(folder, store):
        for text in filter(None, (*session.sandbox_warnings(assurance), seeds.seed_warning(plan.seed))):
            observer.warning(text)
        start = session.decide(start, store)
        if start.grown:  # before that is stored: if a bot does not start, the run stays as it was
            for text in plans.check_starts(plan):
                observer.warning(text)
        for text in session.start_warnings(start):
            observer.warning(text)
        run = OpenRun(session.begin(start, store, assurance), folder, store)
        observer.start(run.plan, folder)
        with logging_to(folder.log, log_level) as log:
            if start.is_over:
                observer.already_over(len(store.results()))
            else:
                if not start.grown:
                    _check_bots_start(run, observer)
                _play(run, runner, observer, partial(prepare, log), before)
        return conclude(run)


def _play(run: OpenRun, runner: Runner, observer: Observer, prepare_worker: Callable[[], None], before: CoreCounts) -> None:
    """Play to the end, or until the runner's time is used up.

    ``before``: the counts of processor time before the command's own work. Raises: BotUnavailableError, which says what is stored.
    """
    observer.playing(runner.why_workers, executors.used_by_others(before, executors.count()))

    def read_results() -> Sequence[Result]:
        found = [*run.plan.earlier.results, *run.store.results()]
        observer.results(found)
        return found

    with closing(runner.play_and_store(run.plan, run.store, prepare_worker, read_results, observer.warning)) as records:
        try:
            for stored in records:
                for record in stored:
                    observer.record(record)
        except OutOfTimeError:
            return
        except BotUnavailableError as error:
            raise BotUnavailableError(f"{error}; {_kept(run.folder, run.store)}") from error
    run.store.finish()


def _check_bots_start(run: OpenRun, observer: Observer) -> None:
    """Start every bot once. Raises: RosterError, if one does not start; a run without results is then withdrawn."""
    try:
        for text in plans.check_starts(run.plan):
            observer.warning(text)
    except RosterError:
        if not run.store.results():
            run.store.withdraw()
        raise


def reporting_stop(folder: Folder, store: Store) -> AbstractContextManager[None]:
    """Turn a stop by the user into RunStoppedError, which says how many matches are stored."""
    return signals.reporting_stop(lambda: RunStoppedError(f"stopped; {_kept(folder, store)}"))


def _kept(folder: Folder, store: Store) -> str:
    """Return how many matches of a run are stored, and how it is resumed."""
    played = len(store.results())
    return f"{played} {'match is' if played == 1 else 'matches are'} stored in {folder.path}; the same command resumes the run"
