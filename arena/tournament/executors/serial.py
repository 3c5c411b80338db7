"""One fixture after the other, in this process."""

from collections.abc import Callable
from concurrent.futures import Executor as Pool
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from arena.tournament.executors.base import Executor

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


class Serial(Executor, frozen=True, kw_only=True, tag="serial"):
    """Plays each fixture as soon as it is handed in; for debugging, and for machines without processes to spare."""

    def open(self, workers: int, prepare: Callable[[], None]) -> Pool:  # noqa: ARG002 - it has one worker, this process
        """Return the pool that is this process; ``workers`` says nothing here, and nothing has to be prepared."""
        return _Here()


class _Here(Pool):
    def submit(self, work: Callable[Arguments, Value], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Future[Value]:
        future: Future[Value] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - whoever asks the future for its result is told
            future.set_exception(error)
        return future
