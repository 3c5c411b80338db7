"""The life of a bot's process: started behind its walls, watched, ended with all that belongs to it."""

import contextlib
import os
import select
import signal
import subprocess
import sys

from msgspec import Struct

from arena.players.base import PlayerFault
from arena.players.sandboxes.birth import Birth, Stillborn
from arena.players.sandboxes.launcher import FAILED
from arena.roster.entrant import Launch

PATIENCE = 0.4  # seconds for a process to end by itself, and again after SIGTERM
BIRTH = 20.0  # seconds for a launcher to raise its walls, on a busy machine


class Exit(Struct, frozen=True):
    """How a process ended."""

    code: int  # negative: the number of the signal that killed it
    peak_kb: int  # most memory that was resident, ru_maxrss of wait4(2)
    cpu: float = 0.0  # seconds of processor time in all

    def __str__(self) -> str:
        """Return it as people know it; real-time signals have no names."""
        if self.code >= 0:
            return f"exit code {self.code}"
        named = {which.value: which.name for which in signal.Signals}
        return named.get(-self.code, f"signal {-self.code}")


class Child:
    """A bot's process, by the pipes it talks through and the number it is known by."""

    def __init__(self, launch: Launch) -> None:
        """Start a launch; ``born`` waits until its walls stand. Raises: PlayerFault, for a program that cannot be started."""
        self._launch = launch
        self._birth: Birth | None = Birth()
        self._process = _started(launch, self._birth)
        self._exit: Exit | None = None
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self.stdin, self.stdout, self.stderr = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self.pid = self._process.pid

    def born(self) -> None:
        """Wait until code of the bot is about to run. Raises: Stillborn, if its walls could not be raised."""
        if self._birth:
            birth, self._birth = self._birth, None
            try:
                self.pid = birth.bot(self._process, self._launch, within=BIRTH)
            except Stillborn:
                self._close_pipes()
                self._exit = Exit(FAILED, 0)  # it has been ended and waited for
                raise

    @property
    def ended(self) -> bool:
        """Tell whether it has been ended: then its pipes are closed, and their numbers may be others'."""
        return self._exit is not None

    @property
    def alone(self) -> bool:
        """Tell whether it is the first process of its own namespace, which no signal of its own can kill: pid_namespaces(7)."""
        return self.pid != self._process.pid

    def over(self, seconds: float) -> bool:
        """Tell whether it ends of itself within some seconds; it can still be ended, to learn how it did."""
        return self._exit is not None or _over(self.pid, seconds)

    def end(self) -> Exit:
        """End it and all of its group: as its input is closed, by SIGTERM, by SIGKILL; and say how it ended."""
        with contextlib.suppress(Stillborn):
            self.born()  # only then its number is known
        if self._exit is None:
            self._close_pipes()
            self._persuade()
            self._signal(signal.SIGKILL)  # it is not reaped yet, so its numbers are still its own
            _, status, used = os.wait4(self.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self._exit = Exit(self._process.returncode, used.ru_maxrss, used.ru_utime + used.ru_stime)
        return self._exit

    def _persuade(self) -> None:
        for last_word in (None, signal.SIGTERM):
            if last_word:
                self._signal(last_word)
            if _over(self.pid, PATIENCE):
                return

    def _signal(self, which: signal.Signals) -> None:
        """Signal its group, and itself in case it has left it."""
        for send in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                send(self._process.pid if send is os.killpg else self.pid, which)

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe and not pipe.closed:
                pipe.close()


def _started(launch: Launch, birth: Birth) -> subprocess.Popen[bytes]:
    """Start a launch in a session of its own, with its environment and no other. Raises: PlayerFault."""
    try:
        return subprocess.Popen(  # noqa: S603 - starting what it is told is its work
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=launch.folder,
            env=birth.environment(launch),
            pass_fds=birth.descriptors if launch.reports else (),
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        birth.cancel()
        raise PlayerFault("crash", f"could not be started: {error}") from None


def _over(pid: int, seconds: float) -> bool:
    """Tell whether a child ends within some seconds; it is not reaped. Source: pidfd_open(2), and kqueue(2) on macOS."""
    if sys.platform == "darwin":
        exits = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD | select.KQ_EV_ONESHOT, select.KQ_NOTE_EXIT)
        with contextlib.closing(select.kqueue()) as queue:
            try:
                return bool(queue.control([exits], 1, seconds))
            except ProcessLookupError:  # it has ended already
                return True
    handle = os.pidfd_open(pid)
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)
