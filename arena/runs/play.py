"""Plays a plan: the one way in which commands, the pytest plugin and a person at the table have matches played and stored.

A run is a folder with a database. ``play`` opens it, checks that the plan may begin or resume there, starts every bot once, has the
director play what the format asks for, stores each record before the next is asked for, and hands the played run to ``conclude``,
which makes what the caller wants of it while the database is still open. However it ends, nothing that was stored is lost.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from arena import stopping
from arena.errors import OutOfTimeError, RosterError, RunStoppedError
from arena.records import Result
from arena.runs import session
from arena.runs.growth import growth
from arena.runs.logs.setup import log_nowhere, logging_to
from arena.runs.observer import Observer
from arena.runs.runner import Runner
from arena.runs.worker import prepare
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import plan as plans
from arena.tournament import preflight
from arena.tournament.executors import processors
from arena.tournament.executors.processors import CoreCounts
from arena.tournament.plan import Plan

Value = TypeVar("Value")


class Run(NamedTuple):
    """A run whose database is open."""

    plan: Plan  # with its seed
    folder: Folder
    store: Store


def play(
    plan: Plan, folder: Folder, runner: Runner, observer: Observer, conclude: Callable[[Run], Value], log_level: str | None = "INFO"
) -> Value:
    """Play what is left of a plan in its folder, and return what ``conclude`` makes of it. ``log_level`` None: log nothing.

    Raises: RunStoppedError, if the user stops it; RosterError, for a bot that does not start; StoreError, SandboxError,
    WorkerLostError.
    """
    before = processors.count()
    assurance = plans.check_sandbox(plan)
    with session.opened(folder) as store, stopped_safely(folder, store):
        for text in (*session.sandbox_warnings(assurance), *session.seed_warnings(plan.seed)):
            observer.warning(text)
        about = (
            *session.title_warnings(plan, folder, store),
            *_growth_lines(plan, folder, store),
            *session.method_warnings(plan, store),
        )
        for text in about:
            observer.warning(text)
        run = Run(session.begin(plan, folder, store, assurance), folder, store)
        observer.begun(run.plan, folder)
        with logging_as(folder.log, log_level) as log:
            if session.is_over(store):
                observer.already_over(len(store.results()))
            else:
                _play(run, runner, observer, partial(prepare, log), before)
        return conclude(run)


def _play(run: Run, runner: Runner, observer: Observer, prepare_worker: Callable[[], None], before: CoreCounts) -> None:
    """Play to the end, until the observer has seen enough, or until the runner's time is used up.

    ``before``: a reading from before the command's own work.
    """
    _check_bots_start(run, observer)
    observer.playing(runner.why_workers, processors.used_by_others(before, processors.count()))

    def played() -> Sequence[Result]:
        results = [*run.plan.earlier.results, *run.store.results()]
        observer.asked(results)
        return results

    with closing(runner.play_and_store(run.plan, run.store, prepare_worker, played, observer.warning)) as records:
        try:
            for stored in records:
                for record in stored:
                    observer.recorded(record)
                if observer.enough():
                    return
        except OutOfTimeError:
            return
    run.store.finish()


def _growth_lines(plan: Plan, folder: Folder, store: Store) -> Iterator[str]:
    """Yield that a spec has grown, if it has. Raises: RosterError, if a bot does not start: then the run stays as it was."""
    grown = growth(plan, folder, store) if store.facts() else None
    if grown:
        preflight.check_starts(plan)
    yield from session.growth_lines(folder, grown)


def _check_bots_start(run: Run, observer: Observer) -> None:
    """Start every bot once. Raises: RosterError, if one does not start; if nothing was played, the run has not begun then."""
    try:
        for text in preflight.check_starts(run.plan):
            observer.warning(text)
    except RosterError:
        if not run.store.results():
            run.store.withdraw()
        raise


@contextmanager
def stopped_safely(folder: Folder, store: Store) -> Iterator[None]:
    """Say what is stored, if the user stops the run. Raises: RunStoppedError.

    A signal may arrive inside a library that turns it into an error of its own, so any error after a signal counts as stopped.
    """
    try:
        yield
    except BaseException as error:
        if not (stopping.requested() or isinstance(error, KeyboardInterrupt)):
            raise
        played = len(store.results())
        raise RunStoppedError(f"stopped; {played} matches are stored in {folder.path}; the same command resumes the run") from None


@contextmanager
def logging_as(path: Path, level: str | None) -> Iterator[Callable[[], None]]:
    """Log to a file and to those of the bots beside it, or nowhere; gives what every worker has to call once."""
    if level is None:
        log_nowhere()
        yield log_nowhere
    else:
        with logging_to(path, level) as log:
            yield log
