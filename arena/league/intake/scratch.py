"""Temporary folders for what is not complete yet, beside its final place.

Those of killed processes are orphans; what has not changed for STALE seconds is removed whenever a new folder is made.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.disk import make_folder, real
from arena.errors import StoreError, naming_errors

PREFIX = ".new-"
STALE = 86_400.0  # seconds since a temporary folder was last changed, after which it counts as an orphan


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Yield the absolute path of a new folder in ``parent``, which is removed at the end unless it was moved away.

    ``parent`` is created if its own parent exists.

    Raises: StoreError.
    """
    with naming_errors(parent, "cannot be written"):
        make_folder(parent.parent, parent.name)
        for old in parent.glob(f"{PREFIX}*"):
            with suppress(FileNotFoundError):  # another submission has removed it meanwhile
                if old.stat().st_mtime < time.time() - STALE:
                    shutil.rmtree(old, ignore_errors=True)
        folder = real(Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)))
    try:
        folder.chmod(0o755)  # the sandbox may run a bot as another user
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def move_into_place(folder: Path, place: Path) -> None:
    """Move a complete folder to ``place``, which is named after its content, unless a folder exists there. Raises: StoreError."""
    try:
        folder.rename(place)
    except OSError as error:
        if not place.is_dir():
            raise StoreError(f"{place}: cannot be written: {error.strerror}") from None
