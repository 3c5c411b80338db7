"""Finds the bot in an archive or a wheel. Reading it is ``unpacking.py``'s, and nothing of it is imported or run."""

import re
import shutil
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.confinement.sandbox import Sandbox
from arena.errors import RosterError
from arena.league.intake import libraries, unpacking
from arena.league.intake.unpacking import UnpackLimits, make_folder
from arena.roster import distributions, python_bot
from arena.roster.manifest import MANIFEST
from arena.runs import reader as requested
from arena.runs.confined_reading import ConfinedReader
from arena.system import is_file

PACKED = re.compile(r"(?P<path>.*\.(?:zip|whl|tar|tgz|txz|tbz2|tar\.(?:gz|xz|bz2)))(?::(?P<inner>.+))?", re.IGNORECASE | re.DOTALL)
FILES = "files"  # the folder of what was unpacked
SOURCES = ("PKG-INFO", "setup.py", "setup.cfg", "pyproject.toml")  # files by which a project or a source distribution is known
SDIST = (
    "a source distribution has to be built, which would run its code outside of the sandbox; submit a wheel of it, or its .py file"
)


class PackedName(NamedTuple):
    """An archive or a wheel that a user names, as ``mine.zip`` or ``mine.zip:mine.player:Mine``."""

    path: Path
    inner: str  # the bot in it; empty: it holds only one

    @property
    def suffix(self) -> str:
        """Return the format in which the confined reader opens it: .zip or .tar."""
        return ".zip" if self.path.suffix.lower() in {".zip", ".whl"} else ".tar"

    @property
    def is_wheel(self) -> bool:
        """Tell whether it is a wheel, by its name."""
        return self.path.suffix.lower() == ".whl"


class UnpackedBot(Struct, frozen=True, kw_only=True):
    """A bot that was unpacked. One of ``manifest``, ``source`` and ``module`` says what it is."""

    folder: Path  # that holds nothing but the bot
    name: str = ""  # that its wheel gives it; empty: as it calls itself
    manifest: Path | None = None
    source: str = ""  # a single file, as ``path/mine.py:Mine``
    module: str = ""  # of a package in the folder, as ``mine.player:Mine``
    requirements: tuple[str, ...] = ()


def packed_name(bot: str) -> PackedName | None:
    """Return the archive that a text names, if it names one that exists."""
    match = PACKED.fullmatch(bot)
    return PackedName(Path(match["path"]), match["inner"] or "") if match and is_file(Path(match["path"])) else None


def unpack(asked: PackedName, stage: Path, limits: UnpackLimits, sandbox: Sandbox, reader: ConfinedReader) -> UnpackedBot:
    """Unpack an archive below the empty folder ``stage``, and return the bot in it.

    Raises: RosterError, SandboxError, ReadingError.
    """
    name, files = asked.path.name, stage / FILES
    make_folder(stage / "packed")
    archive = stage / "packed" / f"archive{asked.suffix}"
    _copy(asked.path, archive, limits.size)
    unpacking.unpack(archive, name, files, limits, sandbox)
    shutil.rmtree(archive.parent)
    return (_from_wheel if asked.is_wheel else _from_archive)(files, name, asked.inner, reader)


def _copy(source: Path, target: Path, most: int) -> None:
    """Copy a file that a user names, where the confined process may read it. Raises: RosterError."""
    try:
        with source.open("rb") as original, target.open("xb") as copy:
            left = most + 1
            while chunk := original.read(min(left, unpacking.MEGABYTE)):
                copy.write(chunk)
                left -= len(chunk)
        target.chmod(0o644)
    except OSError as error:
        raise RosterError(f"{source}: cannot be read: {error.strerror}") from None
    if not left:
        raise RosterError(f"{source}: more than {most // unpacking.MEGABYTE} MB; the league accepts no larger archives")


def _from_wheel(files: Path, name: str, inner: str, reader: ConfinedReader) -> UnpackedBot:
    found = libraries.bot(files, name, inner, reader)
    target, required = found.target, reader.requirements(found.requirements, name, found.target.extras)
    if target.attribute:
        module = f"{target.module}:{target.attribute}"
        return UnpackedBot(folder=files, name=found.name, module=module, requirements=required)
    manifest = files.joinpath(*target.module.split("."), MANIFEST)
    if not is_file(manifest):
        raise RosterError(
            f"{name}: bot {found.name[:60]!a}: its package {target.module!r} has no {MANIFEST}, and it names no class"
        )
    return UnpackedBot(folder=manifest.parent, name=found.name, manifest=manifest, requirements=required)


def _from_archive(files: Path, name: str, inner: str, reader: ConfinedReader) -> UnpackedBot:
    """Return the bot in an archive of a single file, of a package, or of a folder with a manifest."""
    root = _root(files)
    _check_is_no_project(root, name)
    required = reader.requirements(requested.lines(root), requested.FILE)
    if is_file(root / MANIFEST):
        return UnpackedBot(folder=root, manifest=root / MANIFEST, requirements=required)
    importable = _importable(root, name)
    target = _target(importable, name, inner, reader)
    module, _, attribute = target.rpartition(":")
    single = importable / f"{module}.py"
    if [single] == list(importable.rglob("*.py")):
        return UnpackedBot(folder=importable, source=f"{single}:{attribute}", requirements=required)
    return UnpackedBot(folder=importable, module=target, requirements=required)


def _target(importable: Path, name: str, inner: str, reader: ConfinedReader) -> str:
    """Return the bot that is asked for, or the only one, as ``module:Class``. Raises: RosterError."""
    bots = [inner] if inner else _bots(importable, reader)
    asked = distributions.parse_target(inner)
    if len(bots) == 1 and (not inner or (asked and asked.attribute)):
        return bots[0]
    raise RosterError(f"{name}: {python_bot.list_names(bots)}; {libraries.one_bot(name, 'mine.player:Mine')}")


def _root(files: Path) -> Path:
    """Return the folder that the archive holds, or what it holds beside each other."""
    inside = list(files.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else files


def _check_is_no_project(root: Path, name: str) -> None:
    """Raise RosterError for a source distribution, and for a project that would have to be built."""
    found = [file for file in SOURCES if is_file(root / file)]
    if found and (found[0] == SOURCES[0] or not is_file(root / MANIFEST)):
        raise RosterError(f"{name}: found {found[0]}: {SDIST}")


def _importable(root: Path, name: str) -> Path:
    """Return the folder whose modules are imported by their names: ``root``, or the one around it if that is a package.

    Raises: RosterError, for a package without a name.
    """
    if not is_file(root / "__init__.py"):
        return root
    if root.name == FILES:
        raise RosterError(f"{name}: it holds the files of a package, but not its folder, which is its name")
    return root.parent


def _module_name(path: Path, root: Path) -> str:
    """Return the name by which a module is imported."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _bots(importable: Path, reader: ConfinedReader) -> list[str]:
    """Return the bots of all sources, as ``module:Class``. Raises: RosterError, SandboxError, ReadingError."""
    found = {_module_name(path, importable): python_bot.bots(reader.source(path)) for path in sorted(importable.rglob("*.py"))}
    certain = [f"{module}:{bot}" for module, bots in found.items() for bot in bots.certain]
    return certain or [f"{module}:{bot}" for module, bots in found.items() for bot in bots.possible]
