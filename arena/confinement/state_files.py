"""The files and folders of a bot's state, written to its folder.

Launchers import this module, so it imports nothing slow.
"""

import os
from collections.abc import Iterable

from msgspec import Struct

OWN_FILE, OWN_FOLDER = 0o600, 0o700  # modes of the entries that are written, and the least modes of those that a bot leaves
BLOCK = 4096  # bytes: the size of a file is counted in whole blocks, as the folder's file system does, so that a state fits again


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
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(entry.path, flags, OWN_FILE, dir_fd=folder), "wb") as file:
                file.write(entry.content)
