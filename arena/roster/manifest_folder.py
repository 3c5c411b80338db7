"""Checks the folder of a manifest.

The bot may read all of it, so all of it is checked first.

Three kinds are refused: what would let the bot read other files (a link out of the folder, files that belong to something else),
what would let two of its processes communicate (a named pipe, a socket, a device), and too many files. A name that is not
printable is refused too.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from os.path import isfile
from pathlib import Path

from arena import disk
from arena.errors import RosterError, naming_errors

MOST = 10_000  # files and folders
DATABASE = "arena.sqlite"  # as in arena/store/folder.py, which is in a higher layer; a test compares the two
MANIFEST = "bot.yaml"
PYTHON = re.compile(r"python(3(\.\d+)?)?")  # the names of Python's interpreters
SETTINGS = "pyvenv.cfg"  # in the folder of a virtual environment of Python (PEP 405)
_SPEC = re.compile(rb"""^[{ \t\r\f\v]*["']?bots["']?\s*:""", re.MULTILINE)  # no newline first: that would take quadratic time
_SPEC_BYTES = 1 << 20


def contents(manifest: Path) -> list[Path]:
    """Return every file and link in the folder of a manifest. Raises: RosterError, for a folder that a bot may not have."""
    _check_place(manifest)
    found = []
    with naming_errors(None, "cannot be read", RosterError):
        for entry in _walk(manifest.parent):
            found.append(entry)
            if len(found) > MOST:
                raise RosterError(f"{manifest}: more than {MOST} files in its folder; expected a folder with nothing but the bot")
            _check_entry(entry, manifest)
    return [path for path in found if path.is_symlink() or path.is_file()]


def _check_place(manifest: Path) -> None:
    """Raise RosterError for the root folder, a home, one above a home, or a shared one (sticky, any user may write)."""
    folder, home = manifest.parent, disk.real(Path(os.path.expanduser("~")))  # noqa: PTH111 - Path.home() fails for some users
    shared = stat.S_ISVTX | stat.S_IWOTH
    if home.is_relative_to(folder) or folder.parent == folder or folder.stat().st_mode & shared == shared:
        raise RosterError(f"{manifest}: the bot could read all of {folder}; expected a folder with nothing but the bot")


def _walk(folder: Path) -> Iterator[Path]:
    """Yield everything in a folder, unordered, without following links."""
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                yield Path(entry.path)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))


def _check_entry(path: Path, manifest: Path) -> None:
    """Raise RosterError for anything that a bot's folder may not contain."""
    folder, mode = manifest.parent, path.lstat().st_mode
    if not str(path).isprintable():
        raise RosterError(f"{manifest}: found {path.name!a} in its folder; expected printable names")
    if stat.S_ISLNK(mode):
        target = disk.real(path)
        if not target.is_relative_to(folder) and not _is_interpreter(path, target):
            raise RosterError(f"{path}: a link out of the bot's folder, to {target}; expected a file")
    elif not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise RosterError(f"{path}: a pipe, socket or device; expected only files and folders in a bot's folder")
    elif foreign := _foreign(path, manifest):
        raise RosterError(f"{path}: {foreign} in the folder of the bot {manifest}; expected a folder with nothing but the bot")


def _is_interpreter(path: Path, target: Path) -> bool:
    """Tell whether a link is the Python of a virtual environment, which is outside of it; the link alone lets nobody read it."""
    named = all(PYTHON.fullmatch(name) for name in (path.name, target.name))
    return named and isfile(path.parent.parent / SETTINGS) and isfile(target) and os.access(target, os.X_OK)


def is_in_a_bot(path: Path) -> bool:
    """Tell whether a path, absolute and without links, is in the folder of a manifest, all of which belongs to that bot."""
    return any(isfile(folder / MANIFEST) for folder in path.parents)


def _foreign(path: Path, manifest: Path) -> str:
    """Return the kind of a file that does not belong in a bot's folder; empty: the file may be the bot's."""
    if path == manifest:
        return ""
    if path.name.startswith(DATABASE):
        return "a results database"
    if path.name == MANIFEST:
        return "another bot's manifest"
    if path.suffix in {".yaml", ".yml"} and path.is_file():
        with suppress(disk.TooLargeError):  # no spec is larger
            if _SPEC.search(disk.read(path, _SPEC_BYTES)):
                return "a tournament spec"
    return ""
