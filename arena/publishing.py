"""Publishes outputs of several files, so that a reader finds all of the earlier ones or all of the new ones.

The files are first written to a working folder, ``.publishing``, and are all on the disk before one of them gets its name.

- **A whole folder** is built beside the one that is published, and changes places with it in one system call, ``renameat2`` with
  ``RENAME_EXCHANGE``. Where that is not possible (another system, a file system without that call, a mount point, the current
  folder, a parent folder that may not be written), its files are published one after another, in the second way.
- **Files among others**, as the reports of a run, are complete when their folder has been renamed to ``ready``. Then they get their
  names one after another, which takes microseconds. If the process is killed meanwhile, the next publication begins with the rest.

A working folder is used under a lock, and the process that gets the lock removes what a killed one has left. So publications of the
same place happen one after another.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from arena import disk
from arena.errors import StoreError, naming_errors

WORK = ".publishing"
AT_FDCWD = -100
RENAME_EXCHANGE = 2
NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV, errno.EBUSY, errno.EPERM, errno.EACCES)


@contextmanager
def replacing(place: Path, what: str, is_own: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield a new, empty folder, which replaces the one at ``place``, if there is one, when the block ends without an error.

    All that was at ``place`` is removed, so it may only hold entries for which ``is_own`` is true: an earlier publication, which
    ``what`` names for the message. Raises: StoreError, also for an OSError of the block.
    """
    with naming_errors(place, "cannot be written"):
        real = disk.real(place)
        if link := next((path for path in (real, *real.parents) if path.is_symlink()), None):
            raise StoreError(f"{place}: {link} is a link to itself; expected a folder")
        real.parent.mkdir(parents=True, exist_ok=True)
        _check(real, place, what, is_own)
        with _working(_work_for(real), real) as work:
            (work / "new").mkdir()
            try:
                yield work / "new"
            except StoreError as error:  # it names a file of the working folder
                raise type(error)(str(error).replace(str(work / "new"), str(place))) from None
            _check(real, place, what, is_own)
            _sync_all(work / "new")
            _replace(real, work, is_own)


def complete(folder: Path) -> None:
    """Publish the rest of files that a killed process was about to publish in a folder, if there are any. Raises: StoreError."""
    if (folder / WORK).exists():
        with naming_errors(folder, "cannot be written"), _working(folder / WORK, folder):
            pass


def write_together(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write ``files``, by their paths in a folder, all or none; other files in it stay. Raises: StoreError."""
    if not files:
        return
    for name in files:
        disk.inside(folder, *Path(name).parent.parts)
    with naming_errors(folder, "cannot be written"), _working(folder / WORK, folder) as work:
        for name, content in files.items():
            path = work / "new" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with naming_errors(folder / name, "cannot be written"):
                if (folder / name).is_dir():  # known before any file gets its name
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        _sync_all(work / "new")
        _move_all(work, folder)


def write(place: Path, content: bytes) -> None:
    """Write one file: a reader finds the earlier one, or all of the new one. Raises: StoreError."""
    with naming_errors(place, "cannot be written"):
        disk.write(place, content)


def _check(real: Path, place: Path, what: str, is_own: Callable[[Path], bool]) -> None:
    """Raise StoreError if a folder holds anything that is not of an earlier publication."""
    foreign = sorted(path.name for path in _entries(real) if not is_own(path))
    if foreign:
        raise StoreError(f"{place}: holds {foreign[0]!r}; expected a new or empty folder, or {what}")


def _entries(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name != WORK] if folder.exists() else []


def _work_for(real: Path) -> Path:
    """Return the working folder for a folder that is published as a whole: beside it, or in it if it cannot be exchanged."""
    in_place = real.exists() and (os.path.ismount(real) or real.samefile(".") or not os.access(real.parent, os.W_OK))
    return real / WORK if in_place else real.with_name(f"{WORK}-{real.name}")


@contextmanager
def _working(work: Path, place: Path) -> Iterator[Path]:
    """Yield a working folder that no other process uses, after publishing what a killed process had completed in it."""
    handle = _lock(disk.inside(work.parent, work.name))
    try:
        if disk.inside(work, "ready").exists():
            _finish(work, place)
        shutil.rmtree(disk.inside(work, "new"), ignore_errors=True)
        yield work
    finally:
        if not os.path.lexists(work / "ready"):
            shutil.rmtree(work / "new", ignore_errors=True)
            with suppress(OSError):
                (work / "lock").unlink()  # from here on another process may lock it; then rmdir fails
                work.rmdir()
        os.close(handle)


def _lock(work: Path) -> int:
    """Create a working folder unless it exists, and wait until no other process uses it."""
    while True:
        try:
            work.mkdir(mode=0o700, parents=True)
        except FileExistsError:  # the usual case: it is there, or was until this moment
            if not work.parent.is_dir():
                raise
        try:
            return disk.lock(work / "lock")
        except FileNotFoundError:  # its user has just removed it
            continue
        except OSError:
            with suppress(OSError):
                work.rmdir()
            raise


def _replace(place: Path, work: Path, is_own: Callable[[Path], bool]) -> None:
    """Put the new folder in place of the one at ``place``. Foreign files that were added there meanwhile stay."""
    new = work / "new"
    if not place.exists():
        new.rename(place)
    elif work.parent == place or not _exchange(new, place):
        published = {path.relative_to(new) for path in _files(new)}
        _move_all(work, place)
        inside = [path.relative_to(place) for path in _files(place)]
        for path in [path for path in inside if path not in published and is_own(place / path.parts[0])]:
            (place / path).unlink()
    else:  # ``new`` is now the old folder, which ``_working`` removes
        for path in [path for path in _entries(new) if not is_own(path)]:
            path.rename(place / path.name)
    disk.sync(place.parent)


def _exchange(new: Path, place: Path) -> bool:
    """Exchange two folders, with the mode and owner of ``place`` for ``new``; False: not possible here. Source: renameat2(2)."""
    import ctypes  # noqa: PLC0415 - it takes a tenth of the start of a command, also of one that publishes nothing

    before = place.stat()
    new.chmod(before.st_mode & 0o7777)
    with suppress(PermissionError):
        os.chown(new, before.st_uid, before.st_gid)
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    if renameat2(AT_FDCWD, os.fsencode(new), AT_FDCWD, os.fsencode(place), RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in NO_EXCHANGE:
        return False
    raise OSError(code, os.strerror(code), str(place))


def _move_all(work: Path, place: Path) -> None:
    """Publish the files in ``new``. If this process is killed after the rename, the next publication does the rest."""
    (work / "new").rename(work / "ready")
    disk.sync(work)
    _finish(work, place)


def _finish(work: Path, place: Path) -> None:
    ready = work / "ready"
    for path in _files(ready):
        name = path.relative_to(ready)
        path.replace(disk.make_folder(place, *name.parent.parts) / name.name)
    disk.sync(place)
    shutil.rmtree(ready)


def _files(folder: Path) -> list[Path]:
    """Return the files below a folder, sorted, without those in its working folders."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and WORK not in path.relative_to(folder).parts)


def _sync_all(folder: Path) -> None:
    """Wait until everything below a folder is on the disk."""
    for path, _, files in os.walk(folder):
        for name in files:
            disk.sync(Path(path, name))
        disk.sync(Path(path))
