"""Files on the disk: written atomically, never through a link, and read within bounds.

After a kill, a power cut or a full disk a file has all of its new content, or its old one. The content is written to a draft
beside the file, ``.NAME.new``, and is on the disk before the draft gets the file's name. A writer locks the draft, so several may
write the same file, and the draft of a writer that was killed is used again by the next.

The folder that a user names may come from a stranger, and hold links under the names of arena's own files. The path that the user
typed is followed wherever it leads. Below it a link is the stranger's, as far as arena can tell: a file that is written has to be
a regular one without another name (``open_own``), and a folder one that no link leads to (``inside``, ``make_folder``); otherwise
the command ends with a line that names it. Somebody who changes such a folder at the same time is not in question.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path

from arena.errors import StoreError

LINKS = (errno.ELOOP, errno.EMLINK)  # what systems say of a link under O_NOFOLLOW
REMEDY = "arena writes through no link that it finds in a folder: remove it, or put the original in its place"


class UnsafeFileError(StoreError):
    """A file or folder of arena's own is a link or a special file, or a file with several names."""


def inside(folder: Path, *names: str) -> Path:
    """Return the path of a file or folder of arena's own below a folder. Raises: UnsafeFileError, if a link is on the way to it."""
    path = folder
    for name in names:
        path /= name
        if path.is_symlink():
            raise UnsafeFileError(f"{path}: is a link; {REMEDY}")
    return path


def make_folder(folder: Path, *names: str, mode: int = 0o777) -> Path:
    """Make a folder of arena's own, and those on the way to it, unless they exist. Raises: UnsafeFileError, OSError."""
    path = folder
    for name in names:
        path = inside(path, name)
        path.mkdir(mode, exist_ok=True)
    return path


def open_own(path: Path, flags: int, mode: int = 0o666) -> int:
    """Open a file of arena's own, and return its descriptor; ``flags`` without O_TRUNC. Raises: UnsafeFileError, OSError."""
    assert not flags & os.O_TRUNC, "it would empty the file before it is known whose it is"
    try:
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, mode)
    except OSError as error:
        check_own(path)  # names what the system only hints at
        if error.errno in LINKS:
            raise UnsafeFileError(f"{path}: is a link; {REMEDY}") from None
        raise
    try:
        _check_status(path, os.fstat(handle))
    except BaseException:
        os.close(handle)
        raise
    return handle


def check_own(path: Path) -> None:
    """Check that ``open_own`` would open a file, or make it, for a library that opens it. Raises: UnsafeFileError, OSError."""
    with suppress(FileNotFoundError, NotADirectoryError):
        _check_status(path, path.lstat())


def _check_status(path: Path, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise UnsafeFileError(f"{path}: is a link; {REMEDY}")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        raise UnsafeFileError(f"{path}: is not a regular file; expected a file that arena wrote, or none")
    if status.st_nlink > 1:
        raise UnsafeFileError(f"{path}: is a file with another name, which would be changed too; expected a copy, or none")


def write(path: Path, content: bytes, *, private: bool = False, durable: bool = True) -> None:
    """Write a file; ``private``: only its owner may read it; ``durable``: wait until it is on the disk. Raises: as ``writing``."""
    with writing(path, private=private, durable=durable) as file:
        file.write(content)


@contextmanager
def writing(path: Path, *, private: bool = False, durable: bool = True) -> Iterator[BufferedWriter]:
    """Yield a draft to write piece by piece; it replaces ``path``, also a link there, at the end, and is removed after an error.

    Raises: UnsafeFileError, for the draft; OSError, also if ``path`` exists and is not a regular file: a device, say, would be
    replaced.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    draft = path.with_name(f".{path.name}.new")
    try:
        handle = _lock_draft(draft, 0o600 if private else 0o666)
    except OSError as error:
        error.filename = os.fspath(path)  # the user knows this name, not the draft's
        raise
    try:
        if private:
            os.fchmod(handle, 0o600)  # an old draft keeps the mode with which it was created
        with os.fdopen(handle, "wb", closefd=False) as file:
            file.truncate()
            yield file
            file.flush()
            if durable:
                os.fsync(handle)
        draft.replace(path)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError) and error.filename in (None, os.fspath(draft)):  # a write to a full disk names no file
            error.filename = os.fspath(path)
        raise
    finally:
        os.close(handle)
    if durable:
        sync(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Append a line to a file, and end the one before it if its writer was killed or the disk was full.

    Raises: UnsafeFileError, OSError.
    """
    with os.fdopen(open_own(path, os.O_RDWR | os.O_APPEND | os.O_CREAT), "ab") as file:
        size = os.fstat(file.fileno()).st_size
        is_torn = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
        file.write((b"\n" if is_torn else b"") + line + b"\n")


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk. Raises: OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(path: Path, mode: int = 0o600, how: int = fcntl.LOCK_EX) -> int:
    """Lock a file, which is created if it does not exist, and return its descriptor; closing it unlocks.

    ``how``: an operation of flock(2); with LOCK_NB it may raise BlockingIOError. Raises: UnsafeFileError, OSError.
    If the file is renamed or removed while this process waits, the file that has the name then is locked.
    """
    while True:
        handle = open_own(path, os.O_RDWR | os.O_CREAT, mode)
        try:
            fcntl.flock(handle, how)
            if _leads_to(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock_draft(draft: Path, mode: int) -> int:
    try:
        return lock(draft, mode)
    except PermissionError:  # left by another user's killed process; the folder's owner may remove it
        draft.unlink(missing_ok=True)
        return lock(draft, mode)


def _leads_to(path: Path, handle: int) -> bool:
    """Tell whether a path leads to the file of a handle, and not to another one or to none."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def real(path: Path) -> Path:
    """Return an absolute path with links resolved, whether it exists or not; a link to itself stays one."""
    # Before Python 3.13 Path.resolve() raises a RuntimeError for a link to itself, which no caller handles.
    return Path(os.path.realpath(path))


def file_state(path: Path) -> tuple[int, int, int] | None:
    """Return time, size and inode of a file, which differ after a change; None: it cannot be found."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class TooLargeError(ValueError):
    """A file is larger than its limit."""


def read(path: Path, most: int) -> bytes:
    """Return a file's content. Raises: TooLargeError, if it has more than ``most`` bytes; OSError."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise TooLargeError(f"larger than {most} bytes")
    return content
