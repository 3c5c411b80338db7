"""The pool of a plugin's executor, whose futures are held to the contract, too."""

from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from functools import partial
from typing import Any

from arena.plugins.source import Source, UnexpectedError
from arena.plugins.typed import shown
from arena.records import MatchRecord
from arena.referee.job import Job


class HeldPool(futures.Executor):
    """The pool of a plugin's executor."""

    def __init__(self, pool: futures.Executor, source: Source) -> None:
        self._pool = pool
        self._source = source

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":  # noqa: ANN401 - any function
        """Submit a call; the future of a fixture has its record, or raises PluginError."""
        with self._source.naming():
            inner = self._pool.submit(work, *args, **kwargs)
            if not isinstance(inner, Future):
                raise UnexpectedError(shown(inner), "a concurrent.futures.Future")
        outer: Future[Any] = Future()
        inner.add_done_callback(partial(self._settle, outer, args))
        return outer

    def _settle(self, outer: "Future[Any]", args: tuple[Any, ...], inner: "Future[Any]") -> None:
        if inner.cancelled():
            outer.cancel()
        elif error := inner.exception():
            outer.set_exception(error)
        elif (found := _wrong_record(inner.result(), args)) is None:
            outer.set_result(inner.result())
        else:
            outer.set_exception(self._source.error(str(found)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's signature
        """Shut the pool down."""
        with self._source.naming():
            self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _wrong_record(value: Any, args: tuple[Any, ...]) -> UnexpectedError | None:  # noqa: ANN401 - of any type
    """Return the error of a value that is not the record of the fixture of a job; None for any other call."""
    job = args[0] if args else None
    if not isinstance(job, Job) or (isinstance(value, MatchRecord) and value.fixture == job.fixture):
        return None
    return UnexpectedError(shown(value), f"the record of {job.fixture.id}")
