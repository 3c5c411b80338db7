"""Reads an unpacked wheel: its metadata, and where its files belong. Nothing of it is installed or run.

Source: the binary distribution format on packaging.python.org (PEP 427), and the entry points specification.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from arena import disk
from arena.errors import RosterError
from arena.roster.needed_packages import BOTS
from arena.runs.confined_reading import ConfinedReader
from arena.runs.reader import WheelQuestion
from arena.runs.wheel_metadata import WheelMetadata

LARGEST_METADATA = 1 << 20  # bytes of a metadata file
PLACES = ("purelib", "platlib")  # folders in a wheel's .data folder whose files an installer puts beside the packages


def arrange_library_files(files: Path, where: str, reader: ConfinedReader) -> None:
    """Move the files of an unpacked library to where an installer would put them, and remove what a bot cannot import.

    Raises: RosterError, SandboxError, ReadingError.
    """
    folder = metadata_folder(files, where)
    wheel_metadata(folder, where, reader)  # checks the version of the format
    data = files / f"{folder.name.removesuffix('.dist-info')}.data"
    for place in PLACES:
        if (data / place).is_dir():
            shutil.copytree(data / place, files, dirs_exist_ok=True)
    shutil.rmtree(data, ignore_errors=True)
    for path in files.glob("*.pth"):  # an interpreter may load these and __pycache__ unasked
        path.unlink()
    for cache in [path for path in files.rglob("__pycache__") if path.is_dir()]:
        shutil.rmtree(cache)


def metadata_folder(files: Path, where: str) -> Path:
    """Return the folder of a wheel's metadata. Raises: RosterError."""
    found = [path for path in files.glob("*.dist-info") if (path / "WHEEL").is_file() and (path / "METADATA").is_file()]
    if len(found) != 1:
        raise RosterError(f"{where}: not a wheel: {len(found)} folders of metadata, NAME.dist-info; expected one")
    return found[0]


def wheel_metadata(folder: Path, where: str, reader: ConfinedReader) -> WheelMetadata:
    """Return the metadata of a wheel. Raises: RosterError, SandboxError, ReadingError."""
    wheel, metadata, entry_points = (_content(folder / file, where) for file in ("WHEEL", "METADATA", "entry_points.txt"))
    found = reader.wheel(WheelQuestion(wheel, metadata, entry_points), where)
    if not found.version.startswith("1."):
        raise RosterError(f"{where}: wheel version {found.version[:20]!a}; expected 1")
    return found


def check_contents(files: Path, metadata: WheelMetadata, where: str) -> None:
    """Raise RosterError for what would act outside of the bot's packages."""
    for path in files.rglob("*.pth"):
        raise RosterError(f"{where}: it holds {path.name!a}, which would run code in every program; expected only packages")
    for path in files.glob("*.data"):
        raise RosterError(f"{where}: it holds {path.name!a}, scripts or data outside of its packages; expected only packages")
    for group in metadata.groups:
        if group.partition(".")[0] == "arena" and group != BOTS:
            raise RosterError(f"{where}: it has entry points of the group {group[:60]!a}; a bot may have only those of {BOTS}")


def entry_point(metadata: WheelMetadata, where: str, wanted: str) -> tuple[str, str]:
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
        return disk.read(path, LARGEST_METADATA)
    except FileNotFoundError:
        return b""
    except (OSError, ValueError) as error:
        raise RosterError(f"{where}: {path.name}: cannot be read: {error}") from None
