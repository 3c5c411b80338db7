"""The results of jobs that have no fixture, so that nobody else repeats one when its worker is lost."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from typing import TypeVar

from arena.errors import WorkerLostError
from arena.tournament.in_play import TRIES

Task = TypeVar("Task")
Value = TypeVar("Value")


def result(future: Future[Value], again: Callable[[], Future[Value]]) -> Value:
    """Return the result of a job; one that is lost is submitted by ``again``. Raises: WorkerLostError, after three tries."""
    for _ in range(TRIES - 1):
        try:
            return future.result()
        except WorkerLostError:
            future = again()
    return future.result()


def in_order(pool: Executor, work: Callable[[Task], Value], tasks: Iterable[Task]) -> Iterator[Value]:
    """Yield the results of tasks that are submitted at once. Raises: WorkerLostError, for one that is lost three times."""
    for task, future in [(task, pool.submit(work, task)) for task in tasks]:
        yield result(future, partial(pool.submit, work, task))
