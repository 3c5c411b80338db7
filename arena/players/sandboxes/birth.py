"""Learns from a launcher whether a bot was born, and by which process number.

For whoever starts a bot's process::

    birth = Birth()
    process = Popen(launch.command, cwd=launch.folder, env=birth.environment(launch), pass_fds=birth.descriptors, ...)
    pid = birth.bot(process, launch, within=10)  # waits until code of the bot is about to run

``pid`` is the process to clock, to signal and to wait for. Behind namespaces it is not ``process`` but another child of the same
harness: then ``process``, the launcher, has ended already and been waited for.
"""

import os
import select
import time
from typing import Protocol

from arena.errors import WorkerLost
from arena.roster.entrant import Launch

STATUS = "ARENA_STATUS"
LONGEST = 4096  # bytes of a report


class Started(Protocol):
    """What a birth has to know of a subprocess.Popen."""

    pid: int

    def wait(self) -> int:
        """Wait for its end."""

    def kill(self) -> None:
        """Kill it."""


class Stillborn(WorkerLost):
    """A launcher could not raise its walls: no code of the bot ran, and the machine is to blame."""

    def __init__(self, wall: str, reason: str) -> None:
        super().__init__(wall, reason)  # what it is made of, so that a worker can send it
        self.wall = wall
        self.reason = reason

    def __str__(self) -> str:
        """Return what a person is told."""
        return f"the sandbox's launcher failed at {self.wall}: {self.reason}"


class Birth:
    """A status pipe, from before the launcher starts until code of the bot is about to run."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        self.missing: tuple[str, ...] = ()  # walls that a lenient launcher could not raise, with reasons

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Return what the launcher must inherit."""
        return (self._write,)

    def environment(self, launch: Launch) -> dict[str, str]:
        """Return the whole environment to start a launch with."""
        return {**dict(launch.environment), **({STATUS: str(self._write)} if launch.reports else {})}

    def cancel(self) -> None:
        """Close the pipe: nothing could be started."""
        os.close(self._write)
        os.close(self._read)

    def bot(self, process: Started, launch: Launch, *, within: float) -> int:
        """Return the process number of the bot, ``within`` seconds. Raises: Stillborn, with nothing left behind."""
        os.close(self._write)
        report = self._report(time.monotonic() + within) if launch.reports else "ready\n"
        os.close(self._read)
        told = dict(line.partition(" ")[::2] for line in report.splitlines())
        pid = int(told.get("pid", process.pid))
        if pid != process.pid:
            process.wait()
        if "ready" in told:
            self.missing = tuple(line.partition(" ")[2] for line in report.splitlines() if line.startswith("missing "))
            return pid
        _bury(process, pid)
        wall, _, reason = told.get("failed", f"start: no whole report within {within} s; heard {report!r}").partition(": ")
        raise Stillborn(wall, reason)

    def _report(self, deadline: float) -> str:
        """Return all that is told until the pipe ends or time is up."""
        heard = b""
        poll = select.poll()
        poll.register(self._read, select.POLLIN)
        while len(heard) < LONGEST and poll.poll(max(0, deadline - time.monotonic()) * 1000):
            more = os.read(self._read, LONGEST)
            if not more:
                return heard.decode(errors="replace")
            heard += more
        return "".join(line for line in heard.decode(errors="replace").splitlines(keepends=True) if not line.startswith("ready"))


def _bury(process: Started, pid: int) -> None:
    """End a launcher that failed, and the half-born process behind it."""
    if pid == process.pid:
        process.kill()
        process.wait()
        return
    try:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):  # it ended, and somebody waited for it
        return
