"""An error of arena at a stranger's file is shown as a refusal in one line, without a traceback.

A file may be made to cause an unforeseen error in arena. Then the bot is refused, its author reads that this says nothing about
the bot, and the traceback is kept for the people who can correct arena.
"""

import errno
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from logging import INFO, LogRecord
from pathlib import Path

from arena.disk import make_folder
from arena.errors import ArenaError, OutOfTimeError, RosterError, RunStoppedError, WorkerLostError
from arena.runs.log_file import LogFile
from arena.text import printable

# errors of this machine, which no file can cause: the bot is not refused, and can be read again later
MACHINE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EROFS}
PASSED_ON = (ArenaError, WorkerLostError, RunStoppedError, OutOfTimeError, BrokenPipeError)
FILE = "errors.log"
MOST_BYTES = 1 << 20  # of the file, before it becomes errors.log.1


class IntakeError(RosterError):
    """A bot is refused because of an error of arena."""


@contextmanager
def refusing_errors(bot: str, league: Path | None = None) -> Iterator[None]:
    """Turn unforeseen errors of arena into a refusal of a bot, and add their tracebacks to ``logs/errors.log`` of a league.

    Without a league, that file is in a new temporary folder. Raises: IntakeError; WorkerLostError, for an error of this machine.
    """
    try:
        yield
    except PASSED_ON:
        raise
    except Exception as error:  # noqa: BLE001 - unforeseen errors, too
        if isinstance(error, OSError) and error.errno in MACHINE_ERRORS:
            raise WorkerLostError(f"{bot}: cannot be read at the moment: {error.strerror}") from None
        name, place = type(error).__name__, _log_traceback(f"{bot}: {traceback.format_exc(limit=-30)}", league)
        raise IntakeError(
            f"{bot}: refused because of an error of arena ({name}), which says nothing about the bot; its traceback is in {place}"
        ) from None


def _log_traceback(text: str, league: Path | None) -> Path:
    """Add a text to the log, and return the log's path."""
    folder = make_folder(league, "logs") if league else Path(tempfile.mkdtemp(prefix="arena-"))
    with closing(LogFile(folder / FILE, MOST_BYTES, 1)) as handler:
        handler.handle(LogRecord(__name__, INFO, "", 0, printable(text), None, None))
    return folder / FILE
