"""Unpacks an archive or a wheel from a stranger, and finds the bot in it. Nothing of it is imported or run.

A confined process reads it (``unpacker.py``); this one checks the reported names and sizes, and writes the files. Nothing is
written before its name is checked, or beyond the limits, whatever the archive says about itself. An attacker who takes over the
confined process can send any files within the limits, which the archive could have held anyway.
"""

import os
import select
import time
from pathlib import Path

from msgspec import Struct, json

from arena.confinement.profiles import Sandbox
from arena.errors import MALFORMED, ArenaError, RosterError, StoreError
from arena.league.intake.entry_names import EntryNames
from arena.league.intake.unpacker import BROKEN
from arena.runs.confined_process import CPU_SECONDS, MEMORY_MB, start_confined, wait
from arena.runs.intake_errors import MACHINE_ERRORS
from arena.text import printable

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
