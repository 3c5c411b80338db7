"""The background threads of a server, and the arena commands that they run.

Bots run in the process of a command, because they may hang or fill the memory, and because a server with threads cannot safely
start them. The command uses the same lock, transactions and sandbox as one that is typed. It returns its result through a pipe, and
the reason of a failure as the last line of its errors.
"""

import logging
import math
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from traceback import extract_tb
from typing import IO

from msgspec import Struct

from arena import interpreter, signals

log = logging.getLogger(__name__)

PAUSE_AFTER_ERROR = 10.0  # seconds
GRACE = 10.0  # seconds from SIGTERM to SIGKILL, unless a thread has its own
ASK_PAUSE = 0.2  # seconds between two questions whether a silent command has to end
PART = 1 << 16  # bytes that are read at once
IN_ARENA = "an error in arena; see the server's log"  # what pages say of it


class EndedCommand(Struct, frozen=True):
    """A command that has ended."""

    code: int
    output: bytes
    errors: str
    late: bool  # it was ended because its time was up

    @property
    def error_lines(self) -> list[str]:
        """Return what it has written to stderr."""
        return [line.removeprefix("arena: ") for line in self.errors.strip().splitlines()]

    @property
    def reason(self) -> str:
        """Return the last of these lines, which tells why it failed; empty: it has written none."""
        return (self.error_lines or [""])[-1]


class BackgroundThread:
    """A thread that calls ``poll`` until it is stopped, also after an error in arena."""

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

    def poll(self) -> float:
        """Do the next work, in the thread, and return the seconds until the next look."""
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
        read: Callable[[bytes], None] = lambda _: None,
        nice: int | None = None,
    ) -> EndedCommand:
        """Run an arena command to its end, or until its ``seconds`` are over, ``give_up`` returns true or the thread is stopped.

        ``read`` receives each line of the output when it is complete; ``nice`` is the priority of the process, setpriority(2):
        higher is lower; None: the server's.

        Raises: OSError, if the machine has no room for a process; an error of ``read``, which ends the process.
        """
        until, output, late = time.monotonic() + seconds, bytearray(), False

        def has_to_end() -> bool:
            nonlocal late
            late = time.monotonic() > until
            return late or self._stopped.is_set() or give_up()

        # In a session of its own the command gets no Ctrl-C from the terminal: the server does, and ends the command. Nobody writes
        # to its input, which ends with the server, however that ends, and the command with it.
        with (
            TemporaryFile() as errors,
            subprocess.Popen(  # noqa: S603 - our own command; a name in it begins with a letter or digit, a path with a slash
                interpreter.arena(*map(str, words)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                env={**os.environ, signals.STOPS_WITH_INPUT: "1"},
            ) as child,
        ):
            try:
                if nice is not None:
                    with suppress(OSError):  # it has ended already
                        os.setpriority(os.PRIO_PROCESS, child.pid, nice)
                assert child.stdout
                for part in _parts(child, child.stdout, has_to_end, self.grace):
                    done = output.rfind(b"\n") + 1
                    output += part
                    for line in output[done : output.rfind(b"\n") + 1].splitlines():
                        read(bytes(line))
            except BaseException:
                child.kill()
                raise
            errors.seek(0)
            return EndedCommand(child.returncode, bytes(output), errors.read().decode("utf-8", "replace"), late)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(self.poll_once())
            self._wake.clear()

    def poll_once(self) -> float:
        """Look, and return the seconds until the next look; an error in arena is logged."""
        try:
            pause = self.poll()
        except Exception as error:  # noqa: BLE001 - our bug: one line says so, and the thread lives on
            self.error = f"{self._thread.name}: {IN_ARENA}"
            log.error("%s: %s", self._thread.name, error_line(error))  # noqa: TRY400 - one line
            return PAUSE_AFTER_ERROR
        self.error = ""
        return pause


def error_line(error: Exception) -> str:
    """Return an unexpected error and the place where it was raised."""
    frame = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {frame.filename}:{frame.lineno}: {' '.join(str(error).split())}"


def _parts(child: "subprocess.Popen[bytes]", pipe: IO[bytes], has_to_end: Callable[[], bool], grace: float) -> Iterator[bytes]:
    """Yield the output of a process until it has ended; once ``has_to_end`` returns true, by SIGTERM, and later SIGKILL.

    A process that it leaves behind may hold the pipe open: the end of the pipe is not waited for.
    """
    ready, killed_at = select.poll(), math.inf
    ready.register(pipe, select.POLLIN)
    while child.poll() is None:
        if time.monotonic() > killed_at:
            child.kill()
        elif killed_at == math.inf and has_to_end():
            child.send_signal(signal.SIGTERM)
            killed_at = time.monotonic() + grace
        if not ready.poll(1000 * ASK_PAUSE):
            continue
        if part := os.read(pipe.fileno(), PART):
            yield part
        else:
            with suppress(subprocess.TimeoutExpired):  # it has closed its output
                child.wait(ASK_PAUSE)
    while ready.poll(0) and (part := os.read(pipe.fileno(), PART)):
        yield part


def terminate(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """End a command by SIGTERM, after ``grace`` seconds by SIGKILL."""
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
