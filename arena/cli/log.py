"""The one module that configures logging: every process of a run writes into one file, and no record is lost.

``multiprocessing_logging`` carries the records of forked workers to this process; it works with the start method *fork* alone, so
that is chosen wherever the platform has it, and the handler is installed before any worker starts. Elsewhere each worker writes a
file of its own beside the log.
"""

import logging
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

LOST = 2.0  # seconds in which not one record comes, so that the rest is lost
FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"


@contextmanager
def logging_to(path: Path, level: str) -> Iterator[Callable[[], None]]:
    """Log to a file while the context lasts; yields what every worker has to call once."""
    root = logging.getLogger()
    handler = _file(path)
    root.setLevel(level)
    root.addHandler(handler)
    try:
        if _fork():
            with _gathered(root):
                yield _nothing
        else:
            yield partial(_own_file, path, level)
    finally:
        root.removeHandler(handler)
        handler.close()


def _fork() -> bool:
    """Choose fork, where there is one, and tell whether it is in force."""
    if "fork" in multiprocessing.get_all_start_methods():
        multiprocessing.set_start_method("fork", force=True)
    return multiprocessing.get_start_method() == "fork"


@contextmanager
def _gathered(root: logging.Logger) -> Iterator[None]:
    from multiprocessing_logging import MultiProcessingHandler, install_mp_handler, uninstall_mp_handler

    install_mp_handler(root)
    queues = [handler.queue for handler in root.handlers if isinstance(handler, MultiProcessingHandler)]
    try:
        yield
    finally:
        if not _all_came(lambda: sum(queue.qsize() for queue in queues)):
            for queue in queues:
                queue.cancel_join_thread()  # a worker killed as it wrote holds the queue's lock for ever
        gatherers = [handler for handler in root.handlers if isinstance(handler, MultiProcessingHandler)]
        uninstall_mp_handler(root)
        for gatherer in gatherers:
            gatherer.close()


def _all_came(under_way: Callable[[], int]) -> bool:
    """Wait until no record is under way any more; those of a worker that was killed are counted, but never come."""
    last, since = 0, time.monotonic()
    while (now := under_way()) and time.monotonic() - since < LOST:
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(0.01)
    return not now


class _File(logging.FileHandler):
    """Writes what it can: a tournament goes on without its log, and a full disk is told by what has to be filed."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)

    def close(self) -> None:
        with suppress(OSError):  # of what could not be written before
            super().close()


def _file(path: Path) -> logging.Handler:
    handler = _File(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter(FORMAT))
    return handler


def _nothing() -> None:
    """Prepare a worker whose records are gathered already."""


def _own_file(path: Path, level: str) -> None:
    """Give a worker that shares nothing with the director a log of its own."""
    root = logging.getLogger()
    root.setLevel(level)
    root.addHandler(_file(path.with_suffix(f".{os.getpid()}.log")))
