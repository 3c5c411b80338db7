"""A bot's process: the only module that starts one, and the only one that reads a clock.

It moves bytes and measures; what they mean is known elsewhere. All waiting is one ``poll`` with an absolute deadline, and
everything read is bounded, so nothing that a bot writes, or fails to write, can hold or fill the harness.
"""

import contextlib
import os
import re
import select
import signal
import subprocess
import time
from pathlib import Path

from msgspec import Struct

from arena.errors import WorkerLost
from arena.players.base import PlayerFault
from arena.records import FaultKind
from arena.roster.entrant import Launch

READ_BYTES = 16384
PIPE_BYTES = 65536  # that a pipe holds: so much may stand before the end of a traceback. Source: pipe(7)
STDERR_BYTES = 4096  # of the end of stderr are kept to explain a fault
PATIENCE = 0.4  # seconds for a process to end by itself, and again after SIGTERM
PROMPT = 0.02  # seconds: what is answered sooner costs no look at the clocks
SOON = 0.001  # seconds between two looks, at the least
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Allowance(Struct, frozen=True):
    """What one answer may cost, in seconds."""

    cpu: float  # of the bot's own processor time
    stall: float  # of doing nothing while the processor was free for it
    wall: float  # of all; reached first, the machine is too busy to be fair


class Line(Struct, frozen=True):
    """What came back, without its newline, and what it cost."""

    text: bytes
    cpu: float  # seconds since the answer before: thinking in the opponent's turn is charged
    wall: float  # seconds since the question


class BotProcess:
    """A running bot, spoken to in lines."""

    def __init__(self, launch: Launch, line_bytes: int) -> None:
        self._line_bytes = line_bytes
        self._process = _start(launch)
        self._in, self._out, self._err = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe
        )
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._unsent = b""
        self._blocked = False  # the pipe took only a part of what was sent
        self._heard = b""
        self._said = b""
        self._asked = 0.0
        self._clock = ProcessClock(self._process.pid)

    def tell(self, line: bytes) -> None:
        """Send a line that wants no answer, together with the next question."""
        self._unsent += line

    def put(self, question: bytes) -> None:
        """Send a question; ``answer`` waits for what it brings. Raises: PlayerFault, for an answer before it."""
        if self._poll.poll(0):
            self._refuse_early_answer()
        self._asked = time.monotonic()
        self._unsent += question
        self._send()

    def answer(self, allowance: Allowance) -> Line:
        """Return the one line that answers the question. Raises: PlayerFault, WorkerLost."""
        text = self._await_line(self._asked, allowance)
        cpu = self._clock.charge()
        if cpu > allowance.cpu:
            raise self.fault("timeout", f"used {cpu:.3f} s of processor time; allowed: {allowance.cpu:.3f} s", text)
        return Line(text, cpu, time.monotonic() - self._asked)

    def fault(self, kind: FaultKind, detail: str, answer: bytes = b"") -> PlayerFault:
        """Return the fault, with the end of what the bot wrote to stderr."""
        self._drain_stderr()
        return PlayerFault(kind, detail, answer=answer, stderr=_printable(self._said))

    def close(self) -> None:
        """End the process and all of its group: by closing its input, by SIGTERM, by SIGKILL. Never raises."""
        if self._process.returncode is not None:  # closed before: its numbers may be another's by now
            return
        with contextlib.suppress(OSError):
            self._send()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe and not pipe.closed:
                pipe.close()
        _end(self._process)

    # --- waiting

    def _await_line(self, asked: float, allowance: Allowance) -> bytes:
        wait = min(PROMPT, allowance.cpu, allowance.stall)
        starved: float | None = None
        while True:
            events = self._poll.poll(wait * 1000)
            for pipe, _ in events:
                if pipe == self._in:
                    self._send()
                elif pipe == self._err:
                    self._drain_stderr()
                elif (line := self._read()) is not None:
                    return line
            starved = self._clock.starved() if starved is None else starved
            wait = self._time_left(asked, starved, allowance)

    def _time_left(self, asked: float, starved: float, allowance: Allowance) -> float:
        """Return how long to wait before the clocks are looked at again. Raises: PlayerFault, WorkerLost.

        The time since the question is the bot's processor time, time in which it was ready but others ran, and the rest,
        which it slept away.
        """
        wall = time.monotonic() - asked
        cpu = self._clock.running()
        stall = wall - cpu - (self._clock.starved() - starved)
        if cpu >= allowance.cpu:
            raise self.fault("timeout", f"no answer within {allowance.cpu:.3f} s of processor time", self._heard)
        if stall >= allowance.stall:
            raise self.fault("timeout", f"no answer, and {stall:.3f} s slept away; allowed: {allowance.stall:.3f} s", self._heard)
        if wall >= allowance.wall:
            raise WorkerLost(f"the machine is too busy to be fair: {wall:.1f} s for {cpu:.3f} s of processor time")
        return min(allowance.cpu - cpu, allowance.stall - stall, allowance.wall - wall) + SOON

    # --- reading and writing

    def _send(self) -> None:
        """Write what the pipe takes; ask to be woken for the rest."""
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # the bot closed its input: whether it still answers will be seen
            self._unsent = b""
        if bool(self._unsent) is not self._blocked:
            self._blocked = not self._blocked
            if self._blocked:
                self._poll.register(self._in, select.POLLOUT)
            else:
                self._poll.unregister(self._in)

    def _read(self) -> bytes | None:
        """Return the answer, if all of it has come. Raises: PlayerFault."""
        chunk = os.read(self._out, READ_BYTES)
        if not chunk:
            raise self._gone()
        end = chunk.find(b"\n")
        self._heard += chunk
        length = len(self._heard)
        if end < 0 and length <= self._line_bytes:
            return None
        if end < 0 or length - len(chunk) + end >= self._line_bytes:
            raise self.fault("malformed", f"a line of more than {self._line_bytes} bytes", self._heard)
        if end != len(chunk) - 1:
            raise self.fault("malformed", "more than one line in answer to one question", self._heard)
        line, self._heard = self._heard[:-1], b""
        return line

    def _refuse_early_answer(self) -> None:
        self._drain_stderr()
        with contextlib.suppress(BlockingIOError):
            early = os.read(self._out, READ_BYTES)
            if not early:
                raise self._gone()
            raise self.fault("malformed", "an answer before the question", early)

    def _drain_stderr(self) -> None:
        """Read one gulp of stderr and keep the end of it."""
        try:
            chunk = os.read(self._err, READ_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._err)
        self._said = (self._said + chunk)[-STDERR_BYTES:]

    def _gone(self) -> PlayerFault:
        """Return the fault of a bot whose output has ended."""
        status = _wait(self._process, PATIENCE)
        for _ in range(PIPE_BYTES // READ_BYTES):
            self._drain_stderr()
        if b"MemoryError" in self._said:
            return self.fault("memory", "ran out of the memory it is allowed", self._heard)
        how = "closed its output" if status is None else f"ended with {_status(status)}"
        return self.fault("crash", f"{how} without an answer", self._heard)


class ProcessClock:
    """The processor time of one process, of all its threads, and how long it waited for a processor."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._id = (~pid << 3) | 2  # Linux: the CPU-time clock of another process, clock_getcpuclockid(3)
        self._charged = 0.0

    def charge(self) -> float:
        """Return the processor seconds since the last charge."""
        now = self._now()
        spent, self._charged = now - self._charged, now
        return spent

    def running(self) -> float:
        """Return the processor seconds since the last charge, and leave them uncharged."""
        return self._now() - self._charged

    def starved(self) -> float:
        """Return the seconds that its threads have been ready to run while others ran. Source: proc(5), schedstat."""
        waited = 0
        with contextlib.suppress(OSError):  # no such file but on Linux, or the process is gone
            for task in Path(f"/proc/{self._pid}/task").iterdir():
                waited += int((task / "schedstat").read_text().split()[1])
        return waited / 1e9

    def _now(self) -> float:
        try:
            return time.clock_gettime(self._id)
        except OSError:  # it has ended
            return self._charged


def _start(launch: Launch) -> subprocess.Popen[bytes]:
    """Start a bot in a session of its own, with the environment of its launch and no other. Raises: PlayerFault."""
    try:
        return subprocess.Popen(  # noqa: S603 - starting what it is told is its work
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=launch.folder,
            env=dict(launch.environment),
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise PlayerFault("crash", f"could not be started: {error}") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    for ask in (None, signal.SIGTERM):
        if ask:
            _signal_group(process, ask)
        if _wait(process, PATIENCE) is not None:
            break
    _signal_group(process, signal.SIGKILL)  # the leader is not reaped yet, so its group's number is still its own
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], which: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, which)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Return a process's exit code, negative for a signal, without reaping it; None, if it has not ended in time."""
    handle = os.pidfd_open(process.pid)
    try:
        if not select.select([handle], [], [], seconds)[0]:
            return None
        ended = os.waitid(os.P_PIDFD, handle, os.WEXITED | os.WNOWAIT)
    finally:
        os.close(handle)
    return None if ended is None else ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _status(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    named = {which.value: which.name for which in signal.Signals}  # real-time signals have no names
    return named.get(-code, f"signal {-code}")


def _printable(said: bytes) -> str:
    """Return what a bot wrote in lines that do nothing to a terminal: control characters but tab and newline are escaped."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", said.decode("utf-8", "backslashreplace"))
