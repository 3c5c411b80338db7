"""The one module that configures logging: every process of a run writes into the same files, and no record is lost.

``multiprocessing_logging`` carries the records of forked workers to this process; it works with the start method *fork* alone, so
that is chosen wherever the platform has it and nobody has chosen another (from Python 3.14 on it is the default nowhere), and the
handler is installed before any worker starts. Elsewhere each worker writes files of its own beside those of this process.
"""

import logging
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from arena.players.traffic_log import stderr_log
from arena.runs.logs.files import RunFiles
from arena.runs.logs.pipe import RecordPipe

LEVELS = {name: name for name in ("DEBUG", "INFO", "WARNING", "ERROR")}


@contextmanager
def logging_to(path: Path, level: str) -> Iterator[Callable[[], None]]:
    """Log to a file while the context lasts; yields what every worker has to call once."""
    root = logging.getLogger()
    handler = RunFiles(path)
    _listen(handler, level)
    try:
        if _fork():
            with _gathered(root) as prepare:
                yield prepare
        else:
            yield partial(_own_files, path, level)
    finally:
        root.removeHandler(handler)
        handler.close()
        stderr_log.setLevel(logging.NOTSET)


def log_nowhere() -> None:
    """Log nothing, here or in a worker: the command prints what matters."""
    logging.getLogger("arena").addHandler(logging.NullHandler())


def _listen(handler: logging.Handler, level: str) -> None:
    """Log so much to a handler; what bots write to stderr at every level, for it is their own log."""
    root = logging.getLogger()
    root.setLevel(level)
    root.addHandler(handler)
    stderr_log.setLevel(logging.INFO)


def _fork() -> bool:
    """Choose fork, if there is one and nothing is chosen yet, and tell whether it is in force."""
    if multiprocessing.get_start_method(allow_none=True) is None and "fork" in multiprocessing.get_all_start_methods():
        multiprocessing.set_start_method("fork")
    return multiprocessing.get_start_method() == "fork"


@contextmanager
def _gathered(root: logging.Logger) -> Iterator[Callable[[], None]]:
    """Gather the records of all processes forked in the context; yields what each has to call once."""
    # imported here because the import asserts the start method fork
    from multiprocessing_logging import (  # noqa: PLC0415
        MultiProcessingHandler,
        install_mp_handler,
        uninstall_mp_handler,
    )

    with _pipes_as_queues():
        install_mp_handler(root)
    gatherers = [handler for handler in root.handlers if isinstance(handler, MultiProcessingHandler)]
    try:
        yield partial(_write_only, [gatherer.queue for gatherer in gatherers])
    finally:
        uninstall_mp_handler(root)
        for gatherer in gatherers:
            gatherer.close()


@contextmanager
def _pipes_as_queues() -> Iterator[None]:
    """Give each handler that is made in the context a pipe for a queue.

    A queue of multiprocessing has a lock that a worker who is killed may take along, and needs semaphores, which many containers do
    not have: sem_overview(7), /dev/shm.
    """
    queue = multiprocessing.Queue
    setattr(multiprocessing, "Queue", lambda _: RecordPipe())  # noqa: B010 - which mypy takes for a type
    try:
        yield
    finally:
        setattr(multiprocessing, "Queue", queue)  # noqa: B010 - likewise


def _write_only(pipes: list[RecordPipe]) -> None:
    """Prepare a worker whose records are gathered already."""
    for pipe in pipes:
        pipe.write_only()


def _own_files(path: Path, level: str) -> None:
    """Give a worker that shares nothing with the director a log of its own."""
    pid = os.getpid()
    _listen(RunFiles(path.with_suffix(f".{pid}.log"), mark=f".{pid}"), level)
