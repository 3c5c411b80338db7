"""The log files of a run: one of all its processes, and one of each bot's stderr."""

import contextlib
import logging
import sys
from pathlib import Path

from arena import disk
from arena.errors import StoreError
from arena.runs.log_file import LogFile
from arena.text import in_one_line, printable

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
