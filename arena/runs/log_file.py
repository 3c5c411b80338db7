"""A log file, which may be in a folder that holds links."""

import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from arena import disk


class LogFile(RotatingFileHandler):
    """Appends records to a file, which becomes ``FILE.1`` at a size. Raises: UnsafeFileError, as ``disk.open_own``; OSError."""

    def __init__(self, path: Path, most: int = 0, kept: int = 0, *, delay: bool = False) -> None:
        """``most``: bytes of the file, 0: any number; ``kept``: older files; ``delay``: open it with the first record."""
        disk.check_own(path)  # logging makes the path absolute, and the user knows it as it was typed
        super().__init__(path, maxBytes=most, backupCount=kept, encoding="utf-8", errors="backslashreplace", delay=delay)

    def _open(self) -> TextIOWrapper:
        handle = disk.open_own(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        return os.fdopen(handle, "a", encoding=self.encoding, errors=self.errors)
