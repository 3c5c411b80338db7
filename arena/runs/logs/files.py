"""The log files of a run: one for all its processes, and one for each bot with what it wrote to stderr."""

import contextlib
import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from arena.printable import in_one_line, printable

FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"
STDERR_BYTES = 1 << 20  # of a bot's file, before it becomes NAME.stderr.1; the one before that is thrown away


class RunFiles(logging.Handler):
    """Writes each record where it belongs: those that name a bot into ``bots/NAME.stderr``, the others into the log.

    ``mark`` tells the files of one process from another's, where each writes its own.
    """

    def __init__(self, path: Path, mark: str = "") -> None:
        super().__init__()
        self._bots = path.parent / "bots"
        self._mark = mark
        self._log = logging.FileHandler(path, encoding="utf-8")
        self._log.setFormatter(_Printable(FORMAT))
        self._log.handleError = self.handleError  # type: ignore[method-assign] # one voice for all files
        self._files: dict[str, logging.Handler] = {}
        self._describe = False  # that something could not be written

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            self._file(getattr(record, "bot", "")).handle(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's name and signature
        """Say once that records are lost; a full disk is no reason to stop playing, nor for a traceback a record."""
        if not self._describe:
            self._describe = True
            sys.stderr.write(f"arena: cannot write a log: {sys.exc_info()[1]}; from here on records are missing\n")

    def close(self) -> None:
        """Close every file."""
        for file in (self._log, *self._files.values()):
            with contextlib.suppress(OSError):  # what could not be written has been told
                file.close()
        super().close()

    def _file(self, bot: str) -> logging.Handler:
        if bot and bot not in self._files:
            self._bots.mkdir(exist_ok=True)
            self._files[bot] = self._of(bot)
        return self._files[bot] if bot else self._log

    def _of(self, bot: str) -> logging.Handler:
        path = self._bots / f"{bot}{self._mark}.stderr"
        file = RotatingFileHandler(path, maxBytes=STDERR_BYTES, backupCount=1, encoding="utf-8")
        file.setFormatter(_LineFormatter("%(asctime)s %(fixture)s: "))
        file.handleError = self.handleError  # type: ignore[method-assign] # one voice for all files
        return file


class _Printable(logging.Formatter):
    """Keeps a message in one line, and what is not printable out of the whole record, its traceback included."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line of a record."""
        return in_one_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the traceback if there is one."""
        return printable(super().format(record))


class _LineFormatter(logging.Formatter):
    """Sets time and fixture before every line, for several matches of a bot are played at a time."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        record.asctime = self.formatTime(record)
        before = self.formatMessage(record)
        return "\n".join(before + line if line else "" for line in printable(record.getMessage()).split("\n"))
