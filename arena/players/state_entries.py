"""The files and folders of a state, and how they are written. Launchers import this module, so it imports nothing slow."""

import os
from collections.abc import Iterable

from msgspec import Struct

OWN_FILE, OWN_FOLDER = 0o600, 0o700  # modes with which an entry is written, and that it must have at least
BLOCK = 4096  # bytes: a file takes whole blocks of the folder's size, so that what fits once always fits again


class StateEntry(Struct, frozen=True, array_like=True):
    """A file or a folder of a state."""

    path: str  # relative to the state's folder
    content: bytes | None  # None: a folder


def write(entries: Iterable[StateEntry], folder: int) -> None:
    """Write a state to an open folder, which is empty. Raises: OSError."""
    for entry in entries:
        if entry.content is None:
            os.mkdir(entry.path, OWN_FOLDER, dir_fd=folder)
        else:
            _write_file(entry.path, entry.content, folder)


def _write_file(path: str, content: bytes, folder: int) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, OWN_FILE, dir_fd=folder)
    with os.fdopen(file, "wb") as opened:
        opened.write(content)
