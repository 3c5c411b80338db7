"""The folder of one run: its files by name, and the lock that keeps a second run out."""

import fcntl
import os
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from arena.errors import StoreError

DATABASE = "arena.sqlite"

_BSD = sys.platform == "darwin"
_LOCK = "@qqihh" if _BSD else "@hhqqi"  # struct flock: start, length, process, type and whence; on Linux type and whence come first

_LEFT = re.compile(r"arena\.(lock|(\d+\.)?log|sqlite-(wal|shm|journal))|spec\.yaml|bots")


class Folder(Struct, frozen=True):
    """A run's folder."""

    path: Path

    @property
    def database(self) -> Path:
        """Return where its database stands."""
        return self.path / DATABASE

    @property
    def log(self) -> Path:
        """Return where its log stands."""
        return self.path / "arena.log"

    @property
    def spec(self) -> Path:
        """Return where the copy of its spec stands."""
        return self.path / "spec.yaml"

    @property
    def strangers(self) -> tuple[str, ...]:
        """Return what stands in it that a run does not leave whose database has vanished before its end."""
        there = (path.name for path in self.path.iterdir()) if self.path.is_dir() else ()
        return tuple(sorted(name for name in there if not _LEFT.fullmatch(name)))

    def write(self, name: str, text: str) -> Path:
        """Write a file, whole or not at all, and return where it stands. Raises: StoreError."""
        path, draft = self.path / name, self.path / f".{name}.new"
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
        return path

    def held(self) -> bool:
        """Tell whether some process is running this tournament, without touching its lock."""
        try:
            with (self.path / "arena.lock").open("rb") as lock:
                asked = struct.pack(_LOCK, *((0, 0, 0, fcntl.F_WRLCK, 0) if _BSD else (fcntl.F_WRLCK, 0, 0, 0, 0)))
                answer = struct.unpack(_LOCK, fcntl.fcntl(lock, fcntl.F_GETLK, asked))
        except OSError:
            return False
        return bool(answer[3 if _BSD else 0] != fcntl.F_UNLCK)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder and hold it for this process. Raises: StoreError, with the process that holds it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path / "arena.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            self._hold(handle)
            yield
        finally:
            os.close(handle)

    def _hold(self, handle: int) -> None:
        """Take a lock of this process alone: one that its forks do not hold, should they outlive it."""
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(handle, 20).decode(errors="replace").strip() or "unknown"
            raise StoreError(f"{self.path}: process {holder} is running this tournament") from None
        try:
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written: {error.strerror}") from None


def existing(path: Path) -> Folder:
    """Return the run in a folder, or the only run in a folder of runs. Raises: StoreError."""
    if (path / DATABASE).is_file():
        return Folder(path)
    inside = sorted(database.parent for database in path.glob(f"*/{DATABASE}"))
    if len(inside) == 1:
        return Folder(inside[0])
    several = f"it holds {len(inside)}: {', '.join(run.name for run in inside)}" if inside else "expected arena.sqlite in it"
    raise StoreError(f"{path}: not the folder of one run; {several}")


def candidates(results: Path, title: str, day: str) -> Iterator[Folder]:
    """Yield the folders that a run of this title may have: those that are there, the newest first, then a new one for ``day``."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "tournament"
    there = [path for path in results.glob(f"{slug}-????-??-??*") if (path / DATABASE).is_file()]
    yield from (Folder(path) for path in sorted(there, key=lambda path: path.stat().st_mtime, reverse=True))
    names = (f"{slug}-{day}" if number == 1 else f"{slug}-{day}-{number}" for number in range(1, 10_000))
    yield Folder(next(results / name for name in names if not (results / name).exists()))
