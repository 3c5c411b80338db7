"""Plays one fixture after the other in this process."""

from collections.abc import Callable
from concurrent.futures import Executor as Pool
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from arena.tournament.executors.base import Executor, tell_nobody

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


class Serial(Executor, frozen=True, kw_only=True, tag="serial"):
    """Plays one fixture after the other in the main process; for debugging and for small machines."""

    def workers(self, asked: int | None, cores: int) -> int:  # noqa: ARG002 - any number would be this process
        """Return 1."""
        return 1

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> Pool:  # noqa: ARG002 - this process
        """Return a pool that plays in this process; the arguments are not used."""
        return _InProcess()


class _InProcess(Pool):
    def submit(self, work: Callable[Arguments, Value], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Future[Value]:
        future: Future[Value] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised again by future.result()
            future.set_exception(error)
        return future
