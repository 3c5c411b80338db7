"""The copies of bots on a worker's machine: a folder for each digest, shared by all worker processes of one user.

What arrives is written to a draft. When it is complete its digest is computed from the disk, and the draft gets its name in one
step, under a lock; so a folder with a digest's name is complete, even if a process was killed. ``lacks``, which a director calls
once for each copy and worker, computes the digest again, once in each process: files in a temporary folder may be changed.

When the copies together are larger than a limit, the least recently used ones are removed. A process that plays with a
copy holds a shared lock of it, which ends with the process; a copy is removed only under the exclusive lock, unless it was
changed. The lock is a file beside the copy and not the copy itself, which bots can read and therefore lock.

Whenever a copy has arrived, what killed processes left behind is removed: locks of copies that are gone, and drafts of a day ago.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from arena.confinement.process_files import closing_file
from arena.disk import lock, real
from arena.errors import StoreError, naming_errors
from arena.extras.cluster.files import DATA, LINK, PROGRAM, Piece, files_below, folder_digest

LIMIT = 8192  # mebibytes of all copies, unless the variable below says otherwise
LIMIT_VARIABLE = "ARENA_BOT_CACHE_MIB"
MIB = 1 << 20
ABANDONED = 86_400  # seconds after which a draft, or a copy that is being removed, was left by a killed process
LOCK = ".use-"  # before a digest: the lock of a copy
NOT_COPIES = (".new-", ".old-")  # drafts, and copies that are being removed
MODES = {DATA: 0o644, PROGRAM: 0o755}  # root's bots run as another user, who reads them


class CopyGoneError(Exception):
    """A copy was removed to make room, and has to be sent again."""


class BotCache:
    """The copies below one folder, of bots and of their libraries."""

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        """Use ``folder``, by default one for this user among the temporary files; keep at most ``limit`` bytes in it.

        Raises: StoreError, if the folder cannot be made or is another user's, or the variable is not a valid number.
        """
        self._limit = _limit() if limit is None else limit
        self.folder = folder or real(Path(tempfile.gettempdir())) / f"arena-bots-{os.getuid()}"
        self._intact: set[str] = set()  # checked by this process
        with naming_errors(None, "cannot be made"):
            self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise StoreError(f"{self.folder}: expected a folder that belongs to this user and that no other user may write")
        if os.geteuid() == 0:
            self.folder.chmod(0o755)  # whatever the umask is: root's bots run as another user

    def lacks(self, digest: str) -> bool:
        """Tell whether there is no intact copy with this digest; one that was changed is removed."""
        place = self.folder / digest
        if not place.is_dir():
            return True
        with self._copy_lock(digest, fcntl.LOCK_SH):  # another process may be making room
            if place.is_dir() and (digest in self._intact or folder_digest(place) == digest):
                self._intact.add(digest)
                return False
        self._remove_changed(place)
        return True

    def write(self, draft: str, arrived: Iterable[Piece]) -> None:
        """Write pieces to a draft. Raises: StoreError; the draft is removed then."""
        folder = self._draft(draft)
        try:
            folder.mkdir(exist_ok=True)
            for piece in arrived:
                _write(folder / _check_place(piece.place), piece)
            os.utime(folder)
        except OSError as error:  # without a name, if the disk is full
            shutil.rmtree(folder, ignore_errors=True)
            raise StoreError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None

    def complete(self, draft: str, digest: str) -> None:
        """Give a complete draft its name. Raises: StoreError, also if its content has another digest."""
        folder = self._draft(draft)
        try:
            for inner in (folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())):
                inner.chmod(0o755)  # whatever the umask is
            found = folder_digest(folder)
            if found != digest:
                raise StoreError(f"{folder}: what arrived has the digest {found[:12]}; expected {digest[:12]}")
            with self._folder_lock():
                if not (self.folder / digest).exists():
                    folder.rename(self.folder / digest)
                self._intact.add(digest)
                self._make_room(digest)
                self._sweep()
        except OSError as error:
            raise StoreError(f"{error.filename}: cannot be written: {error.strerror}") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def using(self, digests: Iterable[str]) -> Iterator[None]:
        """Lock copies against removal while the context lasts. Raises: CopyGoneError, if one does not exist."""
        with ExitStack() as stack:
            for digest in digests:
                place = self.folder / digest
                stack.enter_context(self._copy_lock(digest, fcntl.LOCK_SH))
                if not place.is_dir():
                    raise CopyGoneError(digest)
                os.utime(place)
            yield

    def _make_room(self, needed: str) -> None:
        """Remove the least recently used copies until the rest fits into the limit; never the ``needed`` one, nor one in use."""
        found = (place for place in self.folder.iterdir() if not place.name.startswith("."))
        copies = sorted(found, key=lambda place: place.stat().st_mtime)
        sizes = {place: sum(path.lstat().st_size for path in files_below(place)) for place in copies}
        left = sum(sizes.values())
        for place in copies:
            if left > self._limit and place.name != needed:
                # a copy that a worker plays with is locked, and stays
                with suppress(BlockingIOError), self._copy_lock(place.name, fcntl.LOCK_EX | fcntl.LOCK_NB):
                    self._delete(place)
                    left -= sizes[place]

    def _sweep(self) -> None:
        """Remove what processes that were killed have left."""
        for place in [*self.folder.iterdir()]:
            with suppress(FileNotFoundError, BlockingIOError):  # its owner has removed it, or holds it
                if place.name.startswith(NOT_COPIES) and time.time() - place.stat().st_mtime > ABANDONED:
                    shutil.rmtree(place, ignore_errors=True)
                digest = place.name.removeprefix(LOCK)
                if place.name.startswith(LOCK) and not (self.folder / digest).exists():
                    with self._copy_lock(digest, fcntl.LOCK_EX | fcntl.LOCK_NB):
                        place.unlink()

    def _copy_lock(self, digest: str, how: int) -> AbstractContextManager[int]:
        """Return the lock of a copy among all worker processes; ``how``: as of ``disk.lock``. Raises: OSError."""
        return closing_file(lock(self.folder / f"{LOCK}{digest}", how=how))

    def _folder_lock(self) -> AbstractContextManager[int]:
        return closing_file(lock(self.folder / ".lock", how=fcntl.LOCK_EX))

    def _draft(self, name: str) -> Path:
        return self.folder / f".new-{_check_place(name)}"

    def _remove_changed(self, place: Path) -> None:
        with self._folder_lock():
            if place.is_dir() and folder_digest(place) != place.name:  # no other process has replaced it meanwhile
                self._delete(place)

    def _delete(self, place: Path) -> None:
        """Remove a copy: rename it first, so that no process finds it half removed."""
        self._intact.discard(place.name)
        old = Path(tempfile.mkdtemp(prefix=".old-", dir=self.folder))
        place.rename(old / "copy")
        shutil.rmtree(old, ignore_errors=True)


def _limit() -> int:
    """Return the limit of all copies in bytes. Raises: StoreError."""
    text = os.environ.get(LIMIT_VARIABLE, str(LIMIT))
    if not text.isdecimal():
        raise StoreError(f"{LIMIT_VARIABLE}: found {text!r}; expected a number of mebibytes")
    return MIB * int(text)


def _write(path: Path, piece: Piece) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if piece.mode == LINK:
        path.symlink_to(os.fsdecode(piece.content))
        return
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_EXCL if piece.begins else os.O_APPEND), 0o644), "ab") as file:
        file.write(piece.content)
    path.chmod(MODES[piece.mode])


def _check_place(place: str) -> str:
    """Return a place that is below the folder it is meant for. Raises: StoreError."""
    if not place or place.startswith("/") or ".." in place.split("/"):
        raise StoreError(f"{place!r}: expected a place inside the bot's folder")
    return place
