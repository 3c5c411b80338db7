"""Has a confined process parse what strangers have written (``reader.py``): this module reads the files and receives values.

It also turns errors of arena into refusals of the bot (``refusing_errors``). The process is started when it is first needed, and
again after it has failed at a text, which may have used up its memory. Its answers are checked against the expected type, and
awaited until a deadline.
"""

import os
import select
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from msgspec import convert, json

import arena
from arena import distribution
from arena.confinement.profiles import Sandbox
from arena.errors import MALFORMED, RosterError
from arena.players.child import Child
from arena.roster import python_source, reader
from arena.roster.manifest import Manifest
from arena.roster.python_source import Outline, UnreadableError
from arena.roster.reader import Reader, parse_file
from arena.runs.confined_process import MEMORY_MB, start_confined, wait
from arena.runs.reader import ManifestQuestion, Question, ReaderAnswer, RequirementsQuestion, SourceQuestion, WheelQuestion
from arena.runs.wheel_metadata import WheelMetadata

MODULE = "arena.runs.reader"
SECONDS = 60.0  # of wall-clock time for an answer
LARGEST = 64 << 20  # bytes of an answer
PARSERS = ("yaml", "packaging")  # libraries that the process imports besides those of every bot, if they are installed
FAILED = f"the process that reads it needed more than {MEMORY_MB} MB or {SECONDS:.0f} s, or has failed"

Value = TypeVar("Value")
_ANSWERS = json.Decoder(ReaderAnswer)


class ReadingError(Exception):
    """An error of arena in the confined process; the message is its traceback."""


class ConfinedReader(Reader):
    """Parses files of strangers in a confined process. :func:`confined_reader` makes one and closes it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._child: Child | None = None

    def source(self, path: Path) -> Outline:
        """Return the outline of a Python source. Raises: RosterError, SandboxError, ReadingError."""
        return parse_file(path, python_source.LARGEST, lambda content: self._ask(SourceQuestion(content), Outline))

    def manifest(self, path: Path) -> Manifest:
        """Return a manifest. Raises: RosterError, SandboxError, ReadingError."""
        return parse_file(path, reader.LARGEST, lambda content: self._ask(ManifestQuestion(content), Manifest))

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
        except (EOFError, OSError, *MALFORMED):
            self.close()
            raise UnreadableError(FAILED) from None

    def _exchange(self, question: bytes) -> bytes:
        """Send a question and return the answer. Raises: EOFError, OSError, SandboxError."""
        child = self._child = self._child or _start(self._sandbox)
        deadline = time.monotonic() + SECONDS
        _send(child.stdin, question, deadline)
        return _receive(child.stdout, deadline)


def _start(sandbox: Sandbox) -> Child:
    parsers = tuple(str(folder) for name in PARSERS for folder in distribution.folders(name))
    child = start_confined((MODULE,), Path(next(iter(arena.__path__))), parsers, sandbox)
    os.set_blocking(child.stdin, False)
    return child


def _send(pipe: int, question: bytes, deadline: float) -> None:
    """Write a question to a pipe that does not block. Raises: EOFError, if it is not read in time; OSError."""
    unsent = memoryview(question)
    while unsent:
        wait(pipe, select.POLLOUT, deadline)
        unsent = unsent[os.write(pipe, unsent) :]


def _receive(pipe: int, deadline: float) -> bytes:
    """Read an answer, a line. Raises: EOFError, if it does not come in time, is cut off, or is too long."""
    received = bytearray()
    while not received.endswith(b"\n"):
        wait(pipe, select.POLLIN, deadline)
        part = os.read(pipe, 1 << 20)
        received += part
        if not part or len(received) > LARGEST:
            raise EOFError
    return bytes(received)


def confined_reader(sandbox: Sandbox) -> closing[ConfinedReader]:
    """Return the context of a reader, whose process ends with it."""
    return closing(ConfinedReader(sandbox))


@contextmanager
def _naming(where: str) -> Iterator[None]:
    try:
        yield
    except UnreadableError as error:
        raise RosterError(f"{where}: {error}") from None
