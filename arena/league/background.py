"""Work in the background of a server: a thread that looks for it again and again, and runs arena commands for it.

A command is a process of its own, because a bot that is tested or played may hang or fill the memory, and the server has threads,
from which starting bots would be unsafe. It gets the same lock, transaction and sandbox as a command that is typed, and is ended
like one: by SIGTERM, and then by SIGKILL.
"""

import logging
import math
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from traceback import extract_tb
from typing import IO

from msgspec import Struct

from arena import interpreter

log = logging.getLogger(__name__)

PAUSE_AFTER_ERROR = 10.0  # seconds
LOOK_PAUSE = 0.1  # seconds between two looks at a process
GRACE = 10.0  # seconds from SIGTERM to SIGKILL, where a thread says nothing else
IN_ARENA = "an error in arena; see the server's log"  # what pages say of it


class BackgroundThread:
    """A thread that calls ``look`` until it is stopped, also after an error in arena."""

    def __init__(self, name: str, grace: float = GRACE) -> None:
        """``grace``: seconds from SIGTERM to SIGKILL for a command that has to end."""
        self.grace = grace
        self.error = ""  # of arena, in the last look; empty: there was none
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def alive(self) -> bool:
        """Tell whether the thread is running."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look for work now."""
        self._wake.set()

    def look(self) -> float:
        """Do what is to be done, in the thread, and return the seconds until the next look."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the command that is running, and the thread."""
        self._stopped.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(2 * self.grace)

    def run_command(
        self,
        *words: str | Path,
        seconds: float = math.inf,
        give_up: Callable[[], bool] = lambda: False,
        began: Callable[[], None] = lambda: None,
        read: Callable[[bytes], None] | None = None,
        nice: int | None = None,
    ) -> "EndedCommand":
        """Run an arena command to its end, or until its ``seconds`` are over, ``give_up`` returns true or the thread is stopped.

        ``began`` is called when the process has been started; ``read`` receives each line of the output when it is complete;
        ``nice`` is the priority of the process, setpriority(2): higher is lower; None: the server's.

        Raises: OSError, if the machine has no room for a process.
        """
        command = interpreter.arena(*map(str, words))
        # A session of its own: a Ctrl-C in the terminal is the server's, which ends the command itself.
        with (
            TemporaryFile() as output,
            TemporaryFile() as errors,
            subprocess.Popen(  # noqa: S603 - our own command; a name in it begins with a letter or digit, a path with a slash
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
            ) as child,
        ):
            lines = _LineReader(output, read)
            until, late = time.monotonic() + seconds, False
            try:
                if nice is not None:
                    with suppress(OSError):  # it has ended already
                        os.setpriority(os.PRIO_PROCESS, child.pid, nice)
                began()
                while child.poll() is None:
                    late = time.monotonic() > until
                    if late or self._stopped.is_set() or give_up():
                        end(child, self.grace)
                        break
                    lines.read_new()
                    self._stopped.wait(LOOK_PAUSE)
                lines.read_new()
            except BaseException:
                child.kill()
                raise
            return EndedCommand(child.returncode, _content(output), _content(errors).decode("utf-8", "replace"), late)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(self.look_once())
            self._wake.clear()

    def look_once(self) -> float:
        """Look, and return the seconds until the next look; an error in arena is logged."""
        try:
            pause = self.look()
        except Exception as error:  # noqa: BLE001 - our bug: one line says so, and the thread lives on
            self.error = f"{self._thread.name}: {IN_ARENA}"
            log.error("%s: %s", self._thread.name, in_one_line(error))  # noqa: TRY400 - one line
            return PAUSE_AFTER_ERROR
        self.error = ""
        return pause


def in_one_line(error: Exception) -> str:
    """Return an unexpected error and the place where it was raised."""
    frame = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {frame.filename}:{frame.lineno}: {' '.join(str(error).split())}"


class EndedCommand(Struct, frozen=True):
    """A command that has ended."""

    code: int
    output: bytes
    errors: str
    late: bool  # it was ended because its time was up


class _LineReader:
    """The complete lines of a file to which a process writes."""

    def __init__(self, file: IO[bytes], read: Callable[[bytes], None] | None) -> None:
        self._file = file
        self._read = read
        self._rest = b""
        self._offset = 0

    def read_new(self) -> None:
        """Hand on the lines that are new."""
        while self._read and (found := os.pread(self._file.fileno(), 1 << 20, self._offset)):
            self._offset += len(found)
            *lines, self._rest = (self._rest + found).split(b"\n")
            for line in lines:
                self._read(line)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def end(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """End a command: first gracefully, and after ``grace`` seconds for certain."""
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
