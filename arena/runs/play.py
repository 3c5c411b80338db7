"""Plays a plan: how commands, the pytest plugin and a person at the table have matches played and stored.

A run is a folder with a database. ``play`` opens it, checks that the plan may begin or resume there, starts every bot once, has the
director play what the format asks for, stores the records in groups, and hands the played run to ``conclude``, whose value it
returns; the database is open meanwhile. However the run ends, nothing that was stored is lost.
"""

import atexit
import multiprocessing
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures import Executor as Pool
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import cache, partial
from itertools import count
from math import inf
from multiprocessing.connection import wait
from typing import NamedTuple, TypeVar

import pluggy
from msgspec import ValidationError, convert
from msgspec.structs import replace

from arena import signals
from arena import text as wording
from arena.errors import BotUnavailableError, InputError, OutOfTimeError, RosterError, RunStoppedError, WorkerLostError
from arena.plugins import manager
from arena.records import Fixture, HandRecord, MatchRecord, Result
from arena.referee import job
from arena.referee.asking import EqualHands, EqualityProbe, probe
from arena.referee.job import Job
from arena.runs import needs, session
from arena.runs.chosen import chosen_part
from arena.runs.logs import log_nowhere, logging_to
from arena.runs.session import RunStart
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import executors, seeds
from arena.tournament import plan as plans
from arena.tournament.director import conduct
from arena.tournament.executors import CoreCounts, Executor, tell_nobody
from arena.tournament.formats.base import Twins
from arena.tournament.plan import Plan
from arena.tournament.tasks import result_of
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
        options: Mapping[str, str] | None = None,
        warn: Callable[[str], None] = tell_nobody,
    ) -> None:
        """Choose an executor by its name. ``work`` plays one fixture; after ``until``, by the monotonic clock, no bot is asked.

        ``options``: of the executor, by name. ``warn`` receives warnings about workers that do not play fixtures.
        Raises: InputError, if there is no such executor or option, or ``workers`` is below 1; MachineError, if it needs more than
        there is.
        """
        if workers is not None and workers < 1:
            raise InputError(f"workers: found {workers}; expected 1 or more")
        self.plugins = plugins
        self._executor = _make_executor(chosen_part(manager.executors(plugins), executor, "--executor"), executor, options or {})
        self.workers = self._executor.workers(workers, len(executors.cores()))
        where = self._executor.where()
        self.why_workers = _workers_reason(self.workers, workers, executor, where)
        needs.check(1 if where else self.workers, bots=False)  # the command has checked the needs of its bots
        self._work = work
        self._until = until
        self._warn = warn
        self._streak = VoidStreak()  # also over the rounds of a league, which are played one by one

    def open(self, prepare: Callable[[], None], warn: Callable[[str], None] | None = None) -> Pool:
        """Return the pool of workers; each calls ``prepare`` once. ``warn`` receives warnings about them.

        Raises: InputError, ClusterError.
        """
        return self._executor.open(self.workers, prepare, warn or self._warn)

    @contextmanager
    def open_pool(self, prepare: Callable[[], None] | None = None) -> Iterator[Pool]:
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

        ``played`` returns the results so far whenever the format is asked for more, ``warn`` receives warnings about skipped deals
        and workers. Raises: OutOfTimeError; otherwise as ``conduct``.
        """

        def make_job(fixture: Fixture) -> Job:
            return replace(plan.job(fixture), until=self._until)

        pool = partial(self.open, prepare, cache(warn))  # pools are opened again and again, with the same warnings
        with (
            closing(EqualDeals(plan, make_job, store.records(), pool, warn)) as equal,
            closing(conduct(plan, played, pool, 2 * self.workers, self._work, equal.job, warn, self._streak)) as records,
        ):
            for arrived in records:
                stored = tuple(with_luck(record, plan) for record in arrived)
                store.add(*stored)
                for record in stored:
                    self.plugins.hook.arena_recorded(record=record)
                yield stored


def _make_executor(part: type[Executor], name: str, options: Mapping[str, str]) -> Executor:
    """Return an executor with options. Raises: InputError, for an option that it lacks or a wrong value."""
    if unknown := next((option for option in options if option not in part.__struct_fields__), None):
        found = options[unknown]
        raise InputError(f"--{unknown}: found {found!r}, but --executor {name} has no {unknown}; expected --executor dask")
    try:
        return convert(dict(options), part, strict=False)
    except ValidationError as error:
        raise InputError(f"--executor {name}: {wording.explain(error)}") from None


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


# Deals that a comparison need not play, found before its fixtures are submitted.
#
# *Twins* are fixtures that have the same hands if two bots make the same decisions. A probe has one bot play such hands, and asks
# the other at each of these turns. Hands in which both agree are known, and no fixture of the twins plays them.
#
# The deals are probed in chunks (``arena.referee.asking``). A chunk is four times as large as the one before, up to LARGEST, so
# that a comparison of two bots that differ everywhere loses little, and one of two that differ nowhere starts few processes. Which
# deals are in a chunk depends only on their numbers, so a run that is resumed skips what it would have skipped.
#
# A bot that answers otherwise when it is asked again ends the skipping: the rest of its part and all later chunks are played,
# except hands that a stored leg skipped.

SMALLEST = 8  # deals of the first chunk
LARGEST = 128
GROWTH = 4
PART = 64  # deals that one worker probes; if the number depended on the machine, each would skip other deals


class EqualDeals:
    """Makes the jobs of a plan, with the hands that need not be played: both bots make the same decisions in them."""

    def __init__(
        self,
        plan: Plan,
        make_job: Callable[[Fixture], Job],
        stored: Iterable[MatchRecord],
        open_pool: Callable[[], Pool],
        warn: Callable[[str], None],
    ) -> None:
        """Begin before the first chunk; a leg whose other leg is ``stored`` skips the same hands.

        ``make_job`` returns the job of a fixture, without known hands.
        """
        self._plan = plan
        self._make_job = make_job
        self._open_pool = open_pool
        self._warn = warn
        self._pool: Pool | None = None
        # a format without twins skips nothing, and its records need not be read
        skipping = stored if plan.spec.format.twins(plan.names, 0) else ()
        self._stored = {record.fixture.id: tuple(hand for hand in record.hands if hand.skipped) for record in skipping}
        self._chunks = chunks(plan)
        self._chunk_of: dict[str, list[Twins]] = {}  # by the id of a fixture; empty: the chunk was probed
        self._known: dict[str, tuple[HandRecord, ...]] = {}
        self._gave_up = False  # a bot answered otherwise when it was asked again

    def job(self, fixture: Fixture) -> Job:
        """Return the job of a fixture, with the hands that need not be played. Raises: OutOfTimeError."""
        if chunk := self._find(fixture):
            if not self._gave_up:
                self._probe(chunk)
            self._take_stored(chunk)
            chunk.clear()
        return replace(self._make_job(fixture), known=self._known.get(fixture.id, ()))

    def close(self) -> None:
        """Shut down the pool of the probes."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _find(self, fixture: Fixture) -> list[Twins] | None:
        while fixture.id not in self._chunk_of:
            chunk = next(self._chunks, None)
            if chunk is None:
                return None
            self._chunk_of.update({leg: chunk for twins in chunk for leg in twins.legs})
        return self._chunk_of[fixture.id]

    def _probe(self, chunk: Sequence[Twins]) -> None:
        parts = list(_parts_for_workers(chunk))
        self._pool = self._pool or self._open_pool()
        futures = [self._submit(part) for part in parts]
        for part, future in zip(parts, futures, strict=True):
            with suppress(WorkerLostError, BrokenExecutor, CancelledError):  # then all these deals are played
                # a lost probe is repeated, so that a killed worker changes nothing that is stored
                self._learn(part, result_of(future, partial(self._submit, part)))

    def _submit(self, part: Sequence[Twins]) -> Future[EqualHands]:
        assert self._pool
        launches = {bot.name: bot.launch for bot in self._plan.field}
        jobs = tuple(self._make_job(twins.played) for twins in part)
        return self._pool.submit(probe, EqualityProbe(jobs=jobs, new=launches[part[0].bot], asked=part[0].asked))

    def _learn(self, part: Sequence[Twins], found: EqualHands) -> None:
        if found.odd and not self._gave_up:
            self._gave_up = True
            names = sorted({bot.name for bot in self._plan.field if bot.launch in found.odd})
            self._warn(f"{' and '.join(names)} may answer the same turn differently, so no more deals are skipped as equal")
        for twins, hands in zip(part, found.known, strict=True):
            self._known.update(dict.fromkeys(twins.legs, hands))

    def _take_stored(self, chunk: Sequence[Twins]) -> None:
        """Have each leg skip the hands that its stored twin skipped: a resumed run must not skip a hand in one leg alone."""
        for twins in chunk:
            for hands in [self._stored[leg] for leg in twins.legs if leg in self._stored]:
                self._known.update(dict.fromkeys(twins.legs, hands))


def chunks(plan: Plan) -> Iterator[list[Twins]]:
    """Yield the twins of a format in chunks that grow."""
    numbers, deals = count(), SMALLEST
    while twins := list(_next_twins(plan, numbers, deals)):
        yield twins
        deals = min(LARGEST, GROWTH * deals)


def _next_twins(plan: Plan, numbers: Iterator[int], deals: int) -> Iterator[Twins]:
    """Yield the twins of the format's next numbers, until they have at least this number of deals."""
    while deals > 0 and (twins := plan.spec.format.twins(plan.names, next(numbers))):
        yield from twins
        deals -= twins[0].played.hands or 0


def _parts_for_workers(chunk: Sequence[Twins]) -> Iterator[Sequence[Twins]]:
    """Yield parts of about PART deals, each for one worker: the same bots play and are asked in the same seats."""
    groups = defaultdict[tuple[object, ...], list[Twins]](list)
    for twins in chunk:
        groups[twins.played.seats, twins.asked].append(twins)
    for group in groups.values():
        size = -(-PART // (group[0].played.hands or 1))
        yield from (group[first : first + size] for first in range(0, len(group), size))


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
        """Receive a warning: on the trust that the results deserve, the bots, the workers or the skipping of deals."""

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
