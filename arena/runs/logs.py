"""Configures logging; no other module does. The records of forked workers reach the log files of the run, also of a killed worker.

``multiprocessing_logging`` carries them through a pipe to this process, which writes the files. It works with the start method
*fork* only, so that is chosen where the platform has it and no other was chosen (from Python 3.14 on it is the default nowhere).
The handler is installed before any worker starts. With another start method each worker writes its own files beside this process's.
"""

import logging
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from logging.handlers import MemoryHandler
from pathlib import Path

from multiprocessing_logging import MultiProcessingHandler, install_mp_handler

from arena.players.traffic_log import stderr_log
from arena.runs.record_pipe import RecordPipe
from arena.runs.run_files import RunFiles

LEVELS = {name: name for name in ("DEBUG", "INFO", "WARNING", "ERROR")}  # by the name that the user gives


@contextmanager
def logging_to(path: Path, level: str | None) -> Iterator[Callable[[], None]]:
    """Log to a file, and to one of each bot beside it, while the context lasts; with None: nowhere.

    Yields the function that every worker has to call once.
    """
    if level is None:
        log_nowhere()
        yield log_nowhere
        return
    root = logging.getLogger()
    handler, level_before = RunFiles(path), root.level
    _listen(handler, level)
    try:
        if _choose_fork():
            with _gather(root, handler) as prepare:
                yield prepare
        else:
            yield partial(_own_files, path, level)
    finally:
        root.removeHandler(handler)
        handler.close()
        root.setLevel(level_before)
        stderr_log.setLevel(logging.NOTSET)


_NOWHERE = logging.NullHandler()


def log_nowhere() -> None:
    """Log nothing in this process: the command prints what matters."""
    logging.getLogger("arena").addHandler(_NOWHERE)  # the same each time: a server plays many matches


def log_warnings() -> None:
    """Print warnings to stderr, also while a run in this process logs nowhere."""
    logging.getLogger("arena").addHandler(logging.StreamHandler())


def _listen(handler: logging.Handler, level: str) -> None:
    """Send records of ``level`` and above to a handler; the bots' stderr at any level, since it is their own log."""
    root = logging.getLogger()
    root.setLevel(level)
    root.addHandler(handler)
    stderr_log.setLevel(logging.INFO)


def _choose_fork() -> bool:
    """Choose the start method fork, if the platform has it and none is chosen; return whether fork is in force."""
    if multiprocessing.get_start_method(allow_none=True) is None and "fork" in multiprocessing.get_all_start_methods():
        multiprocessing.set_start_method("fork")
    return multiprocessing.get_start_method() == "fork"


@contextmanager
def _gather(root: logging.Logger, own: logging.Handler) -> Iterator[Callable[[], None]]:
    """Gather the records of all processes forked in the context; yields the function that each has to call once.

    Handlers other than ``own`` belong to the program that calls arena, and stay open.
    """
    before = list(root.handlers)
    for handler in before:
        root.removeHandler(handler)
        root.addHandler(handler if handler is own else _forwarding(handler))
    with _pipes_as_queues():
        install_mp_handler(root)
    gatherers = [handler for handler in root.handlers if isinstance(handler, MultiProcessingHandler)]
    try:
        yield partial(_write_only, [gatherer.queue for gatherer in gatherers])
    finally:
        for gatherer in gatherers:
            root.removeHandler(gatherer)
        for handler in before:
            root.addHandler(handler)
        for gatherer in gatherers:
            gatherer.close()  # with the handler that it wraps


def _forwarding(target: logging.Handler) -> logging.Handler:
    """Return a handler that passes each record on at once, and leaves its target open when it is closed."""
    found = MemoryHandler(capacity=0, target=target)
    found.setLevel(target.level)
    return found


@contextmanager
def _pipes_as_queues() -> Iterator[None]:
    """Give each handler that is made in the context a pipe: a queue needs semaphores too, which many containers do not have.

    Source: sem_overview(7), /dev/shm.
    """
    queue = multiprocessing.Queue
    setattr(multiprocessing, "Queue", lambda _: RecordPipe())  # noqa: B010 - which mypy takes for a type
    try:
        yield
    finally:
        setattr(multiprocessing, "Queue", queue)  # noqa: B010 - likewise


def _write_only(pipes: list[RecordPipe]) -> None:
    """Prepare a forked worker, which has inherited the pipes."""
    for pipe in pipes:
        pipe.write_only()


def _own_files(path: Path, level: str) -> None:
    """Prepare a worker that was not forked: it logs to files of its own."""
    pid = os.getpid()
    _listen(RunFiles(path.with_suffix(f".{pid}.log"), mark=f".{pid}"), level)
