"""Unpacks an archive of a stranger: a confined process reads it (``unpacker.py``), this one checks what it reports, and writes.

Nothing is written before its name is checked, and nothing beyond the limits, whatever the archive says about itself. An attacker
who takes over the confined process can send any files within the limits, which the archive could have held anyway.
"""

import os
import select
import time
from pathlib import Path

from msgspec import DecodeError, Struct, json

from arena.errors import RosterError
from arena.players.sandboxes.base import Sandbox
from arena.printable import printable
from arena.runs.submissions.confined import CPU_SECONDS, MEMORY_MB, confined, wait
from arena.runs.submissions.entry_names import EntryNames
from arena.runs.submissions.unpacker import BROKEN

MODULE = "arena.runs.submissions.unpacker"
MEGABYTE = 1 << 20
SECONDS = 600.0  # of wall-clock time
LONGEST_LINE = 100_000  # bytes
RATIO = 200  # bytes for each byte of the archive
SMALL = 10 * MEGABYTE  # an archive may always unpack to this much

Line = tuple[str, str, bool] | str | None  # name, type and whether it is executable; a refusal; the end
_LINES: json.Decoder[Line] = json.Decoder(Line)


class UnpackLimits(Struct, frozen=True, kw_only=True):
    """What an archive may hold."""

    entries: int = 5000
    size: int  # bytes of all files


def unpack(archive: Path, name: str, folder: Path, limits: UnpackLimits, sandbox: Sandbox) -> None:
    """Unpack an archive to a new folder; ``name`` names it in errors. Raises: RosterError, SandboxError.

    ``archive`` is an absolute path that ends in .zip or .tar. The process that reads it may read all of its folder.
    """
    child = confined((MODULE, str(archive)), archive.parent, (), sandbox)
    try:
        receive(child.stdout, name, folder, limits, archive.stat().st_size)
    finally:
        child.end()


def receive(source: int, name: str, folder: Path, limits: UnpackLimits, packed: int) -> None:
    """Write what the confined process reports of an archive of ``packed`` bytes to a new folder. Raises: RosterError."""
    make_folder(folder)
    _Unpacking(_Frames(source, name), name, folder, limits, packed).run()
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)


def make_folder(path: Path) -> None:
    """Make a folder that every user may read, as the sandbox needs it; another umask would forbid that."""
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
        """Write all files. Raises: RosterError."""
        while (line := self._frames.line()) is not None:
            if isinstance(line, str):
                raise self._frames.refusal(line)
            self._entries += 1
            if self._entries > self._limits.entries:
                raise RosterError(f"{self._name}: it has more than {self._limits.entries} entries")
            self._write(*line)

    def _write(self, name: str, kind: str, executable: bool) -> None:  # noqa: FBT001 - a field of the line
        if kind == "folder":
            self._names.folder(name)
            return
        path = self._folder / self._names.file(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                while chunk := self._frames.chunk():
                    self._count(len(chunk))
                    file.write(chunk)
            path.chmod(0o755 if executable else 0o644)
        except OSError as error:
            raise RosterError(f"{self._name}: {name!a} cannot be written: {error.strerror}") from None

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._most:
            much = self._most // MEGABYTE
            why = "" if self._most == self._limits.size else f", {RATIO} times its size"
            raise RosterError(
                f"{self._name}: it unpacks to more than {much} MB{why}; the limit is {self._limits.size // MEGABYTE} MB"
            )


class _Frames:
    """What the confined process writes, read with a deadline."""

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
        except DecodeError:
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
        """Return why the process has refused the archive."""
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
