"""Reads ``bot.yaml``, the manifest of a bot in any language."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from os.path import isfile
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct, ValidationError

from arena import disk, text, yaml
from arena.encoding import as_utf8
from arena.errors import RosterError, naming_errors
from arena.parameters import Parameter
from arena.roster import distributions
from arena.roster.distributions import Outline, UnreadableError
from arena.roster.entrant import Name
from arena.text import form

LARGEST = 64 * 1024  # bytes
Argument = Annotated[str, form(r"^[^\x00]*\Z", "a string without a null character")]


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a ``bot.yaml``; arena/protocol/README.md explains them."""

    name: Name
    command: Annotated[tuple[Argument, ...], Meta(min_length=1)]  # program and arguments
    version: (
        Annotated[str, form(r"^[ -~]{1,50}\Z", "a string of 1 to 50 ASCII characters")]
        | Annotated[int, Meta(ge=0, lt=10**18)]
        | float
    ) = "0"
    description: str = ""
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # how many the bot needs
    scratch_mb: Annotated[int, Meta(ge=0, le=16)] = 0  # size of the private temporary folder that the bot needs; 0: none
    reads_while_playing: bool = False  # whether the bot opens files after its ``ready``, and so can never be sealed
    # numbers that can be tuned; a value is added to the command as a last argument, ``name=value``
    parameters: dict[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\Z")], Parameter[Any]] = {}


def parse(content: bytes) -> Manifest:
    """Return the manifest in a text. Raises: UnreadableError."""
    try:
        values = yaml.read(as_utf8(content).decode()).values
        if "bots" in values:
            raise UnreadableError("found the spec of a tournament, which arena run plays; expected the manifest of a bot")
        return msgspec.convert(values, Manifest)
    except UnicodeDecodeError:
        raise UnreadableError("cannot be read: it is not UTF-8", 1) from None
    except yaml.DocumentError as error:
        raise UnreadableError(str(error), error.line) from None
    except ValidationError as error:
        raise UnreadableError(text.explain(error)) from None


# Checks the folder of a manifest. The bot may read all of it, so all of it is checked first.
#
# Three kinds are refused: what would let the bot read other files (a link out of the folder, files that belong to something else),
# what would let two of its processes communicate (a named pipe, a socket, a device), and too many files. A name that is not
# printable is refused too.

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


# Reads the files from which a bot is found: Python sources and manifests. The caller chooses the reader.
#
# The bots of the user are read in this process. Those of strangers are read by a confined one, which parses their text and sends
# back values (:mod:`arena.runs.confined_reading`).

Value = TypeVar("Value")


class Reader:
    """Reads files in this process; a subclass parses them elsewhere."""

    def source(self, path: Path) -> Outline:
        """Return the outline of a Python source. Raises: RosterError."""
        return parse_file(path, distributions.LARGEST, distributions.outline)

    def manifest(self, path: Path) -> Manifest:
        """Return a manifest. Raises: RosterError."""
        return parse_file(path, LARGEST, parse)


DIRECT = Reader()


def parse_file(path: Path, largest: int, parse: Callable[[bytes], Value]) -> Value:
    """Return the parsed content of a file of at most ``largest`` bytes. Raises: RosterError, which names file and line."""
    try:
        return parse(disk.read(path, largest))
    except OSError as error:
        raise RosterError(f"{path}: cannot be read: {error.strerror}") from None
    except disk.TooLargeError as error:
        raise RosterError(f"{path}: {error}") from None
    except UnreadableError as error:
        place = path if error.line is None else f"{path}:{error.line}"
        raise RosterError(f"{place}: {error}") from None
