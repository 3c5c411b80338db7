"""Where fixtures are played, who is told of them, and how their records are filed."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor as Pool

    import pluggy

    from arena.records import MatchRecord, Result
    from arena.store.store import Store
    from arena.tournament.plan import Plan


class Venue:
    """An executor and its workers, and the plugins that are told of each record."""

    def __init__(self, plugins: "pluggy.PluginManager", executor: str, workers: int | None) -> None:
        """Raise InputError, if there is no such executor."""
        from arena.cli.choice import chosen
        from arena.plugins.manager import executors

        self.plugins = plugins
        self.workers = workers or cores()
        self._part = chosen(executors(plugins), executor, "--executor")()

    def open(self, prepare: Callable[[], None]) -> "Pool":
        """Return the pool of workers, each of which is prepared."""
        return self._part.open(self.workers, prepare)


def cores() -> int:
    """Return how many cores this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def filed(
    plan: "Plan",
    store: "Store",
    venue: Venue,
    prepare: Callable[[], None],
    asked: "Callable[[Sequence[Result]], None] | None" = None,
) -> "Generator[MatchRecord, None, None]":
    """Play what the format asks for; yield each record, once it is filed and the plugins have been told.

    ``asked`` is told of all results whenever the format is asked for more.
    """
    from arena.tournament.director import conduct

    def played() -> "Sequence[Result]":
        results = store.results()
        if asked:
            asked(results)
        return results

    measure = luck_of(plan)
    with closing(conduct(plan, played, lambda: venue.open(prepare), 2 * venue.workers)) as records:
        for record in records:
            measured = measure(record)
            store.add(measured)
            venue.plugins.hook.arena_recorded(record=measured)
            yield measured


def luck_of(plan: "Plan") -> "Callable[[MatchRecord], MatchRecord]":
    """Return what measures the luck in a record: of single hands alone, for they are played to tell who is stronger."""
    from arena.stats.luck import measured

    seed = plan.seed or ""
    return lambda record: record if record.fixture.hands is None else measured(record, plan.spec.rules, seed)
