"""The copies of bots on a worker's machine: a folder for each digest, shared by all worker processes of one user.

What arrives is written to a draft. When it is complete its digest is computed from the disk, and the draft gets its name in one
step, under a lock; so a folder with a digest's name is whole, even if a process was killed. Each process checks a folder again
before it first uses it: what is in a temporary folder may have been changed since.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import StoreError
from arena.tournament.executors.cluster.bundle import DATA, LINK, PROGRAM, Piece, described, digest, files_below

MODES = {DATA: 0o644, PROGRAM: 0o755}  # root's bots run as another user, who reads them


class BotCache:
    """The copies below one folder."""

    def __init__(self, folder: Path | None = None) -> None:
        """Use ``folder``, by default one for this user among the temporary files. Raises: StoreError, if it is another user's."""
        self.folder = folder or Path(tempfile.gettempdir()).resolve() / f"arena-bots-{os.getuid()}"
        self._sound: set[str] = set()  # checked by this process
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise StoreError(f"{self.folder}: expected a folder that belongs to this user and that nobody else may write")

    def lacks(self, digest: str) -> bool:
        """Return whether there is no sound copy with this digest; one that was changed is removed."""
        if digest not in self._sound:
            place = self.folder / digest
            if not place.is_dir():
                return True
            if _digest(place) != digest:
                self._remove(place)
                return True
            self._sound.add(digest)
        return False

    def write(self, draft: str, arrived: Iterable[Piece]) -> None:
        """Write pieces to a draft. Raises: StoreError."""
        try:
            for piece in arrived:
                _write(self._draft(draft) / _checked(piece.place), piece)
        except OSError as error:
            raise StoreError(f"{error.filename}: cannot be written: {error.strerror}") from None

    def complete(self, draft: str, digest: str) -> None:
        """Give a complete draft its name. Raises: StoreError, if its content has another digest."""
        folder = self._draft(draft)
        try:
            folder.mkdir(exist_ok=True)
            for inner in (folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())):
                inner.chmod(0o755)  # whatever the umask is
            found = _digest(folder)
            if found != digest:
                raise StoreError(f"{folder}: what arrived has the digest {found[:12]}; expected {digest[:12]}")
            with self._locked():
                if not (self.folder / digest).exists():
                    folder.rename(self.folder / digest)
            self._sound.add(digest)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _draft(self, name: str) -> Path:
        return self.folder / f".new-{_checked(name)}"

    def _remove(self, place: Path) -> None:
        with self._locked():
            if place.is_dir() and _digest(place) != place.name:  # nobody else has replaced it meanwhile
                broken = Path(tempfile.mkdtemp(prefix=".old-", dir=self.folder))
                place.rename(broken / "bot")
                shutil.rmtree(broken, ignore_errors=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of all worker processes that use the folder."""
        with (self.folder / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _digest(folder: Path) -> str:
    return digest(described(path, path.relative_to(folder).as_posix()) for path in files_below(folder))


def _write(path: Path, piece: Piece) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if piece.mode == LINK:
        path.symlink_to(os.fsdecode(piece.content))
        return
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_EXCL if piece.begins else os.O_APPEND), 0o644), "ab") as file:
        file.write(piece.content)
    path.chmod(MODES[piece.mode])


def _checked(place: str) -> str:
    """Return a place that is below the folder it is meant for. Raises: StoreError."""
    if not place or place.startswith("/") or ".." in place.split("/"):
        raise StoreError(f"{place!r}: expected a place inside the bot's folder")
    return place
