"""The files of a bot as they are sent to a worker, and its launch as it starts there.

A launch names paths of the director's machine. Here its files are given places relative to one folder, the same on every machine,
and a digest over places, modes and contents. A worker that has a folder of this digest in its cache starts the bot from there:
paths below the old folder become paths below the new one, the interpreter becomes the worker's, and a library must be installed on
the worker in the same version, which is known by the name of its metadata folder.

A bot of a league may have libraries of its own, unpacked in a folder (``arena.league.intake.libraries``). This folder travels
like the bot, under a digest of its own, once for all bots that share it.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.confinement.read_access import package_folders
from arena.errors import RosterError, naming_errors
from arena.interpreter import EXECUTABLE
from arena.roster.entrant import Launch

DATA, PROGRAM, LINK = "-", "x", "l"  # modes of a file
SDK = "arena.sdk"  # the module that a bot in Python is started by
PIECE = 1 << 22  # bytes of a file that are sent at a time


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
    name: str  # the package's name, with slashes: its place on the worker, because the folder here may be called otherwise
    module: bool  # whether the bot is imported by name, and not started from a file
    packages: tuple[str, ...]  # the director's folders of installed packages
    environments: tuple[Environment, ...] = ()

    @property
    def digests(self) -> tuple[str, ...]:
        """Return the digests of the folders that the bot needs."""
        return (self.digest, *(one.digest for one in self.environments))


class Piece(Struct, frozen=True):
    """A part of a file on its way."""

    place: str  # relative to the bot's folder in the cache
    mode: str  # DATA, PROGRAM or LINK
    content: bytes  # of a link: its target
    begins: bool  # whether it is the first part


class UnfitError(Exception):
    """A worker lacks something that a call needs; the message says what."""


def shipment_of(launch: Launch) -> Shipment:
    """Return the shipment of a launch. Raises: RosterError, for a bot that cannot be sent."""
    origin = _origin(launch)
    with naming_errors(None, "cannot be read", RosterError):
        environments = tuple(_environment(path, launch) for path in _foreign_import_paths(launch, origin))
        found = digest((path, _place(str(path), origin)) for path in _files(launch))
    return replace(origin, digest=found, environments=environments)


def digest(files: Iterable[tuple[Path, str]]) -> str:
    """Return the SHA-256 of a line for each file, which is given with its place. Raises: OSError."""
    lines = sorted(_line(path, place) for path, place in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def folder_digest(folder: Path) -> str:
    """Return the digest of all files below a folder. Raises: OSError."""
    return digest((path, path.relative_to(folder).as_posix()) for path in files_below(folder))


def _line(path: Path, place: str) -> str:
    """Return place and mode of a file, and the SHA-256 of its content or a link's target. Raises: OSError."""
    if path.is_symlink():
        return f"{place}\0{LINK}\0{path.readlink()}\n"
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
        mode = PROGRAM if os.fstat(file.fileno()).st_mode & 0o111 else DATA
    return f"{place}\0{mode}\0{content}\n"


def pieces(launch: Launch, shipment: Shipment) -> Iterator[Piece]:
    """Yield the content of every file. Raises: RosterError, if one cannot be read."""
    for path in _files(launch):
        yield from _parts(path, _place(str(path), shipment))


def library_pieces(environment: Environment) -> Iterator[Piece]:
    """Yield the content of every file of an environment. Raises: RosterError, if one cannot be read."""
    for path in files_below(Path(environment.folder)):
        yield from _parts(path, path.relative_to(environment.folder).as_posix())


def local_launch(launch: Launch, shipment: Shipment, cache: Path) -> Launch:
    """Return the launch that starts the same bot from a cache on this machine. Raises: UnfitError."""
    folder = cache / shipment.digest
    libraries = {one.folder: str(cache / one.digest) for one in shipment.environments}

    def here(path: str) -> str:
        return libraries.get(path) or os.path.normpath(folder / _place(path, shipment))

    imports = (("PYTHONPATH", str(folder)),) if shipment.module else ()
    return replace(
        launch,
        command=_python(launch, here) if SDK in launch.command else _program(launch, shipment, here),
        folder=here(launch.folder),
        files=tuple(map(here, launch.files)),
        environment=(*_variables(launch, here), *imports),
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
    compiled = any(".so" in file.suffixes for file in files_below(Path(path)))
    return Environment(path, folder_digest(Path(path)), compiled)


def _variables(launch: Launch, here: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield the variables of a bot; ``here`` returns the place of each folder in PYTHONPATH on this machine."""
    for name, value in launch.environment:
        yield name, os.pathsep.join(map(here, filter(None, value.split(os.pathsep)))) if name == "PYTHONPATH" else value


def _origin(launch: Launch) -> Shipment:
    """Return a shipment of a launch without digest and environments."""
    target = launch.command[-1].rpartition(":")[0]
    module = bool(launch.files) and not target.endswith(".py")  # else the bot is its whole folder, or a .py file
    base, package, name = launch.folder, "", ""
    if module:
        base, package, name = _outermost_package(launch, target.split("."))
    elif launch.files:
        base = os.path.commonpath([Path(file).parent for file in launch.files])
    return Shipment("", base, package, name, module, tuple(sorted(package_folders())))


def _outermost_package(launch: Launch, steps: list[str]) -> tuple[str, str, str]:
    """Return the folder that a bot's module is imported from, and folder and name of the outermost package around the module.

    Of /x/space/a/b/bot.py, where a and b have an ``__init__.py`` and space has none, these are /x, /x/space/a and space/a.
    """
    folder, name = Path(launch.folder), list(steps)
    if str(folder / f"{steps[-1]}.py") in launch.files:  # else the module is a package
        name.pop()
    while len(name) > 1 and str(folder.parent / "__init__.py") in launch.files:
        folder = folder.parent
        name.pop()
    if not name:
        return str(folder), "", ""
    above = [*folder.parents][: len(name)]  # fewer, if the root is nearer
    return str(above[-1]), str(folder), "/".join(name)


def _files(launch: Launch) -> list[Path]:
    """Return the files and links of a launch."""
    if launch.files:
        return [Path(file) for file in launch.files]
    return files_below(Path(launch.folder))


def _parts(path: Path, place: str) -> Iterator[Piece]:
    with naming_errors(path, "cannot be read", RosterError):
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
