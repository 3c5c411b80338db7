"""Folders for what is not complete yet, beside the place where it will be."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import StoreError

PREFIX = ".new-"
STALE = 86_400.0  # seconds after which a folder is of a submission that was killed


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Make a folder below ``parent`` that is removed at the end, if it is still there, and give its absolute path.

    Raises: StoreError.
    """
    try:
        parent.mkdir(exist_ok=True)
        _remove_stale(parent)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
    except OSError as error:
        raise StoreError(f"{parent}: cannot be written: {error.strerror}") from None
    try:
        folder.chmod(0o755)  # the sandbox may run a bot as another user
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def settle(folder: Path, place: Path) -> None:
    """Move a complete folder to its place, which is named after its content, unless it is there. Raises: StoreError."""
    try:
        folder.rename(place)
    except OSError as error:
        if not place.is_dir():
            raise StoreError(f"{place}: cannot be written: {error.strerror}") from None


def _remove_stale(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(FileNotFoundError):  # another submission has removed it meanwhile
            if folder.stat().st_mtime < time.time() - STALE:
                shutil.rmtree(folder, ignore_errors=True)
