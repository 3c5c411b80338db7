"""The files of a bot as they are sent to a worker, and its launch as it starts there.

A launch names paths of the director's machine. Here its files are given places relative to one folder, the same on every machine,
and a digest over places, modes and contents. A worker that has a folder of this digest in its cache starts the bot from there:
paths below the old folder become paths below the new one, the interpreter becomes the worker's, and a library must be installed on
the worker in the same version, which is known by the name of its metadata folder.

A bot of a league may have libraries of its own, unpacked in a folder (``arena.runs.submissions.libraries``). This folder travels
like the bot, under a digest of its own, once for all bots that share it.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import RosterError
from arena.interpreter import EXECUTABLE
from arena.players.confinement.read_access import package_folders
from arena.roster.entrant import Launch

DATA, PROGRAM, LINK = "-", "x", "l"  # modes of a file
SDK = "arena.sdk"  # the module that a bot in Python is started by
PIECE = 1 << 22  # bytes of a file that are sent at a time


class BundledFile(Struct, frozen=True):
    """A file or link of a bot, without its content."""

    place: str  # relative to the bot's folder in the cache
    mode: str  # DATA, PROGRAM or LINK
    content: str  # SHA-256 of the content, or the link's target


class Environment(Struct, frozen=True):
    """A folder of libraries that bots import from."""

    folder: str  # on the director's machine
    digest: str  # of its files
    compiled: bool  # whether a library in it is made for one kind of machine, C library and Python


class Shipment(Struct, frozen=True):
    """What a worker needs to know to start a bot from its own copy of the files."""

    digest: str  # of the files
    base: str  # the folder above them on the director's machine
    package: str  # the folder of the bot's outermost package there; empty: the bot is in no package
    name: str  # the package's name, with slashes; an installer may have found it in a folder of another name
    module: bool  # whether the bot is imported by name, and not started from a file
    packages: tuple[str, ...]  # the director's folders of installed packages
    environments: tuple[Environment, ...] = ()


class Bundle(Struct, frozen=True):
    """The files of a launch."""

    shipment: Shipment
    files: tuple[BundledFile, ...]


class Piece(Struct, frozen=True):
    """A part of a file on its way."""

    place: str
    mode: str
    content: bytes  # of a link: its target
    begins: bool  # whether it is the first part


class UnfitError(Exception):
    """A worker cannot play what it is asked to; the message says why."""


def bundle(launch: Launch) -> Bundle:
    """Return the files of a launch. Raises: RosterError, for a bot that cannot be sent."""
    origin = _origin(launch)
    try:
        environments = tuple(_environment(path, launch) for path in _foreign_import_paths(launch, origin))
        files = tuple(sorted((described(path, _place(str(path), origin)) for path in _files(launch)), key=lambda file: file.place))
    except OSError as error:
        raise RosterError(f"{error.filename}: cannot be read: {error.strerror}") from None
    return Bundle(replace(origin, digest=digest(files), environments=environments), files)


def digest(files: Iterable[BundledFile]) -> str:
    """Return the SHA-256 of one line for each file."""
    lines = sorted(f"{file.place}\0{file.mode}\0{file.content}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def described(path: Path, place: str) -> BundledFile:
    """Return a file as it is on this machine. Raises: OSError."""
    if path.is_symlink():
        return BundledFile(place, LINK, str(path.readlink()))
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
        mode = PROGRAM if os.fstat(file.fileno()).st_mode & 0o111 else DATA
    return BundledFile(place, mode, content)


def pieces(launch: Launch, shipment: Shipment) -> Iterator[Piece]:
    """Yield the content of every file. Raises: OSError."""
    for path in _files(launch):
        yield from _parts(path, _place(str(path), shipment))


def library_pieces(environment: Environment) -> Iterator[Piece]:
    """Yield the content of every file of an environment. Raises: OSError."""
    for path in files_below(Path(environment.folder)):
        yield from _parts(path, path.relative_to(environment.folder).as_posix())


def started_from(launch: Launch, shipment: Shipment, cache: Path) -> Launch:
    """Return the launch that starts the same bot from a cache on this machine. Raises: UnfitError."""
    folder = cache / shipment.digest
    libraries = {one.folder: str(cache / one.digest) for one in shipment.environments}

    def here(path: str) -> str:
        return libraries.get(path) or os.path.normpath(folder / _place(path, shipment))

    return replace(
        launch,
        command=_python(launch, here) if SDK in launch.command else _program(launch, shipment, here),
        folder=here(launch.folder),
        files=tuple(map(here, launch.files)),
        environment=(*_variables(launch, here), *((("PYTHONPATH", str(folder)),) if shipment.module else ())),
        reads=tuple(libraries.get(path) or _library(path, shipment.packages) for path in launch.reads),
    )


def files_below(folder: Path) -> list[Path]:
    """Return all files and links below a folder, without what Python has compiled."""
    return [path for path in folder.rglob("*") if "__pycache__" not in path.parts and (path.is_symlink() or path.is_file())]


def _foreign_import_paths(launch: Launch, origin: Shipment) -> list[str]:
    """Return the folders outside of the bot's own that it imports from."""
    paths = dict(launch.environment).get("PYTHONPATH", "").split(os.pathsep)
    return [path for path in paths if path and not Path(path).is_relative_to(origin.base)]


def _environment(path: str, launch: Launch) -> Environment:
    """Return the libraries that a bot has in a folder. Raises: RosterError, if the folder may hold more than them; OSError."""
    if path not in launch.reads:
        raise RosterError(f"{launch.folder}: imports from {path}, which does not hold its libraries; such a bot cannot be sent")
    files = files_below(Path(path))
    known = (described(file, file.relative_to(path).as_posix()) for file in files)
    return Environment(path, digest(known), any(".so" in file.suffixes for file in files))


def _variables(launch: Launch, here: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield the variables of a bot, with the folders that it imports from."""
    for name, value in launch.environment:
        yield name, os.pathsep.join(map(here, filter(None, value.split(os.pathsep)))) if name == "PYTHONPATH" else value


def _origin(launch: Launch) -> Shipment:
    """Return where the files of a launch are, without their digest."""
    target = launch.command[-1].rpartition(":")[0]
    module = bool(launch.files) and not target.endswith(".py")
    base, package, name = launch.folder, "", ""
    if module:
        base, package, name = _outermost_package(launch, target.split("."))
    elif launch.files:
        base = os.path.commonpath([Path(file).parent for file in launch.files])
    return Shipment("", base, package, name, module, tuple(sorted(package_folders())))


def _outermost_package(launch: Launch, steps: list[str]) -> tuple[str, str, str]:
    """Return the folder that a bot's module is imported from, and folder and name of the outermost package around the module."""
    folder, name = Path(launch.folder), list(steps)
    if str(folder / f"{steps[-1]}.py") in launch.files:  # else the module is a package
        name.pop()
    while len(name) > 1 and str(folder.parent / "__init__.py") in launch.files:
        folder, _ = folder.parent, name.pop()
    if not name:
        return str(folder), "", ""
    return str([*folder.parents][: len(name)][-1]), str(folder), "/".join(name)


def _files(launch: Launch) -> list[Path]:
    """Return the files and links of a launch."""
    if launch.files:
        return [Path(file) for file in launch.files]
    return files_below(Path(launch.folder))


def _parts(path: Path, place: str) -> Iterator[Piece]:
    if path.is_symlink():
        yield Piece(place, LINK, os.fsencode(path.readlink()), begins=True)
        return
    mode = PROGRAM if path.stat().st_mode & 0o111 else DATA
    with path.open("rb") as file:
        begins = True
        while (content := file.read(PIECE)) or begins:
            yield Piece(place, mode, content, begins=begins)
            begins = False


def _place(path: str, shipment: Shipment) -> str:
    """Return the place of a file or folder. Raises: RosterError, for one outside of the bot's folder."""
    if shipment.package and Path(path).is_relative_to(shipment.package):
        return str(Path(shipment.name, Path(path).relative_to(shipment.package)))
    steps = Path(os.path.relpath(path, shipment.base)).parts
    if ".." in steps:
        raise RosterError(f"{path}: outside of the bot's folder {shipment.base}; such a bot cannot be sent to another machine")
    return str(Path(*steps))


def _python(launch: Launch, here: Callable[[str], str]) -> tuple[str, ...]:
    """Return the command of a bot on the SDK, in this interpreter."""
    target, _, attribute = launch.command[-1].rpartition(":")
    where = here(target) if target.endswith(".py") else target
    return (EXECUTABLE, *launch.command[1:-1], f"{where}:{attribute}")


def _program(launch: Launch, shipment: Shipment, here: Callable[[str], str]) -> tuple[str, ...]:
    """Return the command of a bot with a manifest. Raises: UnfitError, if its program is not on this machine."""

    def argument(text: str) -> str:
        return here(text) if f"{text}/".startswith(f"{shipment.base}/") else text

    program, *rest = launch.command
    name = Path(program).name
    found = argument(program) if argument(program) != program else shutil.which(program) or shutil.which(name)
    if found is None:
        raise UnfitError(f"it has no program {name}, which the bot in {shipment.base} needs")
    return (found, *map(argument, rest))


def _library(path: str, packages: tuple[str, ...]) -> str:
    """Return a library's file or folder on this machine. Raises: UnfitError, if it is not installed here in the same version."""
    for folder in packages:
        if path.startswith(f"{folder}/"):
            place = path[len(folder) + 1 :]
            for own in sorted(package_folders()):
                if (found := Path(own, place)).exists():
                    return str(found)
            raise UnfitError(f"it has no {place} among its packages, which a bot needs")
    return path
