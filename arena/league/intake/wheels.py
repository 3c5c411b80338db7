"""Reads a wheel that was unpacked: what its metadata says, and where its files belong. Nothing of it is installed or run.

Source: the binary distribution format on packaging.python.org (PEP 427), and the entry points specification.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from arena import system
from arena.errors import RosterError
from arena.roster import distributions
from arena.roster.distributions import EntryPointTarget
from arena.roster.requirements import BOTS
from arena.runs.reader import WheelMetadata, WheelQuestion
from arena.runs.reading import ConfinedReader

LARGEST_METADATA = 1 << 20  # bytes of a metadata file
PLACES = ("purelib", "platlib")  # in a wheel's .data folder: what an installer puts beside the packages


class WheelBot(Struct, frozen=True, kw_only=True):
    """The bot in a wheel."""

    name: str
    target: EntryPointTarget
    requirements: tuple[str, ...]  # unchecked


def bot(files: Path, where: str, wanted: str, reader: ConfinedReader) -> WheelBot:
    """Return the bot in an unpacked wheel, and leave only its packages in the folder ``files``.

    ``wanted`` is the name of its entry point; empty: it has only one. ``where`` names the wheel in errors. Raises: RosterError,
    SandboxError, ReadingError.
    """
    info = _info(files, where)
    metadata = _metadata(info, where, reader)
    _check_contents(files, metadata, where)
    name, value = _entry_point(metadata, where, wanted)
    target = distributions.parse_target(value)
    if target is None:
        raise RosterError(f"{where}: bot {name[:60]!a}: {value[:80]!a} is neither module:Class nor a package")
    shutil.rmtree(info)
    return WheelBot(name=name, target=target, requirements=metadata.requires)


def spread(files: Path, where: str, reader: ConfinedReader) -> None:
    """Put the files of a library's wheel where an installer would put them, and remove what a bot cannot import.

    Raises: RosterError, SandboxError, ReadingError.
    """
    info = _info(files, where)
    _metadata(info, where, reader)  # checks the version of the format
    data = files / f"{info.name.removesuffix('.dist-info')}.data"
    for place in PLACES:
        if (data / place).is_dir():
            shutil.copytree(data / place, files, dirs_exist_ok=True)
    shutil.rmtree(data, ignore_errors=True)
    remove_startup_files(files)


def remove_startup_files(files: Path) -> None:
    """Remove what an interpreter might run or load unasked, ``.pth`` files, and ``__pycache__`` with bytecode."""
    for path in files.glob("*.pth"):
        path.unlink()
    for folder in [path for path in files.rglob("__pycache__") if path.is_dir()]:
        shutil.rmtree(folder)


def _info(files: Path, where: str) -> Path:
    """Return the folder of a wheel's metadata. Raises: RosterError."""
    found = [path for path in files.glob("*.dist-info") if (path / "WHEEL").is_file() and (path / "METADATA").is_file()]
    if len(found) != 1:
        raise RosterError(f"{where}: not a wheel: {len(found)} folders of metadata, NAME.dist-info; expected one")
    return found[0]


def _metadata(info: Path, where: str, reader: ConfinedReader) -> WheelMetadata:
    """Return the metadata of a wheel. Raises: RosterError, SandboxError, ReadingError."""
    wheel, metadata, entry_points = (_content(info / file, where) for file in ("WHEEL", "METADATA", "entry_points.txt"))
    found = reader.wheel(WheelQuestion(wheel, metadata, entry_points), where)
    if not found.version.startswith("1."):
        raise RosterError(f"{where}: wheel version {found.version[:20]!a}; expected 1")
    return found


def _check_contents(files: Path, metadata: WheelMetadata, where: str) -> None:
    """Raise RosterError for what would act outside of the bot's packages."""
    for path in files.rglob("*.pth"):
        raise RosterError(f"{where}: it holds {path.name!a}, which would run code in every program; expected only packages")
    for path in files.glob("*.data"):
        raise RosterError(f"{where}: it holds {path.name!a}, scripts or data outside of its packages; expected only packages")
    for group in metadata.groups:
        if group.partition(".")[0] == "arena" and group != BOTS:
            raise RosterError(f"{where}: it has entry points of the group {group[:60]!a}; a bot may have only those of {BOTS}")


def _entry_point(metadata: WheelMetadata, where: str, wanted: str) -> tuple[str, str]:
    """Return name and value of the bot's entry point. Raises: RosterError."""
    every = dict(metadata.bots)
    if wanted in every:
        return wanted, every[wanted]
    if wanted or not every:
        raise RosterError(f"{where}: no bot {wanted!r}; its entry points of the group {BOTS}: {_name_list(every)}")
    if len(every) > 1:
        raise RosterError(f"{where}: it holds {len(every)} bots, {_name_list(every)}; {one_bot(where, next(iter(every))[:60])}")
    return next(iter(every.items()))


def _name_list(names: Iterable[str]) -> str:
    return ", ".join(ascii(name[:60])[1:-1] for name in names)[:300] or "none"


def one_bot(name: str, example: str) -> str:
    """Return advice on naming one bot of several, in a command and in a request."""
    return f"expected one: name it as {name}:{example}, or over HTTP by class={example}"


def _content(path: Path, where: str) -> bytes:
    """Return a metadata file; empty: there is none. Raises: RosterError."""
    try:
        return system.read(path, LARGEST_METADATA)
    except FileNotFoundError:
        return b""
    except (OSError, ValueError) as error:
        raise RosterError(f"{where}: {path.name}: cannot be read: {error}") from None


def provided_modules(folder: Path) -> frozenset[str]:
    """Return the top-level names of the modules and packages in a folder."""
    return frozenset(path.name.partition(".")[0] for path in folder.iterdir() if not path.name.endswith(".dist-info"))
