"""Unpacks an archive or a wheel from a stranger, and finds the bot in it. Nothing of it is imported or run.

A confined process reads it (``unpacker.py``); this one checks the reported names and sizes, and writes the files. Nothing is
written before its name is checked, or beyond the limits, whatever the archive says about itself. An attacker who takes over the
confined process can send any files within the limits, which the archive could have held anyway.
"""

import os
import re
import select
import shutil
import time
import unicodedata
from collections.abc import Iterable
from os.path import isfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec import Struct, json

from arena import disk
from arena.confinement.profiles import Sandbox
from arena.errors import MALFORMED, ArenaError, RosterError, StoreError
from arena.league.intake.unpacker import BROKEN
from arena.roster import distributions, python_bot
from arena.roster.distributions import BOTS
from arena.roster.manifest import MANIFEST
from arena.runs.confined_reading import CPU_SECONDS, MACHINE_ERRORS, MEMORY_MB, ConfinedReader, start_confined, wait
from arena.runs.reader import FILE as REQUIREMENTS
from arena.runs.reader import WheelMetadata, WheelQuestion, requirement_lines
from arena.text import printable

# The names that entries of an archive may have: each file has a unique path inside the folder of the archive.
#
# Names that differ only in case, or in how an accent is written, are refused: where a file system does not tell them apart, one
# file would replace another.

DEEPEST = 20  # names in a path
LONGEST = 120  # bytes of a name
LONGEST_PATH = 400  # bytes


class EntryNames:
    """The entries of one archive so far; ``where`` names it in errors."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._files: set[str] = set()  # keys: differences of case, and of how an accent is written, are removed
        self._folders: dict[str, str] = {}  # by such a key: the spelling in the archive

    def add_file(self, name: str) -> PurePosixPath:
        """Add a file and return its path. Raises: RosterError, for a name that is unsafe or was used before."""
        path = self._check(name)
        for folder in path.parents[:-1]:
            self._add_folder(folder)
        if (key := _key(path)) in self._files or key in self._folders:
            raise RosterError(f"{self._where}: {name!a} is in it twice, or under names that differ only in case")
        self._files.add(key)
        return path

    def add_folder(self, name: str) -> None:
        """Add a folder. Raises: RosterError, as for a file."""
        path = PurePosixPath(name)
        if path.parts:
            for folder in (self._check(name), *path.parents[:-1]):
                self._add_folder(folder)

    def _add_folder(self, path: PurePosixPath) -> None:
        if (key := _key(path)) in self._files or self._folders.setdefault(key, str(path)) != str(path):
            raise RosterError(f"{self._where}: {str(path)!a} is in it twice, or under names that differ only in case")

    def _check(self, name: str) -> PurePosixPath:
        """Return a name as a path inside the archive. Raises: RosterError."""
        parts = name.removeprefix("./").split("/")
        if problem := _problem(name, parts):
            raise RosterError(f"{self._where}: the name {name[:100]!a} {problem}")
        return PurePosixPath(*parts)


def _problem(name: str, parts: list[str]) -> str:
    """Return the reason why a name is invalid; empty: it is valid."""
    if name.startswith("/"):
        return "is an absolute path; expected paths inside the archive"
    if not set(parts).isdisjoint({"", ".", ".."}):
        return "leads out of its folder, or has an empty part; expected plain paths inside the archive"
    if not name.isprintable() or "\\" in name:
        return "has a backslash, or characters that cannot be printed"
    if len(parts) > DEEPEST:
        return f"is a path of more than {DEEPEST} names"
    if len(name.encode()) > LONGEST_PATH or max(len(part.encode()) for part in parts) > LONGEST:
        return f"is longer than {LONGEST_PATH} bytes, or has a part that is longer than {LONGEST}"
    return ""


def _key(path: PurePosixPath) -> str:
    return unicodedata.normalize("NFKC", str(path)).casefold()


MODULE = "arena.league.intake.unpacker"
MEGABYTE = 1 << 20
SECONDS = 600.0  # of wall-clock time
LONGEST_LINE = 100_000  # bytes
RATIO = 200  # bytes that an archive may unpack to, for each byte of it
SMALL = 10 * MEGABYTE  # bytes that any archive may unpack to, if the limits allow it

Line = tuple[str, str, bool] | str | None  # name, type and whether it is executable; the reason of a refusal; the end
_LINES: json.Decoder[Line] = json.Decoder(Line)


class UnpackLimits(Struct, frozen=True, kw_only=True):
    """What an archive may hold."""

    entries: int = 5000
    size: int  # bytes of all files


def unpack_files(archive: Path, name: str, folder: Path, limits: UnpackLimits, sandbox: Sandbox) -> None:
    """Unpack an archive to a new folder; ``name`` names it in errors. Raises: RosterError, SandboxError, StoreError.

    ``archive`` is an absolute path that ends in .zip or .tar. The process that reads it may read all of its folder.
    """
    child = start_confined((MODULE, str(archive)), archive.parent, (), sandbox)
    try:
        receive(child.stdout, name, folder, limits, archive.stat().st_size)
    finally:
        child.end()


def receive(source: int, name: str, folder: Path, limits: UnpackLimits, packed: int) -> None:
    """Write the files that the confined process reports to a new folder; ``packed`` is the archive's size.

    Raises: RosterError, StoreError.
    """
    make_folder(folder)
    _Unpacking(_Frames(source, name), name, folder, limits, packed).run()
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)


def make_folder(path: Path) -> None:
    """Make a folder that every user may read, whatever the umask is: the sandbox may run as another user."""
    path.mkdir()
    path.chmod(0o755)


class _Unpacking:
    """An archive that is being unpacked."""

    def __init__(self, frames: "_Frames", name: str, folder: Path, limits: UnpackLimits, packed: int) -> None:
        self._frames = frames
        self._name = name
        self._folder = folder
        self._limits = limits
        self._most = min(limits.size, max(SMALL, packed * RATIO))
        self._names = EntryNames(name)
        self._entries = self._size = 0

    def run(self) -> None:
        """Write all files. Raises: RosterError, StoreError."""
        while (line := self._frames.line()) is not None:
            if isinstance(line, str):
                raise self._frames.refusal(line)
            self._entries += 1
            if self._entries > self._limits.entries:
                raise RosterError(f"{self._name}: it has more than {self._limits.entries} entries")
            self._write(*line)

    def _write(self, name: str, kind: str, executable: bool) -> None:  # noqa: FBT001 - a field of the line
        if kind == "folder":
            self._names.add_folder(name)
            return
        path = self._folder / self._names.add_file(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                while chunk := self._frames.chunk():
                    self._count(len(chunk))
                    file.write(chunk)
            path.chmod(0o755 if executable else 0o644)
        except OSError as error:
            raise _failure(f"{self._name}: {name!a} cannot be written", error) from None

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._most:
            much = self._most // MEGABYTE
            why = "" if self._most == self._limits.size else f", {RATIO} times its size"
            raise RosterError(
                f"{self._name}: it unpacks to more than {much} MB{why}; the limit is {self._limits.size // MEGABYTE} MB"
            )


def _failure(what: str, error: OSError) -> ArenaError:
    """Return the error for a failed call: a refusal, unless this machine is at fault, as by a full disk."""
    return (StoreError if error.errno in MACHINE_ERRORS else RosterError)(f"{what}: {error.strerror}")


class _Frames:
    """Reads the confined process's output with a deadline."""

    def __init__(self, source: int, name: str) -> None:
        self._source = source
        self._name = name
        self._deadline = time.monotonic() + SECONDS
        self._waiting = b""

    def line(self) -> Line:
        """Return the next line. Raises: RosterError."""
        while b"\n" not in self._waiting:
            if len(self._waiting) > LONGEST_LINE:
                raise self._broken()
            self._receive()
        line, _, self._waiting = self._waiting.partition(b"\n")
        try:
            return _LINES.decode(line)
        except MALFORMED:
            raise self._broken() from None

    def chunk(self) -> bytes:
        """Return the next chunk of a file; empty: the file is complete. Raises: RosterError."""
        size = int.from_bytes(self._exactly(4))
        if size == BROKEN and isinstance(line := self.line(), str):
            raise self.refusal(line)
        if size > MEGABYTE:
            raise self._broken()
        return self._exactly(size)

    def refusal(self, line: str) -> RosterError:
        """Return the error for an archive that the process has refused."""
        return RosterError(f"{self._name}: {printable(line)[:300]}")

    def _exactly(self, size: int) -> bytes:
        while len(self._waiting) < size:
            self._receive()
        found, self._waiting = self._waiting[:size], self._waiting[size:]
        return found

    def _receive(self) -> None:
        try:
            wait(self._source, select.POLLIN, self._deadline)
            received = os.read(self._source, MEGABYTE)
        except EOFError:
            received = b""
        if not received:
            raise self._broken()
        self._waiting += received

    def _broken(self) -> RosterError:
        return RosterError(
            f"{self._name}: cannot be unpacked: the process that reads it needed more than {MEMORY_MB} MB,"
            f" {CPU_SECONDS} s of processor time or {SECONDS:.0f} s in all, or has failed"
        )


# Reads an unpacked wheel: its metadata, and where its files belong. Nothing of it is installed or run.
#
# Source: the binary distribution format on packaging.python.org (PEP 427), and the entry points specification.

LARGEST_METADATA = 1 << 20  # bytes of a metadata file
PLACES = ("purelib", "platlib")  # folders in a wheel's .data folder whose files an installer puts beside the packages


def arrange_library_files(files: Path, where: str, reader: ConfinedReader) -> None:
    """Move the files of an unpacked library to where an installer would put them, and remove what a bot cannot import.

    Raises: RosterError, SandboxError, ReadingError.
    """
    info = _info(files, where)
    _metadata(info, where, reader)  # checks the version of the format
    data = files / f"{info.name.removesuffix('.dist-info')}.data"
    for place in PLACES:
        if (data / place).is_dir():
            shutil.copytree(data / place, files, dirs_exist_ok=True)
    shutil.rmtree(data, ignore_errors=True)
    for path in files.glob("*.pth"):  # an interpreter may load these and __pycache__ unasked
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
        return disk.read(path, LARGEST_METADATA)
    except FileNotFoundError:
        return b""
    except (OSError, ValueError) as error:
        raise RosterError(f"{where}: {path.name}: cannot be read: {error}") from None


# Finds the bot in unpacked files.

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
        raise _failure(f"{source}: cannot be copied", error) from None
    if not left:
        raise RosterError(f"{source}: more than {most // MEGABYTE} MB; the league accepts no larger archives")


def _from_wheel(files: Path, name: str, inner: str, reader: ConfinedReader) -> UnpackedBot:
    """Return the bot in a wheel, and leave only its packages in the folder ``files``; ``inner`` is the name of its entry point."""
    info = _info(files, name)
    metadata = _metadata(info, name, reader)
    _check_contents(files, metadata, name)
    bot, value = _entry_point(metadata, name, inner)
    target = distributions.parse_target(value)
    if target is None:
        raise RosterError(f"{name}: bot {bot[:60]!a}: {value[:80]!a} is neither module:Class nor a package")
    shutil.rmtree(info)
    required = reader.requirements(metadata.requires, name, target.extras)
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
    required = reader.requirements(requirement_lines(root), REQUIREMENTS)
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
    raise RosterError(f"{name}: {python_bot.list_names(bots)}; {one_bot(name, 'mine.player:Mine')}")


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
    return python_bot.bots_of_several(sources)
