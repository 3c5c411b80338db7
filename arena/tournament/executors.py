"""Executors, which open a ``concurrent.futures.Executor`` for a run: the base class, and one in this process."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from msgspec import Struct

from arena import signals

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def tell_nobody(_: str) -> None:
    """Discard a warning."""


GRACE = 2.0  # seconds for a worker that is to end to close its bots


def end_with_director(wait: Callable[[], object], code: int) -> None:
    """Ignore SIGINT and SIGHUP; exit with ``code`` on SIGTERM, and when ``wait``, which awaits the director's end, returns.

    Called in a worker, by ``prepare``. The director, which the user stops (``arena.signals``), may end by SIGKILL; a worker would
    then wait for work without end.
    """

    def end(which: int, _: object) -> None:
        """Exit after closing the bots; be killed after GRACE seconds."""
        signal.signal(which, signal.SIG_IGN)
        signals.end_soon(1, GRACE)
        sys.exit(code)

    def follow() -> None:
        wait()
        os.kill(os.getpid(), signal.SIGTERM)
        signals.end_soon(1, GRACE)  # here too: the main thread may be in C code, which delays its handler

    for which in (signal.SIGINT, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=follow, daemon=True).start()


class Executor(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """An executor. The fields of a subclass are its options; its docstring is its manual."""

    def workers(self, asked: int | None, cores: int) -> int:
        """Return the number of workers to open; ``asked``: the user's number, None for the executor's choice."""
        return asked or cores

    def where(self) -> str:
        """Return where the matches are played, for the user; empty: on this machine."""
        return ""

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> futures.Executor:
        """Return a pool of ``workers`` workers; each calls ``prepare`` once, before its first fixture.

        ``warn`` receives, from any thread, warnings about the workers for the user.
        """
        raise NotImplementedError


class Serial(Executor, frozen=True, kw_only=True, tag="serial"):
    """Plays one fixture after the other in the main process; for debugging and for small machines."""

    def workers(self, asked: int | None, cores: int) -> int:  # noqa: ARG002 - any number would be this process
        """Return 1."""
        return 1

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> futures.Executor:  # noqa: ARG002 - this process
        """Return a pool that plays in this process; the arguments are not used."""
        return _InProcess()


class _InProcess(futures.Executor):
    def submit(self, work: Callable[Arguments, Value], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Future[Value]:
        future: Future[Value] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised again by future.result()
            future.set_exception(error)
        return future
