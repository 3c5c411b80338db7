"""Unpacks an archive or a wheel from a stranger, and finds the bot in it. Nothing of it is imported or run.

A confined process reads it (``unpacker.py``); this one checks the reported names and sizes, and writes the files. Nothing is
written before its name is checked, or beyond the limits, whatever the archive says about itself. An attacker who takes over the
confined process can send any files within the limits, which the archive could have held anyway.
"""

import os
import select
import time
import unicodedata
from pathlib import Path, PurePosixPath

from msgspec import Struct, json

from arena.confinement.profiles import Sandbox
from arena.errors import MALFORMED, ArenaError, RosterError, StoreError
from arena.league.intake.unpacker import BROKEN
from arena.runs.confined_reading import CPU_SECONDS, MACHINE_ERRORS, MEMORY_MB, start_confined, wait
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
            raise failure(f"{self._name}: {name!a} cannot be written", error) from None

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._most:
            much = self._most // MEGABYTE
            why = "" if self._most == self._limits.size else f", {RATIO} times its size"
            raise RosterError(
                f"{self._name}: it unpacks to more than {much} MB{why}; the limit is {self._limits.size // MEGABYTE} MB"
            )


def failure(what: str, error: OSError) -> ArenaError:
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
