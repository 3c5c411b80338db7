"""Plays a plan: how commands, the pytest plugin and a person at the table have matches played and stored.

A run is a folder with a database. ``play_run`` opens it, checks that the plan may begin or resume there, starts every bot once,
has the director play what the format asks for, stores the records in groups, and hands the played run to ``conclude``, whose value
it returns; the database is open meanwhile. However the run ends, nothing that was stored is lost.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from typing import TypeVar

from arena import signals
from arena.errors import BotUnavailableError, OutOfTimeError, RosterError, RunStoppedError
from arena.records import MatchRecord, Result
from arena.runs import starts
from arena.runs.logs import logging_to
from arena.runs.open_run import OpenRun
from arena.runs.runner import Runner, prepare
from arena.runs.starts import RunStart
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import core_use, seeds
from arena.tournament.core_use import CoreCounts
from arena.tournament.plan import Plan, check_sandbox
from arena.tournament.preflight import check_starts


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


def play_run(
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
    before = core_use.count()  # of processor time
    plan, folder = start.plan, start.folder
    assurance = check_sandbox(plan)
    with starts.open_run(folder) as store, reporting_stop(folder, store):
        for text in filter(None, (*starts.sandbox_warnings(assurance), seeds.seed_warning(plan.seed))):
            observer.warning(text)
        start = starts.decide(start, store)
        if start.grown:  # before that is stored: if a bot does not start, the run stays as it was
            for text in check_starts(plan):
                observer.warning(text)
        for text in starts.start_warnings(start):
            observer.warning(text)
        run = OpenRun(starts.begin(start, store, assurance), folder, store)
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
    observer.playing(runner.why_workers, core_use.used_by_others(before, core_use.count()))

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
        for text in check_starts(run.plan):
            observer.warning(text)
    except RosterError:
        if not run.store.results():
            run.store.withdraw()
        raise


def reporting_stop(folder: Folder, store: Store) -> AbstractContextManager[None]:
    """Turn a stop by the user into RunStoppedError, which says how many matches are stored."""
    return signals.reporting_stop(lambda: RunStoppedError(f"stopped; {_kept(folder, store)}", folder.path))


def _kept(folder: Folder, store: Store) -> str:
    """Return how many matches of a run are stored, and how it is resumed."""
    played = len(store.results())
    return f"{played} {'match is' if played == 1 else 'matches are'} stored in {folder.path}; the same command resumes the run"
