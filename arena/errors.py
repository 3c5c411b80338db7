"""The exceptions of arena, by who can correct the problem.

An ``ArenaError`` is the user's to correct and is shown as one line. ``WorkerLostError`` is the machine's fault.
``RunStoppedError`` and ``OutOfTimeError`` end a run early, with its results stored. A bot's fault is not an exception but a value
in the record. What the operating system refuses, a path that is too long or a full disk, is shown as one line too. Any other
exception is a bug in arena.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import DecodeError

# what msgspec raises for bytes that are not a document of the expected type; one may be nested too deeply
MALFORMED = (DecodeError, UnicodeDecodeError, RecursionError)
LONGEST = 240  # characters of a path in a message; a longer one is cut in the middle
NOT_UTF8 = "surrogates not allowed"  # Python's reason that UTF-8 cannot encode a name with other bytes
NO_THREAD = "can't start new thread"  # Python's message for EAGAIN of pthread_create(3)


class ArenaError(Exception):
    """A problem that the user can correct. The message is one line: where it is, what was found and what was expected."""


class SpecError(ArenaError):
    """A tournament spec that cannot be played as it stands: ``path:line: message``, as far as path and line are known."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        """Return the error in one line."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}" if place else self.message


class RosterError(ArenaError):
    """A bot cannot be found or entered."""


class BotUnavailableError(RosterError):
    """A bot without a sandbox cannot play, whatever it is asked: a service refuses its key, or a file is missing."""


class PluginError(ArenaError):
    """A plugin cannot be loaded."""


class StoreError(ArenaError):
    """A results folder cannot be read or written, or its run cannot be resumed."""


class NotRecordedError(StoreError):
    """A run has no record of a fixture."""


class BusyError(StoreError):
    """Another process is playing in the folder."""


class NotBegunError(StoreError):
    """A database does not exist, or has no tables, as after a run that was killed when it began."""


class DamagedError(StoreError):
    """A database was damaged or changed."""


class SandboxError(ArenaError):
    """A sandbox is not available on this machine."""


class MachineError(ArenaError):
    """The machine gives less than a command needs: descriptors, memory, processes, room for temporary files."""


class ClusterError(ArenaError):
    """A cluster cannot be reached, or has no worker that can play."""


class InputError(ArenaError):
    """An argument of a command or function, a line or a file is not valid."""


class RunStoppedError(Exception):
    """The user stopped a run. What was played is stored; the message says where, and how to resume."""

    def __init__(self, text: str, folder: "os.PathLike[str] | None" = None) -> None:
        """``folder``: of a run whose answer so far can be told; None: it has none."""
        super().__init__(text)
        self.folder = folder


class OutOfTimeError(Exception):
    """The time of a run was used up during a fixture. What was stored before is kept, and the run is not finished."""


class WorkerLostError(Exception):
    """A worker ended during its fixture, or the machine cannot start a bot.

    The director plays the fixture again, or stores it as void (:mod:`arena.tournament.void`).
    """


@contextmanager
def naming_errors(place: object, problem: str, kind: type[ArenaError] = StoreError) -> Iterator[None]:
    """Turn an OSError of the block into an error of ``kind``: ``PLACE: cannot be written: No space left on device``.

    ``place``: None: the file that the error names.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{error.filename if place is None else place}: {problem}: {error.strerror or error}") from None


def of_system(error: BaseException) -> str:
    """Return an error of the operating system in one line: a file, if it is about one, and why; empty: another error."""
    if isinstance(error, OSError):
        files = (_shorten(os.fsdecode(file)) for file in (error.filename, error.filename2) if isinstance(file, str | bytes))
        place = " and ".join(files) or ("" if _current_folder_exists() else "the current folder")
        return ": ".join(filter(None, (place, error.strerror or str(error) or type(error).__name__)))
    if isinstance(error, UnicodeEncodeError) and error.reason == NOT_UTF8:  # a name from the system, where text is expected
        shown = error.object[max(0, error.start - LONGEST // 2) : error.end + LONGEST // 2]
        return f"{shown!r} is not UTF-8 text; expected a name that is"
    if isinstance(error, MemoryError):
        return "no more memory can be had; `ulimit -v` and the container may limit it"
    if isinstance(error, RuntimeError) and str(error) == NO_THREAD:
        return "no more threads can be started; `ulimit -u`, `ulimit -v` and the container may limit them"
    return ""


def _current_folder_exists() -> bool:
    """Tell whether the current folder still exists."""
    try:
        return bool(os.getcwd())  # noqa: PTH109 - pathlib is not imported for this
    except OSError:
        return False


def _shorten(path: str) -> str:
    return path if len(path) <= LONGEST else f"{path[: LONGEST // 2]}…{path[-LONGEST // 2 :]}"
