"""Tasks of a pool that are no fixtures. If a worker is lost, only its own task is repeated."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from concurrent.futures import Future
from functools import partial
from math import inf
from typing import TypeVar

from arena.errors import WorkerLostError
from arena.tournament.in_play import TRIES

Task = TypeVar("Task")
Value = TypeVar("Value")


def result_of(future: Future[Value], again: Callable[[], Future[Value]]) -> Value:
    """Return the result of a job; one that is lost is submitted by ``again``. Raises: WorkerLostError, after three tries."""
    for _ in range(TRIES - 1):
        try:
            return future.result()
        except WorkerLostError:
            future = again()
    return future.result()


def in_order(pool: futures.Executor, work: Callable[[Task], Value], tasks: Iterable[Task], ahead: float = inf) -> Iterator[Value]:
    """Yield the results of tasks in their order; at most ``ahead`` of them are submitted before the first result is awaited.

    Raises: WorkerLostError, for a task that is lost three times.
    """
    waiting: deque[tuple[Future[Value], Callable[[], Future[Value]]]] = deque()
    for task in tasks:
        waiting.append((pool.submit(work, task), partial(pool.submit, work, task)))
        if len(waiting) >= ahead:
            yield result_of(*waiting.popleft())
    while waiting:
        yield result_of(*waiting.popleft())
