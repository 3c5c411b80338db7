"""The result of a job that has no fixture, so that nobody else repeats it when its worker is lost."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from arena.errors import WorkerLostError
from arena.tournament.in_play import TRIES

Value = TypeVar("Value")


def result(future: Future[Value], again: Callable[[], Future[Value]]) -> Value:
    """Return the result of a job; one that is lost is submitted by ``again``. Raises: WorkerLostError, after three tries."""
    for _ in range(TRIES - 1):
        try:
            return future.result()
        except WorkerLostError:
            future = again()
    return future.result()
