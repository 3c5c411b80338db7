"""Fetches into memory what a sealed bot can still read: a page that is there already tells nothing when it is read again.

A bot may keep files open and mapped. Which of their pages are in memory lasts longer than the bot, and another process sees it by
the time that a page takes to read. So at the seal the harness reads all of them, which also updates their access times. To have
the kernel read ahead (posix_fadvise(2)) is not enough: it stops after a few megabytes. Folders that the bot has open are listed
for the same reason.
"""

import os
import stat
import time
from contextlib import suppress

from arena.players.confinement.proc_folder import MappedFile, ProcFolder

FRESH = 10.0  # seconds in which a file is not fetched again: the kernel drops pages only when it is short of memory


class _Fetched:
    """The mapped files that were fetched in the last seconds."""

    def __init__(self) -> None:
        self._files: set[MappedFile] = set()
        self._since = 0.0

    def files(self) -> set[MappedFile]:
        """Return the set, for the caller to add to."""
        now = time.monotonic()
        if now - self._since > FRESH:
            self._files, self._since = set(), now
        return self._files


def fetch(bot: ProcFolder) -> None:
    """Fetch every file and folder that a bot has open or mapped. What its user may not read, it may not either."""
    fetched = _recently.files()
    new = bot.mapped_files() - fetched
    for path in (*bot.open_files(), *(path for file in new for path in bot.paths(file))):
        with suppress(OSError):  # it has been closed, or removed
            _fetch(path)
    fetched |= new


def _fetch(path: str) -> None:
    kind = os.stat(path).st_mode
    if stat.S_ISDIR(kind):
        os.listdir(path)
    elif stat.S_ISREG(kind):
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            position = 0
            while count := os.preadv(file, [_buffer], position):
                position += count
        finally:
            os.close(file)


_recently = _Fetched()
_buffer = bytearray(1 << 20)  # for content that nobody looks at
