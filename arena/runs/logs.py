"""Configures logging; no other module does. The records of forked workers reach the log files of the run, also of a killed worker.

``multiprocessing_logging`` carries them through a pipe to this process, which writes the files. It works with the start method
*fork* only, so that is chosen where the platform has it and no other was chosen (from Python 3.14 on it is the default nowhere).
The handler is installed before any worker starts. With another start method each worker writes its own files beside this process's.
"""

import contextlib
import logging
import multiprocessing
import os
import pickle
import select
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from logging import LogRecord
from logging.handlers import MemoryHandler
from pathlib import Path
from queue import Empty
from struct import Struct

from multiprocessing_logging import MultiProcessingHandler, install_mp_handler

from arena import disk
from arena.errors import StoreError
from arena.players.traffic_log import stderr_log
from arena.runs.log_file import LogFile
from arena.text import in_one_line, printable

# The log files of a run: one of all its processes, and one of each bot's stderr.

FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"
BOTS = "bots"  # folder
STDERR_BYTES = 1 << 20  # of a bot's file, before it replaces NAME.stderr.1


class RunFiles(logging.Handler):
    """Writes records that name a bot into ``bots/NAME.stderr``, and the others into the log.

    ``mark`` is part of the names of the bots' files, where each process writes its own. Raises: StoreError, OSError.
    """

    def __init__(self, path: Path, mark: str = "") -> None:
        super().__init__()
        self._bots = disk.inside(path.parent, BOTS)
        for known in self._bots.glob("*.stderr*"):  # now, because a record is not the place to refuse the folder
            disk.check_own(known)
        self._mark = mark
        self._log = LogFile(path)
        self._log.setFormatter(_Printable(FORMAT))
        self._log.handleError = self.handleError  # type: ignore[method-assign] # one warning for all files
        self._files: dict[str, logging.Handler] = {}
        self._has_warned = False  # that records are lost

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            self._file(getattr(record, "bot", "")).handle(record)
        except (OSError, StoreError):
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's name and signature
        """Warn once that records are lost: a full disk must not stop the run, nor print a traceback for each record."""
        if not self._has_warned:
            self._has_warned = True
            sys.stderr.write(f"arena: cannot write a log: {sys.exc_info()[1]}; from here on records are missing\n")

    def close(self) -> None:
        """Close every file."""
        for file in (self._log, *self._files.values()):
            with contextlib.suppress(OSError):  # a failure was reported before
                file.close()
        super().close()

    def _file(self, bot: str) -> logging.Handler:
        if bot and bot not in self._files:
            disk.make_folder(self._bots.parent, BOTS)
            self._files[bot] = self._open(bot)
        return self._files[bot] if bot else self._log

    def _open(self, bot: str) -> logging.Handler:
        path = self._bots / f"{bot}{self._mark}.stderr"
        file = LogFile(path, STDERR_BYTES, 1)
        file.setFormatter(_LineFormatter("%(asctime)s %(fixture)s: "))
        file.handleError = self.handleError  # type: ignore[method-assign] # one warning for all files
        return file


class _Printable(logging.Formatter):
    """Formats a message in one line, and escapes what is not printable, also in the traceback."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line of a record."""
        return in_one_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the traceback if there is one."""
        return printable(super().format(record))


class _LineFormatter(logging.Formatter):
    """Begins every line that is not empty with time and fixture, because several matches of a bot are played at a time."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        record.asctime = self.formatTime(record)
        before = self.formatMessage(record)
        return "\n".join(before + line if line else "" for line in printable(record.getMessage()).split("\n"))


# A pipe for log records that survives the death of a writer; multiprocessing-logging uses it as its queue.
#
# multiprocessing's own queue has one lock for all writers; in each of them a thread takes it to write. If a worker is killed while
# it holds the lock, the threads of the others wait for it without end, and the others cannot exit, because they wait for their
# threads. Here nothing is locked. The thread that logs a record writes it in frames, each whole or not at all (pipe(7), PIPE_BUF),
# so what was logged before a kill has arrived. The reader drops the frames of a record that was cut short.

HEADER = Struct("=IH??")  # the writer's process, the length of what follows, whether it begins a record, whether it ends one
ROOM = select.PIPE_BUF - HEADER.size
READ_BYTES = 65536


class RecordPipe:
    """Many processes write, one thread reads. The methods have the names of multiprocessing.Queue's."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._read_end, select.POLLIN)
        self._rest = b""  # the start of a frame whose end was not read yet
        self._begun: dict[int, bytes] = {}  # by process: the start of a record
        self._whole: deque[bytes] = deque()  # records

    def put_nowait(self, record: LogRecord) -> None:
        """Write a record to the pipe before returning. Without a reader it is lost."""
        text, writer = pickle.dumps(record), os.getpid()
        with contextlib.suppress(BrokenPipeError):
            for start in range(0, len(text), ROOM):
                part = text[start : start + ROOM]
                os.write(self._write_end, HEADER.pack(writer, len(part), start == 0, start + ROOM >= len(text)) + part)

    def get(self, timeout: float) -> LogRecord:
        """Return the next record. Raises: Empty, if none came within ``timeout`` seconds."""
        if not self._whole and self._poll.poll(timeout * 1000):
            self._read()
        if not self._whole:
            raise Empty
        record = pickle.loads(self._whole.popleft())  # noqa: S301 - written above, by our own processes; bots do not inherit it
        assert isinstance(record, LogRecord)
        return record

    def qsize(self) -> int:
        """Return the number of whole records read; if it is 0, return 1 if the pipe has data."""
        return len(self._whole) or len(self._poll.poll(0))

    def write_only(self) -> None:
        """Close the end for reading, in a process that only writes: a write then fails when the reader has ended."""
        os.close(self._read_end)

    def close(self) -> None:
        """Close both ends."""
        os.close(self._read_end)
        os.close(self._write_end)

    def join_thread(self) -> None:
        """Do nothing: there is no thread to wait for."""

    def _read(self) -> None:
        """Read once from the pipe, and add its frames to their records."""
        text = self._rest + os.read(self._read_end, READ_BYTES)
        place = 0
        while len(text) - place >= HEADER.size:
            writer, length, first, last = HEADER.unpack_from(text, place)
            end = place + HEADER.size + length
            if end > len(text):
                break
            self._add(writer, text[place + HEADER.size : end], first=first, last=last)
            place = end
        self._rest = text[place:]

    def _add(self, writer: int, part: bytes, *, first: bool, last: bool) -> None:
        """Add a frame to the record of its process; a first frame drops a record of that process that was cut short."""
        record = part if first else self._begun[writer] + part
        if last:
            self._begun.pop(writer, None)
            self._whole.append(record)
        else:
            self._begun[writer] = record


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
