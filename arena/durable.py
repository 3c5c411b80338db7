"""Writes a file that is whole or absent, whatever is killed or loses its power, and that only its owner may read."""

import os
from contextlib import suppress
from pathlib import Path


def write_private(path: Path, content: bytes, draft: Path) -> None:
    """Write ``draft`` and wait until it is on the disk, then give it the name ``path``. Raises: OSError.

    Each of several writers of the same file needs a draft of its own. A draft that a killed writer has left is replaced.
    """
    with suppress(FileNotFoundError):
        draft.unlink()
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)
    draft.replace(path)
