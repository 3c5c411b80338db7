"""Has a confined process parse what strangers have written (``reader.py``): this module reads the files and receives values.

It also has the border that turns errors of arena into refusals (``refusing_errors``). The process is started when it is first
needed, and again after it has failed for a text, which may have taken its memory or more. Whatever it sends is checked against the
type that was asked for, and waited for until a deadline.
"""

import errno
import os
import select
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.util import find_spec
from logging import INFO, LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TypeVar

from msgspec import DecodeError, ValidationError, convert, json
from msgspec.structs import replace

import arena
from arena import distribution
from arena.confinement.profiles import LimitedSandbox, Sandbox
from arena.confinement.status import LaunchFailedError
from arena.errors import ArenaError, OutOfTimeError, RosterError, RunStoppedError, SandboxError, WorkerLostError
from arena.interpreter import SANDBOXED
from arena.players.base import PlayerFaultError
from arena.players.child import Child
from arena.roster import distributions, manifest
from arena.roster.distributions import Outline, UnreadableError
from arena.roster.entrant import Launch
from arena.roster.manifest import Manifest, parse_file
from arena.runs.reader import (
    ManifestQuestion,
    Question,
    ReaderAnswer,
    RequirementsQuestion,
    SourceQuestion,
    WheelMetadata,
    WheelQuestion,
)
from arena.text import printable

# Starts a process of arena inside the sandbox, to read what strangers have sent.

CPU_SECONDS = 120
MEMORY_MB = 512


def start_confined(command: tuple[str, ...], folder: Path, reads: tuple[str, ...], sandbox: Sandbox) -> Child:
    """Start a module of arena inside the sandbox, where it may read a folder and some files. Raises: SandboxError."""
    options = {"memory_mb": MEMORY_MB, "cpu_seconds": CPU_SECONDS, "sealed": "preferred"}  # it knows no card, and reads to its end
    limited = replace(sandbox, **options) if isinstance(sandbox, LimitedSandbox) else sandbox
    environment = (("PYTHONHASHSEED", "0"), ("LANG", "C.UTF-8"))
    launch = Launch(
        command=(*SANDBOXED, *command), folder=str(folder), environment=environment, reads=reads, reads_while_playing=True
    )
    try:
        child = Child(limited.wrap(launch))
        child.wait_ready()
    except (PlayerFaultError, LaunchFailedError) as error:
        raise SandboxError(f"the process that reads a stranger's files could not be started: {error}") from None
    return child


def wait(pipe: int, event: int, deadline: float) -> None:
    """Wait for a pipe. Raises: EOFError, at the deadline, as if the pipe had ended."""
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(1000 * max(0.0, deadline - time.monotonic())):
        raise EOFError


MODULE = "arena.runs.reader"
SECONDS = 60.0  # of wall-clock time for an answer
LARGEST = 64 << 20  # bytes of an answer
PARSERS = ("yaml", "packaging")  # libraries that it imports beside those of every bot
FAILED = f"the process that reads it needed more than {MEMORY_MB} MB or {SECONDS:.0f} s, or has failed"

Value = TypeVar("Value")
_ANSWERS = json.Decoder(ReaderAnswer)


class ReadingError(Exception):
    """An error of arena in the confined process; the message is its traceback."""


class ConfinedReader:
    """Parses files of strangers in a confined process. Use it as :func:`confined_reader` gives it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._child: Child | None = None

    def source(self, path: Path) -> Outline:
        """Return the outline of a Python source. Raises: RosterError, SandboxError, ReadingError."""
        return parse_file(path, distributions.LARGEST, lambda content: self._ask(SourceQuestion(content), Outline))

    def manifest(self, path: Path) -> Manifest:
        """Return a manifest. Raises: RosterError, SandboxError, ReadingError."""
        return parse_file(path, manifest.LARGEST, lambda content: self._ask(ManifestQuestion(content), Manifest))

    def wheel(self, question: WheelQuestion, where: str) -> WheelMetadata:
        """Return the metadata of a wheel; ``where`` names it in errors. Raises: RosterError, SandboxError, ReadingError."""
        with _naming(where):
            return self._ask(question, WheelMetadata)

    def requirements(self, lines: tuple[str, ...], where: str, extras: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the requirements that apply here, each once and in order; ``where`` names their file in errors.

        Raises: RosterError, SandboxError, ReadingError.
        """
        with _naming(where):
            return self._ask(RequirementsQuestion(lines, extras, distribution.version()), tuple[str, ...]) if lines else ()

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child:
            child.end()

    def _ask(self, question: Question, kind: type[Value]) -> Value:
        """Return an answer. Raises: UnreadableError, SandboxError, ReadingError."""
        try:
            found = _ANSWERS.decode(self._exchange(json.encode(question) + b"\n"))
            if found.error:
                raise ReadingError(found.error)
            if found.problem:
                raise UnreadableError(found.problem, found.line)
            return convert(found.value, kind)
        except (EOFError, OSError, DecodeError, ValidationError, RecursionError):
            self.close()
            raise UnreadableError(FAILED) from None

    def _exchange(self, question: bytes) -> bytes:
        """Send a question and return the answer. Raises: EOFError, OSError, SandboxError."""
        child = self._child = self._child or _start(self._sandbox)
        deadline = time.monotonic() + SECONDS
        _send(child.stdin, question, deadline)
        return _receive(child.stdout, deadline)


def _start(sandbox: Sandbox) -> Child:
    child = start_confined((MODULE,), Path(next(iter(arena.__path__))), _parsers(), sandbox)
    os.set_blocking(child.stdin, False)
    return child


@cache
def _parsers() -> tuple[str, ...]:
    """Return the folders of the libraries that the process imports, as far as they are installed."""
    specs = [find_spec(name) for name in PARSERS]
    return tuple(folder for spec in specs if spec for folder in spec.submodule_search_locations or ())


def _send(pipe: int, question: bytes, deadline: float) -> None:
    """Write a question. Raises: EOFError, if it is not read in time; OSError."""
    left = memoryview(question)
    while left:
        wait(pipe, select.POLLOUT, deadline)
        left = left[os.write(pipe, left) :]


def _receive(pipe: int, deadline: float) -> bytes:
    """Read an answer. Raises: EOFError, if it does not come in time, or is too long."""
    received = bytearray()
    while not received.endswith(b"\n"):
        wait(pipe, select.POLLIN, deadline)
        part = os.read(pipe, 1 << 20)
        received += part
        if not part or len(received) > LARGEST:
            raise EOFError
    return bytes(received)


@contextmanager
def confined_reader(sandbox: Sandbox) -> Iterator[ConfinedReader]:
    """Give a reader, whose process ends with the context."""
    reader = ConfinedReader(sandbox)
    try:
        yield reader
    finally:
        reader.close()


@contextmanager
def _naming(where: str) -> Iterator[None]:
    try:
        yield
    except UnreadableError as error:
        raise RosterError(f"{where}: {error}") from None


# The border that a stranger's file has to pass: whatever goes wrong there in arena is a refusal in one line, and no traceback.
#
# A file may be made so that arena has an unforeseen error with it. Then the bot is refused, its author is told that
# this says nothing about the bot, and the traceback is kept for the people who can correct arena.

# errors of this machine, which no file can cause: the file is taken in later
LACKS = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EROFS}
KNOWN = (ArenaError, WorkerLostError, RunStoppedError, OutOfTimeError, BrokenPipeError)
FILE = "errors.log"
MOST_BYTES = 1 << 20  # of the file, before it becomes errors.log.1


class IntakeError(RosterError):
    """A bot is refused because of an error of arena."""


@contextmanager
def refusing_errors(bot: str, league: Path | None = None) -> Iterator[None]:
    """Turn every error of arena into a refusal of a bot, and add its traceback to ``logs/errors.log`` of a league.

    Without a league it is in a new folder. Raises: IntakeError; WorkerLostError, for what this machine lacks.
    """
    try:
        yield
    except KNOWN:
        raise
    except Exception as error:  # noqa: BLE001 - this is the border
        if isinstance(error, OSError) and error.errno in LACKS:
            raise WorkerLostError(f"{bot}: cannot be read at the moment: {error.strerror}") from None
        name, place = type(error).__name__, _keep(f"{bot}: {traceback.format_exc(limit=-30)}", league)
        raise IntakeError(
            f"{bot}: refused because of an error of arena ({name}), which says nothing about the bot; its traceback is in {place}"
        ) from None


def _keep(text: str, league: Path | None) -> Path:
    """Add a text to the file, and return its path."""
    folder = league / "logs" if league else Path(tempfile.mkdtemp(prefix="arena-"))
    folder.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(folder / FILE, maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace")
    with closing(handler):
        handler.handle(LogRecord(__name__, INFO, "", 0, printable(text), None, None))
    return folder / FILE
