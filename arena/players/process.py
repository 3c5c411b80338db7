"""A conversation with a bot's process, in lines: what is said, how long it takes, and when it has taken too long.

It moves bytes and measures; what they mean is known elsewhere. All waiting is one ``poll`` with an absolute deadline, and
everything read is bounded, so nothing that a bot writes, or fails to write, can hold or fill the harness.
"""

import contextlib
import os
import select
import signal
import time

from msgspec import Struct

from arena.errors import WorkerLost
from arena.players.base import PlayerFault
from arena.players.child import PATIENCE, Child, Exit
from arena.players.cpu_clock import ProcessClock
from arena.players.minutes import Minutes
from arena.players.sandboxes.memory import died_of_memory
from arena.records import FaultKind
from arena.roster.entrant import Launch

READ_BYTES = 16384
PIPE_BYTES = 65536  # that a pipe holds: so much may stand before the end of a traceback. Source: pipe(7)
PROMPT = 0.02  # seconds: what is answered sooner costs no look at the clocks
SOON = 0.001  # seconds between two looks, at the least


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

    def __init__(self, launch: Launch, line_bytes: int, minutes: Minutes) -> None:
        """Start a bot, without waiting for it. Raises: PlayerFault, for a program that cannot be started."""
        self._line_bytes = line_bytes
        self._minutes = minutes
        self._memory_mb = launch.memory_mb
        self._cpu_seconds = launch.cpu_seconds
        self._child = child = Child(launch)
        self._in, self._out, self._err = child.stdin, child.stdout, child.stderr
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._unsent = b""
        self._blocked = False  # the pipe took only a part of what was sent
        self._heard = b""
        self._question = b""
        self._asked = 0.0
        self._cpu = 0.0  # seconds charged since the question
        self._clock = ProcessClock(child.pid)

    def born(self) -> None:
        """Wait until the bot's walls stand and its time is counted. Raises: Stillborn."""
        self._child.born()
        self._clock = ProcessClock(self._child.pid)

    @property
    def pid(self) -> int:
        """Return the number by which the system knows the bot, once it is born."""
        return self._child.pid

    def tell(self, line: bytes) -> None:
        """Send a line that wants no answer, together with the next question."""
        self._minutes.told(line)
        self._unsent += line

    def put(self, question: bytes) -> None:
        """Send a question; ``answer`` waits for what it brings. Raises: PlayerFault, for an answer before it."""
        self._question, self._cpu, self._asked = question, 0.0, time.monotonic()
        if self._poll.poll(0):
            self._refuse_early_answer()
        self._minutes.told(question)
        self._asked = time.monotonic()
        self._unsent += question
        self._send()

    def answer(self, allowance: Allowance) -> Line:
        """Return the one line that answers the question. Raises: PlayerFault, WorkerLost."""
        text = self._await_line(self._asked, allowance)
        self._minutes.answered(text)
        cpu = self._charge()
        if cpu > allowance.cpu:
            raise self.fault("timeout", f"used {cpu:.3f} s of processor time; allowed: {allowance.cpu:.3f} s", text)
        return Line(text, cpu, time.monotonic() - self._asked)

    def fault(self, kind: FaultKind, detail: str, answer: bytes = b"") -> PlayerFault:
        """Return the fault, with the end of what the bot wrote to stderr."""
        self._drain_stderr()
        self._charge()
        return self._told(kind, detail, answer)

    def _told(self, kind: FaultKind, detail: str, answer: bytes) -> PlayerFault:
        return PlayerFault(
            kind,
            detail,
            question=self._question,
            answer=answer,
            stderr=self._minutes.said,
            cpu=self._cpu,
            wall=time.monotonic() - self._asked,
        )

    def _charge(self) -> float:
        """Return the processor seconds since the question."""
        self._cpu += self._clock.charge()
        return self._cpu

    def log(self) -> str:
        """Return the end of what the bot has written to stderr so far, safe to print."""
        self._drain_stderr()
        return self._minutes.said

    def close(self) -> Exit:
        """End the process and all that belongs to it, and say how it ended. Never raises."""
        if not self._child.ended:
            self._send()
            self._drain_all()
        ended = self._child.end()
        self._minutes.close()
        return ended

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
        """Read one gulp of stderr."""
        try:
            chunk = os.read(self._err, READ_BYTES)
        except OSError:  # nothing there, or closed
            return
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._err)
        self._minutes.overhear(chunk)

    def _drain_all(self) -> None:
        """Read what stands in the pipe: the end of a traceback."""
        for _ in range(PIPE_BYTES // READ_BYTES):
            self._drain_stderr()

    def _gone(self) -> PlayerFault:
        """Return the fault of a bot whose output has ended. Raises: WorkerLost, if somebody else has killed it."""
        over = self._child.over(PATIENCE)
        self._drain_all()
        self._charge()
        if not over:
            return self.fault("crash", "closed its output without an answer", self._heard)
        ended = self._child.end()
        if died_of_memory(ended.code, self._minutes.said, ended.peak_kb, self._memory_mb):
            allowed = "" if self._memory_mb is None else f"; allowed: {self._memory_mb} MB"
            return self._told("memory", f"ran out of memory{allowed}", self._heard)
        if self._child.alone and ended.code == -signal.SIGKILL and ended.cpu < self._cpu_seconds:
            raise WorkerLost("a bot was killed from outside: behind its walls neither it nor its limits could have done it")
        return self._told("crash", f"ended with {ended} without an answer", self._heard)
