"""Has a confined process parse what strangers have written (``reader.py``): this module reads the files and receives values.

It also turns errors of arena into refusals of the bot (``refusing_errors``). The process is started when it is first needed, and
again after it has failed at a text, which may have used up its memory. Its answers are checked against the expected type, and
awaited until a deadline.
"""

import errno
import os
import select
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from logging import INFO, LogRecord
from pathlib import Path
from typing import TypeVar

from msgspec import convert, json
from msgspec.structs import replace

import arena
from arena import distribution
from arena.confinement.profiles import LimitedSandbox, Sandbox
from arena.confinement.status import LaunchFailedError
from arena.disk import make_folder
from arena.errors import MALFORMED, ArenaError, OutOfTimeError, RosterError, RunStoppedError, SandboxError, WorkerLostError
from arena.interpreter import SANDBOXED
from arena.players.base import PlayerFaultError
from arena.players.child import Child
from arena.roster import distributions, manifest
from arena.roster.distributions import Outline, UnreadableError
from arena.roster.entrant import Launch
from arena.roster.manifest import Manifest, Reader, parse_file
from arena.runs.log_file import LogFile
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

# The start of a process of arena inside the sandbox, which reads what strangers have sent.

CPU_SECONDS = 120
MEMORY_MB = 512


def start_confined(command: tuple[str, ...], folder: Path, reads: tuple[str, ...], sandbox: Sandbox) -> Child:
    """Start a module of arena inside the sandbox, where it may read ``folder`` and the files ``reads``. Raises: SandboxError.

    ``command`` is the module with its arguments.
    """
    # A seal would protect the cards of a hand, and this process knows none. So it has none (``reads_while_playing``), also if the
    # spec requires one of bots.
    options = {"memory_mb": MEMORY_MB, "cpu_seconds": CPU_SECONDS, "sealed": "preferred"}
    limited = replace(sandbox, **options) if isinstance(sandbox, LimitedSandbox) else sandbox
    environment = (("PYTHONHASHSEED", "0"), ("LANG", "C.UTF-8"))
    launch = Launch(
        command=(*SANDBOXED, *command), folder=str(folder), environment=environment, reads=reads, reads_while_playing=True
    )
    try:
        child = Child(limited.wrap(launch))
        child.wait_ready()
    except (PlayerFaultError, LaunchFailedError, OSError) as error:
        raise SandboxError(f"the process that reads a stranger's files could not be started: {error}") from None
    return child


def wait(pipe: int, event: int, deadline: float) -> None:
    """Wait until a pipe has the ``event`` of poll(2). Raises: EOFError, at the ``deadline`` of the monotonic clock."""
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(1000 * max(0.0, deadline - time.monotonic())):
        raise EOFError


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


# An error of arena at a stranger's file is shown as a refusal in one line, without a traceback.
#
# A file may be made to cause an unforeseen error in arena. Then the bot is refused, its author reads that this says nothing about
# the bot, and the traceback is kept for the people who can correct arena.

# errors of this machine, which no file can cause: the bot is not refused, and can be read again later
MACHINE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EROFS}
PASSED_ON = (ArenaError, WorkerLostError, RunStoppedError, OutOfTimeError, BrokenPipeError)
FILE = "errors.log"
MOST_BYTES = 1 << 20  # of the file, before it becomes errors.log.1


class IntakeError(RosterError):
    """A bot is refused because of an error of arena."""


@contextmanager
def refusing_errors(bot: str, league: Path | None = None) -> Iterator[None]:
    """Turn unforeseen errors of arena into a refusal of a bot, and add their tracebacks to ``logs/errors.log`` of a league.

    Without a league, that file is in a new temporary folder. Raises: IntakeError; WorkerLostError, for an error of this machine.
    """
    try:
        yield
    except PASSED_ON:
        raise
    except Exception as error:  # noqa: BLE001 - unforeseen errors, too
        if isinstance(error, OSError) and error.errno in MACHINE_ERRORS:
            raise WorkerLostError(f"{bot}: cannot be read at the moment: {error.strerror}") from None
        name, place = type(error).__name__, _log_traceback(f"{bot}: {traceback.format_exc(limit=-30)}", league)
        raise IntakeError(
            f"{bot}: refused because of an error of arena ({name}), which says nothing about the bot; its traceback is in {place}"
        ) from None


def _log_traceback(text: str, league: Path | None) -> Path:
    """Add a text to the log, and return the log's path."""
    folder = make_folder(league, "logs") if league else Path(tempfile.mkdtemp(prefix="arena-"))
    with closing(LogFile(folder / FILE, MOST_BYTES, 1)) as handler:
        handler.handle(LogRecord(__name__, INFO, "", 0, printable(text), None, None))
    return folder / FILE
