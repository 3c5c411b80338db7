"""Files on the disk: written atomically, and read within bounds.

After a kill, a power cut or a full disk a file has all of its new content, or its old one. The content is written to a draft
beside the file, ``.NAME.new``, and is on the disk before the draft gets the file's name. A writer locks the draft, so several may
write the same file, and the draft of a writer that was killed is used again by the next.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path


def write(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file and wait until it is on the disk; ``private``: only its owner may read it. Raises: OSError."""
    with writing(path, private=private) as file:
        file.write(content)


@contextmanager
def writing(path: Path, *, private: bool = False) -> Iterator[BufferedWriter]:
    """Yield a draft to write piece by piece; it replaces ``path`` at the end, and is removed after an error.

    Raises: OSError, also if ``path`` exists and is not a regular file: a device, say, would be replaced.
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
    sync(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Append a line to a file, and end the one before it if its writer was killed or the disk was full. Raises: OSError."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666), "ab") as file:
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
    """Lock a file, which is created if it does not exist, and return its descriptor; closing it unlocks. Raises: OSError.

    ``how``: an operation of flock(2); with LOCK_NB it may raise BlockingIOError.
    If the file is renamed or removed while this process waits, the file that has the name then is locked.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
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
