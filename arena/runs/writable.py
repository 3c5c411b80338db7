"""Files that a command writes at its end: that they can be written is known at its beginning."""

import os
from pathlib import Path

from arena.errors import InputError


def check(path: Path) -> None:
    """Make sure that a file can be written there, before hours are played for it. Raises: InputError."""
    is_new = not os.path.lexists(path)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666))
        if is_new:
            path.unlink()
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}; expected a file in a folder that exists") from None
