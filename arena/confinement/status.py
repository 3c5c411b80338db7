"""Waits until a launcher has become the bot, and returns the bot's process number.

``players/child.py`` shows how to start a bot's process. The number that ``wait_ready`` returns is that of the process to measure,
to signal and to wait for. With namespaces it is not the launcher but another child of the same harness; the launcher has then ended
and been waited for. The kernel adds to each status line the number of the process that has written it (SCM_CREDENTIALS, unix(7)):
in a namespace of its own a process does not know its number outside.

The launcher's end of the socket is closed when it becomes the bot. So the end of the stream after ``ready`` proves that the sandbox
is complete, and the end without ``ready`` that the launcher died. The timeout is only for a launcher that hangs.
"""

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

from arena.confinement.launch_policy import LISTENER
from arena.confinement.seal import Seal
from arena.confinement.starting_bots import of_this_thread
from arena.errors import WorkerLostError
from arena.roster.entrant import Launch

STATUS = "ARENA_STATUS"
LONGEST = 4096  # bytes of all status lines
CREDENTIALS = struct.Struct("3i")  # process, user and group: unix(7)
ANCILLARY_BYTES = socket.CMSG_SPACE(CREDENTIALS.size) + socket.CMSG_SPACE(4)  # with a descriptor
CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)  # Linux only, as are launchers that send descriptors


class LaunchFailedError(WorkerLostError):
    """A launcher could not complete the sandbox. No code of the bot ran: the fault is the machine's."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(step, reason)  # both arguments, so that the error can be pickled by a worker
        self.step = step
        self.reason = reason

    def __str__(self) -> str:
        """Return one line for the user."""
        return f"the sandbox's launcher failed at {self.step}: {self.reason}"


class LaunchStatus:
    """A status socket, from before the launcher starts until code of the bot is about to run.

    The two bots of a match start at the same time in one thread, so a thread that waits for one of them also reads the sockets of
    all others that it is starting (``starting_bots.StartingBots``).
    """

    def __init__(self, threads: int = 1) -> None:
        """``threads``: the most that the bot may have."""
        self._threads = threads
        self._ours, self._theirs = socket.socketpair()
        if hasattr(socket, "SO_PASSCRED"):
            self._ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._starting = of_this_thread()
        self._starting.add(self._ours.fileno(), self._receive)
        self._text = ""
        self._writer = 0  # number of the process that wrote the last line; 0: none, or it is not known
        self._open = True  # whether there may be more to read
        self._is_closed_there = False  # whether the other end is closed: its writers have become the bot, or have ended
        self.missing: tuple[str, ...] = ()  # steps that failed under a lenient policy, with reasons
        self.folders: dict[str, int] = {}  # the bot's private folders by path, open; after ``wait_ready`` they are the caller's
        self.seal: Seal | None = None  # of the bot, likewise; None: it has none

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Return the descriptors that the launcher must inherit."""
        return (self._theirs.fileno(),)

    def environment(self, launch: Launch) -> dict[str, str]:
        """Return the complete environment for the process of a launch."""
        return {**dict(launch.environment), **({STATUS: str(self._theirs.fileno())} if launch.reports else {})}

    def cancel(self) -> None:
        """Close the socket, when the launcher could not be started."""
        self._theirs.close()
        self._close()

    def send(self, policy: str, state: int | None, *, within: float) -> None:
        """Send an empty line with ``state``, then the line ``policy``: for a template's clone; empty: a launcher knows its policy.

        ``state``: a file with the content of the bot's state folder. If the process has ended, ``wait_ready`` raises the error.
        """
        self._ours.settimeout(within)
        with suppress(OSError):
            if state is None:
                self._ours.sendall(b"\n")
            else:
                socket.send_fds(self._ours, [b"\n"], [state])
            if policy:  # a launcher would not read the line, and at its end the socket would be reset
                self._ours.sendall(f"{policy}\n".encode())

    def wait_ready(self, process: subprocess.Popen[bytes] | None, launch: Launch, *, within: float) -> int:
        """Return the process number of the bot. Waits at most ``within`` seconds. ``process``: None: a template starts the bot.

        Raises: LaunchFailedError; the launcher and the process it made have then been ended and waited for.
        """
        self._theirs.close()
        deadline = time.monotonic() + within
        while launch.reports and self._open and (left := deadline - time.monotonic()) > 0:
            self._starting.serve(left)
        self._close()
        launcher = process.pid if process else 0
        pid = self._writer or launcher
        if process and pid != launcher:
            process.wait()
        # A launcher that was killed while it entered namespaces may have left a process whose number is not known.
        known = pid != launcher or not (launch.in_namespace or launch.prefork)
        if not launch.reports or (self._is_closed_there and known and "ready" in self._text.splitlines()):
            self.missing = tuple(self._values("missing"))
            return pid
        self._close_received()
        ended = _end(process, pid)
        for failure in self._values("failed"):
            step, _, reason = failure.partition(": ")
            raise LaunchFailedError(step, reason)
        if self._is_closed_there:
            raise LaunchFailedError("start", f"it ended with {ended} before the sandbox was complete; status: {self._text!r}")
        raise LaunchFailedError("start", f"it did not finish within {within} s; status: {self._text!r}")

    def _receive(self, _: int) -> None:
        """Read a message; a descriptor that comes with it is that of its last line.

        No code of the bot has run yet, so the launcher has sent it.
        """
        try:
            chunk, ancillary, _, _ = self._ours.recvmsg(LONGEST, ANCILLARY_BYTES, CLOSE_ON_EXEC)
        except OSError:  # the other end was closed before it had read everything
            chunk, ancillary = b"", []
        self._text += chunk.decode(errors="replace")
        for _, kind, content in ancillary:
            if kind == socket.SCM_CREDENTIALS:
                self._writer = CREDENTIALS.unpack(content)[0] or self._writer  # 0: the end of the stream
            elif kind == socket.SCM_RIGHTS:
                self._keep(chunk.splitlines()[-1].decode(), int.from_bytes(content, sys.byteorder))
        if not chunk or len(self._text) > LONGEST:
            self._open, self._is_closed_there = False, not chunk
            self._starting.remove(self._ours.fileno())

    def _keep(self, name: str, descriptor: int) -> None:
        if name == LISTENER:
            self.seal = Seal(descriptor, self._starting, self._threads)
        else:
            self.folders[name] = descriptor

    def _values(self, kind: str) -> Iterator[str]:
        """Yield the values of the lines that begin with a word."""
        return (line.partition(" ")[2] for line in self._text.splitlines() if line.startswith(f"{kind} "))

    def _close(self) -> None:
        self._starting.remove(self._ours.fileno())
        self._ours.close()

    def _close_received(self) -> None:
        """Close the received descriptors."""
        while self.folders:
            os.close(self.folders.popitem()[1])
        if self.seal:
            self.seal.close()


def _end(process: subprocess.Popen[bytes] | None, pid: int) -> str:
    """Kill a launcher that failed, or the process that it made, if it has not ended; return its signal or exit code as text."""
    if process and pid == process.pid:
        process.kill()
        return _ending(process.wait())
    if not pid:  # no process has written anything
        return "an unknown exit code"
    try:
        os.kill(pid, signal.SIGKILL)
        return _ending(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    except (ProcessLookupError, ChildProcessError):  # it ended, and another caller waited for it
        return "an unknown exit code"


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
