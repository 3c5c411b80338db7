"""The folder of a run: the names of its files, and the lock that keeps a second run out.

It is locked by ``lockf``, not ``flock``: forked workers inherit an flock and would keep the folder locked after the run has died.

The file ``unreported`` exists from the beginning of a run until its results have been shown. A finished run that still has it was
stopped before it could write its reports; the same command then writes them. It is a file and not a row, because the database must
not change once the run is finished.
"""

import fcntl
import os
import re
import shutil
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from arena import disk, publishing, signals
from arena.errors import BusyError, StoreError, naming_errors
from arena.suggestions import suggest

DATABASE = "arena.sqlite"
MISSING = "missing"

_BSD = sys.platform == "darwin"
# struct flock, with start, length, process, type and whence. Linux has type and whence first.
_LOCK = "@qqihh" if _BSD else "@hhqqi"

# The locks of this process, by its id and the path of the file. A process loses its POSIX lock on a file as soon as it closes any
# descriptor of that file, so it must not open a file that it has locked. A fork inherits no lock; hence the id.
_locked: dict[tuple[int, str], object] = {}

# The names of files and folders that a run writes before its end, and those that are written later, or in a league.
_OWN_FILES = re.compile(
    r"arena\.(lock|(\d+\.)?log|sqlite(-(wal|shm|journal))?)|spec\.yaml|unreported|bots|environments|league\.yaml|season-\d+\.secret|logs"
    r"|results\.cache|positions\.json|unfinished\.json|\.publishing|witness\.jsonl|\..+\.new"
)
_LATER_FILES = re.compile(
    r"report\.(md|html)|results\.json|standings\.csv|review\.jsonl|reviewed\.json|part-\d+|states|events|people|jobs"
    r"|(tokens|sessions)\.json|submissions\.json|passed-on\.json"
)


def is_own(name: str) -> bool:
    """Tell whether arena itself uses a name in the folder of a run, on a file system that ignores case, too."""
    return any(names.fullmatch(name.casefold()) for names in (_OWN_FILES, _LATER_FILES))


class Folder(Struct, frozen=True):
    """The folder of a run."""

    path: Path

    @property
    def database(self) -> Path:
        """Return the path of its database."""
        return self.path / DATABASE

    @property
    def log(self) -> Path:
        """Return the path of its log."""
        return self.path / "arena.log"

    @property
    def spec(self) -> Path:
        """Return the path of the copy of its spec."""
        return self.path / "spec.yaml"

    @property
    def unreported_mark(self) -> Path:
        """Return the path of the file that exists until the results have been shown."""
        return self.path / "unreported"

    @property
    def unfinished_match(self) -> Path:
        """Return the path of the file with an unfinished match of people (``arena.human.player``)."""
        return self.path / "unfinished.json"

    def mark_reported(self) -> None:
        """Remove ``unreported``: the results have been shown, and a stop leaves nothing to resume. Raises: StoreError."""
        signals.set_stop_code(signals.STOPPED)
        with naming_errors(self.unreported_mark, "cannot be removed"):
            self.unreported_mark.unlink(missing_ok=True)

    @property
    def foreign_files(self) -> tuple[str, ...]:
        """Return the names of files that no unfinished run writes: reports, or unrelated files."""
        names = (path.name for path in self.path.iterdir()) if self.path.is_dir() else ()
        return tuple(sorted(name for name in names if not _OWN_FILES.fullmatch(name)))

    def inside(self, *names: str) -> Path:
        """Return the path of a file or folder below it. Raises: UnsafeFileError, if a link is on the way to it."""
        return disk.inside(self.path, *names)

    def write(self, name: str, text: str) -> Path:
        """Write a file atomically and return its path. Raises: StoreError."""
        path = self.path / name
        publishing.write(path, text.encode())
        return path

    def differs(self, name: str, *texts: str) -> str:
        """Return how a file is not one of these ``texts``: missing, another text or unreadable; empty: it is one."""
        try:
            found = disk.read(self.path / name, max(len(text.encode()) for text in texts))
        except FileNotFoundError:
            return MISSING
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        except disk.TooLargeError:
            return "another text"
        return "" if found in (text.encode() for text in texts) else "another text"

    def clear(self) -> None:
        """Remove the files of a run that has not begun, and the folder if it is then empty; ignore errors."""
        for path in self.path.glob("*"):  # unlike iterdir(), raises nothing for a folder that is gone
            if _OWN_FILES.fullmatch(path.name):
                with suppress(OSError):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        with suppress(OSError):
            self.path.rmdir()

    def is_locked(self) -> bool:
        """Tell whether another process is playing in the folder, without taking the lock."""
        if self._lock_key() in _locked:
            return False
        try:
            with os.fdopen(disk.open_own(self.path / "arena.lock", os.O_RDONLY), "rb") as lock:
                request = struct.pack(_LOCK, *((0, 0, 0, fcntl.F_WRLCK, 0) if _BSD else (fcntl.F_WRLCK, 0, 0, 0, 0)))
                answer = struct.unpack(_LOCK, fcntl.fcntl(lock, fcntl.F_GETLK, request))
        except (OSError, StoreError):
            return False
        return bool(answer[3 if _BSD else 0] != fcntl.F_UNLCK)

    @property
    def is_played(self) -> bool:
        """Tell whether a process is playing in the folder, this one included."""
        return self._lock_key() in _locked or self.is_locked()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Create the folder and lock it, also against other threads. Raises: StoreError; BusyError, with the locking process."""
        key, ours = self._lock_key(), object()
        if _locked.setdefault(key, ours) is not ours:
            raise self._busy(str(os.getpid()))
        try:
            handle = self._lock()
            try:
                yield
            finally:
                os.close(handle)
        finally:
            del _locked[key]

    def _lock_key(self) -> tuple[int, str]:
        return os.getpid(), os.path.realpath(self.path / "arena.lock")

    def _busy(self, owner: str) -> BusyError:
        return BusyError(f"{self.path}: process {owner} is playing it already")

    def _lock(self) -> int:
        """Create the folder, lock its file, write our process number into it and return its descriptor. Raises: as ``lock``."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = disk.open_own(self.path / "arena.lock", os.O_RDWR | os.O_CREAT, 0o644)
        except (FileExistsError, NotADirectoryError):
            raise StoreError(f"{self.path}: is a file, or lies in one; expected the folder of a run, or a new one") from None
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        except (BlockingIOError, PermissionError):  # errors of lockf: EAGAIN or EACCES
            owner = os.read(handle, 20).decode(errors="replace").strip() or "unknown"
            os.close(handle)
            raise self._busy(owner) from None
        except OSError as error:
            os.close(handle)
            raise StoreError(f"{self.path}: cannot be written: {error.strerror}") from None
        return handle


def existing(path: Path) -> Folder:
    """Return the run in a folder, or the only run in a folder of runs. Raises: StoreError."""
    if (path / DATABASE).is_file():
        return Folder(path)
    inside = sorted(database.parent for database in path.glob(f"*/{DATABASE}"))
    if len(inside) == 1:
        return Folder(disk.inside(path, inside[0].name))
    raise StoreError(f"{path}: not the folder of one run; {_found_and_expected(path, inside)}")


def _found_and_expected(path: Path, runs: list[Path]) -> str:
    """Return the end of the error: what a path is that is not one run, and what was expected."""
    if runs:
        return f"it holds {len(runs)}: {', '.join(run.name for run in runs)}"
    if not path.exists():
        return f"it does not exist{suggest(path) or f'; expected a folder with {DATABASE}, as in results/'}"
    return "it is a file; expected the folder that a run was written to" if path.is_file() else f"expected {DATABASE} in it"
