"""Finds the bot in unpacked files."""

import re
import shutil
from os.path import isfile
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.confinement.profiles import Sandbox
from arena.errors import RosterError
from arena.league.intake.archives import MEGABYTE, UnpackLimits, failure, make_folder, unpack_files
from arena.league.intake.wheels import check_contents, entry_point, metadata_folder, one_bot, wheel_metadata
from arena.roster import bot_classes, distributions
from arena.roster.manifest_folder import MANIFEST
from arena.runs.confined_reading import ConfinedReader
from arena.runs.requirements import REQUIREMENTS_FILE, requirement_lines

PACKED = re.compile(r"(?P<path>.*\.(?:zip|whl|tar|tgz|txz|tbz2|tar\.(?:gz|xz|bz2)))(?::(?P<inner>.+))?", re.IGNORECASE | re.DOTALL)
FILES = "files"  # folder of the unpacked files
SOURCES = ("PKG-INFO", "setup.py", "setup.cfg", "pyproject.toml")  # files that only source distributions and projects have
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
    """An unpacked bot; exactly one of ``source`` and ``module`` is given."""

    folder: Path  # that holds nothing but the bot
    name: str = ""  # in its wheel; empty: the bot's own name
    source: str = ""  # its manifest, or file and class of a single file, as ``path/mine.py:Mine``
    module: str = ""  # module and class in the folder, as ``mine.player:Mine``
    requirements: tuple[str, ...] = ()


def packed_name(bot: str) -> PackedName | None:
    """Return the archive that a text names; None: it does not name an existing one."""
    match = PACKED.fullmatch(bot)
    return PackedName(Path(match["path"]), match["inner"] or "") if match and isfile(Path(match["path"])) else None


def unpack(asked: PackedName, stage: Path, limits: UnpackLimits, sandbox: Sandbox, reader: ConfinedReader) -> UnpackedBot:
    """Unpack an archive below the empty folder ``stage``, and return the bot in it.

    Raises: RosterError, SandboxError, StoreError, ReadingError.
    """
    files = unpack_all(asked, stage, limits, sandbox)
    return (_from_wheel if asked.is_wheel else _from_archive)(files, asked.path.name, asked.inner, reader)


def unpack_all(asked: PackedName, stage: Path, limits: UnpackLimits, sandbox: Sandbox) -> Path:
    """Unpack an archive below the empty folder ``stage``, and return the folder of its files.

    Raises: RosterError, SandboxError, StoreError.
    """
    files = stage / FILES
    make_folder(stage / "packed")
    archive = stage / "packed" / f"archive{asked.suffix}"
    _copy(asked.path, archive, limits.size)
    unpack_files(archive, asked.path.name, files, limits, sandbox)
    shutil.rmtree(archive.parent)
    shutil.rmtree(files / "__MACOSX", ignore_errors=True)  # macOS adds it, with a file of attributes, as ._mine.py, for each file
    return files


def _copy(source: Path, target: Path, most: int) -> None:
    """Copy a file of at most ``most`` bytes to where the confined process may read it. Raises: RosterError, StoreError."""
    try:
        with source.open("rb") as original, target.open("xb") as copy:
            left = most + 1
            while chunk := original.read(min(left, MEGABYTE)):
                copy.write(chunk)
                left -= len(chunk)
        target.chmod(0o644)
    except OSError as error:
        raise failure(f"{source}: cannot be copied", error) from None
    if not left:
        raise RosterError(f"{source}: more than {most // MEGABYTE} MB; the league accepts no larger archives")


def _from_wheel(files: Path, name: str, inner: str, reader: ConfinedReader) -> UnpackedBot:
    """Return the bot in a wheel, and leave only its packages in the folder ``files``; ``inner`` is the name of its entry point."""
    folder = metadata_folder(files, name)
    about = wheel_metadata(folder, name, reader)
    check_contents(files, about, name)
    bot, value = entry_point(about, name, inner)
    target = distributions.parse_target(value)
    if target is None:
        raise RosterError(f"{name}: bot {bot[:60]!a}: {value[:80]!a} is neither module:Class nor a package")
    shutil.rmtree(folder)
    required = reader.requirements(about.requires, name, target.extras)
    if target.attribute:
        return UnpackedBot(folder=files, name=bot, module=f"{target.module}:{target.attribute}", requirements=required)
    manifest = files.joinpath(*target.module.split("."), MANIFEST)
    if not isfile(manifest):
        raise RosterError(f"{name}: bot {bot[:60]!a}: its package {target.module!r} has no {MANIFEST}, and it names no class")
    return UnpackedBot(folder=manifest.parent, name=bot, source=str(manifest), requirements=required)


def _from_archive(files: Path, name: str, inner: str, reader: ConfinedReader) -> UnpackedBot:
    """Return the bot in an archive of a single file, of a package, or of a folder with a manifest."""
    root = _root(files)
    _check_is_no_project(root, name)
    required = reader.requirements(requirement_lines(root), REQUIREMENTS_FILE)
    if isfile(root / MANIFEST):
        return UnpackedBot(folder=root, source=str(root / MANIFEST), requirements=required)
    importable = _importable(root, name)
    target = _target(importable, name, inner, reader)
    module, _, attribute = target.rpartition(":")
    single = importable / f"{module}.py"
    if [single] == list(importable.rglob("*.py")):
        return UnpackedBot(folder=importable, source=f"{single}:{attribute}", requirements=required)
    return UnpackedBot(folder=importable, module=target, requirements=required)


def _target(importable: Path, name: str, inner: str, reader: ConfinedReader) -> str:
    """Return the bot ``inner``, or the only one, as ``module:Class``. Raises: RosterError, SandboxError, ReadingError."""
    bots = [inner] if inner else _bots(importable, reader)
    asked = distributions.parse_target(inner)
    if len(bots) == 1 and (not inner or (asked and asked.attribute)):
        return bots[0]
    raise RosterError(f"{name}: {bot_classes.list_names(bots)}; {one_bot(name, 'mine.player:Mine')}")


def _root(files: Path) -> Path:
    """Return the only folder in an archive; without one, the folder of all its files."""
    inside = list(files.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else files


def _check_is_no_project(root: Path, name: str) -> None:
    """Raise RosterError for a source distribution, and for a project that would have to be built."""
    found = [file for file in SOURCES if isfile(root / file)]
    if "PKG-INFO" in found or (found and not isfile(root / MANIFEST)):
        raise RosterError(f"{name}: found {found[0]}: {SDIST}")


def _importable(root: Path, name: str) -> Path:
    """Return the folder from which the modules are imported: ``root``, or its parent if ``root`` is a package.

    Raises: RosterError, for a package without a name.
    """
    if not isfile(root / "__init__.py"):
        return root
    if root.name == FILES:
        raise RosterError(f"{name}: it holds the files of a package, but not its folder, which is its name")
    return root.parent


def _bots(importable: Path, reader: ConfinedReader) -> list[str]:
    """Return the bots of all sources, as ``module:Class``. Raises: RosterError, SandboxError, ReadingError."""
    sources = {}
    for path in sorted(importable.rglob("*.py")):
        module = ".".join(path.relative_to(importable).with_suffix("").parts).removesuffix(".__init__")
        sources[module] = reader.source(path)
    return bot_classes.bots_of_several(sources)
