"""The copies of bots on a worker's machine: a folder for each digest, shared by all worker processes of one user.

What arrives is written to a draft. When it is complete its digest is computed from the disk, and the draft gets its name in one
step, under a lock; so a folder with a digest's name is whole, even if a process was killed. Each process checks a folder again
before it first uses it: what is in a temporary folder may have been changed since.

When the copies together are larger than a limit, those that were not used for longest are removed. Who plays with a copy holds a
shared lock of it, which ends with the process; a copy is removed only under the exclusive lock. The lock is a file beside the copy
and not the copy itself, which bots can read and therefore lock.

Whenever a copy has arrived, what killed processes left behind is removed: locks of copies that are gone, and drafts of a day ago.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from arena.errors import StoreError
from arena.tournament.executors.cluster.bundle import DATA, LINK, PROGRAM, Piece, described, digest, files_below

LIMIT = 8192  # mebibytes of all copies, unless the variable below says otherwise
LIMIT_VARIABLE = "ARENA_BOT_CACHE_MIB"
MIB = 1 << 20
ABANDONED = 86_400  # seconds after which nobody adds to a draft any more, or removes what was thrown away
LOCK = ".use-"  # before a digest: the lock of a copy
NOT_COPIES = (".new-", ".old-")  # drafts, and copies that are being removed
MODES = {DATA: 0o644, PROGRAM: 0o755}  # root's bots run as another user, who reads them


class CopyGoneError(Exception):
    """A copy was removed to make room, and has to be sent again."""


class BotCache:
    """The copies below one folder, of bots and of their libraries."""

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        """Use ``folder``, by default one for this user among the temporary files; keep at most ``limit`` bytes in it.

        Raises: StoreError, if the folder is another user's, or the variable is not a valid number.
        """
        self._limit = _limit() if limit is None else limit
        self.folder = folder or Path(tempfile.gettempdir()).resolve() / f"arena-bots-{os.getuid()}"
        self._sound: set[str] = set()  # checked by this process
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise StoreError(f"{self.folder}: expected a folder that belongs to this user and that nobody else may write")

    def lacks(self, digest: str) -> bool:
        """Return whether there is no sound copy with this digest; one that was changed is removed."""
        place = self.folder / digest
        if not place.is_dir():
            return True
        with self._held(digest, fcntl.LOCK_SH):  # another process may be making room
            if place.is_dir() and (digest in self._sound or _digest(place) == digest):
                self._sound.add(digest)
                return False
        self._remove(place)
        return True

    def write(self, draft: str, arrived: Iterable[Piece]) -> None:
        """Write pieces to a draft. Raises: StoreError."""
        folder = self._draft(draft)
        try:
            folder.mkdir(exist_ok=True)
            for piece in arrived:
                _write(folder / _checked(piece.place), piece)
            os.utime(folder)
        except OSError as error:
            raise StoreError(f"{error.filename}: cannot be written: {error.strerror}") from None

    def complete(self, draft: str, digest: str) -> None:
        """Give a complete draft its name. Raises: StoreError, also if its content has another digest."""
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
                self._make_room(digest)
                self._sweep()
        except OSError as error:
            raise StoreError(f"{error.filename}: cannot be written: {error.strerror}") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def using(self, digests: Iterable[str]) -> Iterator[None]:
        """Keep copies while the context lasts. Raises: CopyGoneError."""
        with ExitStack() as stack:
            for digest in digests:
                place = self.folder / digest
                stack.enter_context(self._held(digest, fcntl.LOCK_SH))
                if not place.is_dir():
                    raise CopyGoneError(digest)
                os.utime(place)
            yield

    def _make_room(self, needed: str) -> None:
        """Remove the copies that were not used for longest, but for one, until the others fit into the limit."""
        found = (place for place in self.folder.iterdir() if not place.name.startswith("."))
        copies = sorted(found, key=lambda place: place.stat().st_mtime)
        sizes = {place: sum(path.lstat().st_size for path in files_below(place)) for place in copies}
        left = sum(sizes.values())
        for place in copies:
            if left > self._limit and place.name != needed:
                with suppress(BlockingIOError), self._held(place.name, fcntl.LOCK_EX | fcntl.LOCK_NB):  # somebody plays with it
                    self._throw_away(place)
                    left -= sizes[place]

    def _sweep(self) -> None:
        """Remove what processes that were killed have left."""
        for place in [*self.folder.iterdir()]:
            with suppress(FileNotFoundError, BlockingIOError):  # its owner has removed it, or holds it
                if place.name.startswith(NOT_COPIES) and time.time() - place.stat().st_mtime > ABANDONED:
                    shutil.rmtree(place, ignore_errors=True)
                digest = place.name.removeprefix(LOCK)
                if place.name.startswith(LOCK) and not (self.folder / digest).exists():
                    with self._held(digest, fcntl.LOCK_EX | fcntl.LOCK_NB):
                        place.unlink()

    @contextmanager
    def _held(self, digest: str, how: int) -> Iterator[None]:
        """Hold the lock of a copy. Raises: BlockingIOError."""
        path = self.folder / f"{LOCK}{digest}"
        while True:
            with path.open("w") as file:
                fcntl.flock(file, how)
                if _is_still(path, file.fileno()):
                    yield
                    return

    def _draft(self, name: str) -> Path:
        return self.folder / f".new-{_checked(name)}"

    def _remove(self, place: Path) -> None:
        with self._locked():
            if place.is_dir() and _digest(place) != place.name:  # nobody else has replaced it meanwhile
                self._throw_away(place)

    def _throw_away(self, place: Path) -> None:
        """Remove a copy: its name in one step, then its files."""
        self._sound.discard(place.name)
        old = Path(tempfile.mkdtemp(prefix=".old-", dir=self.folder))
        place.rename(old / "copy")
        shutil.rmtree(old, ignore_errors=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of all worker processes that use the folder."""
        with (self.folder / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _is_still(path: Path, opened: int) -> bool:
    """Return whether a path leads to the file that was opened by it, and not to a new one or to none."""
    try:
        return os.path.samestat(path.stat(), os.fstat(opened))
    except FileNotFoundError:
        return False


def _limit() -> int:
    """Return the limit of all copies in bytes. Raises: StoreError."""
    text = os.environ.get(LIMIT_VARIABLE, str(LIMIT))
    if not text.isdecimal():
        raise StoreError(f"{LIMIT_VARIABLE}: found {text!r}; expected a number of mebibytes")
    return MIB * int(text)


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
