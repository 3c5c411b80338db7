"""Has a confined process parse what strangers have written (``reader.py``); this one reads the files and receives values.

The process is started when it is first needed, and again after it has failed for a text, which may have taken its memory or more.
Whatever it sends is checked against the type that was asked for, and waited for until a deadline.
"""

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from msgspec import DecodeError, ValidationError, convert, json

import arena
from arena import distribution
from arena.errors import RosterError
from arena.players.child import Child
from arena.players.sandboxes.base import Sandbox
from arena.roster import manifest, outline
from arena.roster.manifest import Manifest
from arena.roster.outline import Outline, UnreadableError
from arena.roster.reading import parsed
from arena.runs.submissions.confined import CPU_SECONDS, MEMORY_MB, confined, wait
from arena.runs.submissions.reader import (
    ManifestQuestion,
    Question,
    ReaderAnswer,
    RequirementsQuestion,
    SourceQuestion,
    WheelQuestion,
)
from arena.runs.submissions.wheel_metadata import WheelMetadata

MODULE = "arena.runs.submissions.reader"
SECONDS = 60.0  # of wall-clock time for an answer
LARGEST = 64 << 20  # bytes of an answer
PARSERS = ("yaml", "packaging")  # libraries that it imports beside those of every bot
FAILED = f"the process that reads it needed more than {MEMORY_MB} MB or {CPU_SECONDS} s of processor time, or has failed"

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
        return parsed(path, outline.LARGEST, lambda content: self._ask(SourceQuestion(content), Outline))

    def manifest(self, path: Path) -> Manifest:
        """Return a manifest. Raises: RosterError, SandboxError, ReadingError."""
        return parsed(path, manifest.LARGEST, lambda content: self._ask(ManifestQuestion(content), Manifest))

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
        child = self._child = self._child or _started(self._sandbox)
        deadline = time.monotonic() + SECONDS
        _send(child.stdin, question, deadline)
        return _receive(child.stdout, deadline)


def _started(sandbox: Sandbox) -> Child:
    child = confined((MODULE,), Path(next(iter(arena.__path__))), _parsers(), sandbox)
    os.set_blocking(child.stdin, False)
    return child


@cache
def _parsers() -> tuple[str, ...]:
    """Return the folders of the libraries that the process imports, as far as they are installed."""
    specs = [find_spec(name) for name in PARSERS]
    return tuple(folder for spec in specs for folder in (spec.submodule_search_locations or () if spec else ()))


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
