"""Files that a command writes at its end: that they can be written is known at its beginning."""

import os
from pathlib import Path

from arena.errors import InputError


def check(path: Path) -> None:
    """Make sure that a file can be written there, before hours are played for it. Raises: InputError."""
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{path}: cannot be written; expected a file in a folder that exists")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written: it, or its folder, is read-only")
