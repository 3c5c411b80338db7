"""The border that a stranger's file has to pass: whatever goes wrong there in arena is a refusal in one line, and no traceback.

A file may be made so that arena has an error with it that nobody has thought of. Then the bot is refused, its author is told that
this says nothing about the bot, and the traceback is kept for the people who can correct arena.
"""

import errno
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from logging import INFO, LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path

from arena.errors import ArenaError, OutOfTimeError, RosterError, RunStoppedError, WorkerLostError
from arena.printable import printable

# what a machine lacks, which no file can cause: the file is taken in later
LACKS = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EROFS}
KNOWN = (ArenaError, WorkerLostError, RunStoppedError, OutOfTimeError, BrokenPipeError)
FILE = "errors.log"
MOST_BYTES = 1 << 20  # of the file, before it becomes errors.log.1


class IntakeError(RosterError):
    """A bot is refused because of an error of arena."""


@contextmanager
def refusing_errors(bot: str, league: Path | None = None) -> Iterator[None]:
    """Turn every error of arena into a refusal of a bot, and add its traceback to ``logs/errors.log`` of a league.

    Without a league it is in a new folder. Raises: IntakeError; WorkerLostError, for what this machine lacks.
    """
    try:
        yield
    except KNOWN:
        raise
    except Exception as error:  # noqa: BLE001 - this is the border
        if isinstance(error, OSError) and error.errno in LACKS:
            raise WorkerLostError(f"{bot}: cannot be read at the moment: {error.strerror}") from None
        name, place = type(error).__name__, _keep(f"{bot}: {traceback.format_exc(limit=-30)}", league)
        raise IntakeError(
            f"{bot}: refused because of an error of arena ({name}), which says nothing about the bot; its traceback is in {place}"
        ) from None


def _keep(text: str, league: Path | None) -> Path:
    """Add a text to the file, and return its path."""
    folder = league / "logs" if league else Path(tempfile.mkdtemp(prefix="arena-"))
    folder.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(folder / FILE, maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace")
    with closing(handler):
        handler.handle(LogRecord(__name__, INFO, "", 0, printable(text), None, None))
    return folder / FILE
