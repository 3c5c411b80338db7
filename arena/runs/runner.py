"""Where fixtures are played, and how their records are stored."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor as Pool
from contextlib import closing, contextmanager
from math import inf

import pluggy
from msgspec import ValidationError, convert
from msgspec.structs import replace

from arena import wording
from arena.errors import InputError
from arena.plugins import manager
from arena.records import Fixture, MatchRecord, Result
from arena.referee import job
from arena.referee.job import Job
from arena.runs import needs
from arena.runs.choice import chosen_part
from arena.runs.equal_deals import EqualDeals
from arena.store.store import Store
from arena.tournament.director import conduct
from arena.tournament.executors import processors
from arena.tournament.executors.base import Executor, tell_nobody
from arena.tournament.plan import Plan


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
        """Choose an executor by its name; ``work`` plays one fixture, until the monotonic clock of this machine shows ``until``.

        ``options``: of the executor, by name. ``warn`` receives what the user should know of workers that do not play fixtures.
        Raises: InputError, if there is no such executor, or it has no such option; MachineError, if it needs more than there is.
        """
        self.plugins = plugins
        self._part = _made(chosen_part(manager.executors(plugins), executor, "--executor"), executor, options or {})
        self.workers = self._part.workers(workers, len(processors.cores()))
        self.why_workers = _elsewhere(self.workers, self._part.where()) or _why(self.workers, workers, executor)
        needs.check(1 if self._part.where() else self.workers, bots=False)  # where there are bots, the command has checked it
        self._work = work
        self._until = until
        self._warn = warn

    def open(self, prepare: Callable[[], None], warn: Callable[[str], None] | None = None) -> Pool:
        """Return the pool of workers; each calls ``prepare`` once. ``warn`` receives what the user should know of them.

        Raises: InputError, ClusterError.
        """
        return self._part.open(self.workers, prepare, warn or self._warn)

    @contextmanager
    def opened(self, prepare: Callable[[], None]) -> Iterator[Pool]:
        """Open the pool, and shut it down at the end without what no worker has begun. Raises: as ``open``."""
        pool = self.open(prepare)
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

        ``played`` returns the results so far whenever the format is asked for more, ``warn`` receives what the user should know of
        skipped deals. Raises: OutOfTimeError; otherwise as ``conduct``.
        """
        warned: set[str] = set()

        def once(text: str) -> None:
            if text not in warned:
                warned.add(text)
                warn(text)

        def prepared(fixture: Fixture) -> Job:
            return replace(plan.job(fixture), until=self._until)

        def pool() -> Pool:
            return self.open(prepare, once)

        with (
            closing(EqualDeals(plan, prepared, store.records(), pool, warn)) as equal,
            closing(conduct(plan, played, pool, 2 * self.workers, self._work, equal.job)) as records,
        ):
            for arrived in records:
                stored = tuple(with_luck(record, plan) for record in arrived)
                store.add(*stored)
                for record in stored:
                    self.plugins.hook.arena_recorded(record=record)
                yield stored


def _made(part: type[Executor], name: str, options: Mapping[str, str]) -> Executor:
    """Return an executor with options. Raises: InputError."""
    try:
        return convert(dict(options), part, strict=False)
    except ValidationError as error:
        raise InputError(f"--executor {name}: {wording.explain(error)}") from None


def _elsewhere(workers: int, where: str) -> str:
    """Return how many matches are played elsewhere, for the user; empty: they are played here."""
    return f"at most {workers} matches at a time {where}" if where else ""


def _why(workers: int, asked: int | None, executor: str) -> str:
    """Return how many workers there are and why, for the user."""
    cores = len(processors.cores())
    if workers == asked:
        return f"workers: {workers}, by --workers; cores: {cores}"
    if workers == cores:
        return f"workers: {workers}, one for each core"
    return f"workers: {workers}, by the executor {executor}; cores: {cores}"


def with_luck(record: MatchRecord, plan: Plan) -> MatchRecord:
    """Return a record with the luck of its draws; only that of single hands, which are played to compare strength."""
    if record.fixture.hands is None:
        return record
    from arena.stats.luck import add_luck  # noqa: PLC0415 - needs numpy, 0.1 s to import; a league of matches never does

    return add_luck(record, plan.spec.rules, plan.seed or "", plan.luck)
