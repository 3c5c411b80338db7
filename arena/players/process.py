"""A conversation with a bot's process in lines: it sends questions, receives answers, and judges their time.

This module moves bytes and measures; their meaning is the protocol's. All waiting is one ``poll`` with an absolute deadline, and
everything that is read is bounded. So nothing that a bot writes, or fails to write, can block the harness or use up its memory.

An answer has three limits (``Allowance``): the bot's own processor time, the time that it idles while a processor is free, and the
wall time. The processor time is exact on any machine, however busy. Idle time is a lower bound (``Contention``), so a bot never
pays for waiting for a processor. The wall time bounds everything else: when it is reached, the fault is the bot's unless the lower
bound on the time that it lost to other processes shows that the machine was too busy; then it has PATIENCE times as long.

A fault of kind ``lost`` is one that the machine may have caused as well as the bot: the answer did not come even then, or the
process was killed by a signal that a bot cannot send itself. The referee decides what it costs.
"""

import contextlib
import os
import select
import signal
import time

from msgspec import Struct

from arena.confinement.evidence import SEALED
from arena.confinement.fetched_files import EXHAUSTED
from arena.confinement.launch_policy import STATE
from arena.confinement.memory_signs import died_of_memory
from arena.confinement.seal import MOST_CALLS, Seal
from arena.confinement.starting_bots import of_this_thread
from arena.confinement.status import LaunchFailedError
from arena.errors import BotUnavailableError
from arena.players import bot_stack
from arena.players.base import PlayerFaultError
from arena.players.child import GRACE, Child, Exit
from arena.players.contention import Contention, ProcessClock, WaitBounds
from arena.players.traffic_log import TrafficLog
from arena.protocol.messages import CANNOT_PLAY
from arena.records import FaultKind
from arena.roster.entrant import Launch

READ_BYTES = 16384
PIPE_BYTES = 65536  # capacity of a pipe: as much as a bot can write to stderr before it blocks. Source: pipe(7)
PROMPT = 0.02  # seconds of waiting after which the clocks are first read; most answers arrive before
SOON = 0.001  # seconds between two readings of the clocks, at least
KILLED = "was killed from outside: in its sandbox neither the bot nor its limits could have done it"
PATIENCE = 3  # times the wall limit that an answer may take while other processes have the processor for most of the time


class Allowance(Struct, frozen=True):
    """The limits of one answer, in seconds."""

    cpu: float  # of the bot's own processor time
    stall: float  # of idling while a processor was free
    wall: float  # in total; PATIENCE times as long on a machine that is too busy to judge the bot


class Line(Struct, frozen=True):
    """An answer without its newline, and its cost."""

    text: bytes
    cpu: float  # seconds since the previous answer: thinking in the opponent's turn is charged
    wall: float  # seconds since the question


class BotProcess:
    """A running bot that reads and writes lines."""

    def __init__(self, launch: Launch, line_bytes: int, traffic: TrafficLog, state: int | None = None) -> None:
        """Start a bot, without waiting for it; ``state`` as for ``Child``.

        Raises: PlayerFaultError, for a program that cannot be started.
        """
        self._line_bytes = line_bytes
        self._traffic = traffic
        self._launch = launch
        self._child = child = Child(launch, state)
        self._in, self._out, self._err = child.stdin, child.stdout, child.stderr
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._unsent = b""
        self._blocked = False  # whether the pipe accepted only a part of what was sent
        self._received = b""
        self._question = b""
        self._sent_at = 0.0  # monotonic seconds at the question
        self._cpu = 0.0  # seconds charged since the question
        self._clock = ProcessClock(child.pid)
        # On this descriptor launchers of bots that this thread starts ask for a service: the other bot of the match may be starting
        # while this one is awaited. None: not polled, as this bot has not begun to start, or is sealed, or there is no epoll.
        self._starts: int | None = None
        self._logged = 0  # refused calls that are in the log
        if not launch.reports:
            self.wait_ready()  # returns at once: its command does not report

    def wait_ready(self) -> None:
        """Wait until the bot's sandbox is complete; its time is measured from then on. Raises: LaunchFailedError."""
        if self._child.wait_ready():
            self._clock = ProcessClock(self._child.pid)
            if (starts := of_this_thread().fileno()) is not None:
                self._starts = starts
                self._poll.register(starts, select.POLLIN)

    def seal(self) -> None:
        """Refuse the calls with which the bot could leave traces: it is ready, and the next message may have cards.

        Raises: PlayerFaultError; LaunchFailedError, if the machine lacks descriptors or memory.
        """
        if self._starts is not None:
            self._poll.unregister(self._starts)
            self._starts = None
        if seal := self._child.seal:
            try:
                # A thread may be in a call that was let through, whose path another thread could change once the bot knows a card.
                # And any bot could close a file before it is read and have it open again at a number that was read before.
                with self._child.stopped():
                    seal.apply(self._child.pid, self._child.folders)
            except OSError as error:
                if self._child.ends_within(0):
                    raise self._output_ended() from None
                if error.errno in EXHAUSTED:
                    raise LaunchFailedError("seal", str(error.strerror)) from None
                kind: FaultKind = "timeout" if isinstance(error, TimeoutError) else "crash"
                raise self.fault(kind, f"cannot be sealed: {error.strerror}") from None
            self._poll.register(seal.listener, select.POLLIN)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the steps of its launcher that failed under a lenient policy, with reasons."""
        return self._child.missing

    @property
    def pid(self) -> int:
        """Return the bot's process number; before ``wait_ready`` the launcher's, or 0 if a template starts the bot."""
        return self._child.pid

    def queue(self, line: bytes) -> None:
        """Keep a line that has no answer, to be sent with the next question, or at the end."""
        self._traffic.log_sent(line)
        self._unsent += line

    def send(self, question: bytes) -> None:
        """Send a question; ``receive`` waits for the answer.

        Raises: PlayerFaultError, if the bot has written before it or has ended; LaunchFailedError.
        """
        self._question, self._cpu, self._sent_at = question, 0.0, time.monotonic()
        if self._poll.poll(0):
            self._refuse_early_answer()
        self._traffic.log_sent(question)
        self._unsent += question
        self._flush()

    def receive(self, allowance: Allowance, since: float | None = None) -> Line:
        """Return the one line that answers the question. Raises: PlayerFaultError.

        ``since``: monotonic seconds from which the wall time counts; None: from the question.
        """
        text = self._await_line(since or self._sent_at, allowance)
        self._traffic.log_received(text)
        cpu = self._charge()
        if cpu > allowance.cpu:
            raise self.fault("timeout", f"used {cpu:.3f} s of processor time; allowed: {allowance.cpu:.3f} s", text)
        return Line(text, cpu, time.monotonic() - self._sent_at)

    def overspent(self, cpu: float) -> PlayerFaultError | None:
        """Return the fault of a bot that has used more than ``cpu`` seconds since its last answer; None: it has not.

        Raises: LaunchFailedError.
        """
        self.wait_ready()
        spent = self._clock.running()
        if spent <= cpu:
            return None
        return self.fault("timeout", f"used {spent:.3f} s of processor time in its opponent's turn; allowed: {cpu:.3f} s")

    def fault(self, kind: FaultKind, detail: str, answer: bytes = b"") -> PlayerFaultError:
        """Return a fault with the end of the bot's stderr; for a timeout, with the bot's stack."""
        self._drain_stderr()
        self._charge()
        if kind == "timeout":
            self._traffic.add_stderr(bot_stack.request_stack(self._child.pid, self._err))
        return self._fault_so_far(kind, detail, answer)

    def _fault_so_far(self, kind: FaultKind, detail: str, answer: bytes) -> PlayerFaultError:
        """Return a fault with what was read and charged so far."""
        return PlayerFaultError(
            kind,
            detail,
            question=self._question,
            answer=answer,
            stderr=self._traffic.stderr_tail,
            cpu=self._cpu,
            wall=time.monotonic() - self._sent_at,
        )

    def _charge(self) -> float:
        """Add what the bot has used since the last charge to the account of this question; return its processor seconds."""
        self._cpu += self._clock.charge()
        return self._cpu

    def log(self) -> str:
        """Return the end of what the bot has written to stderr so far, safe to print."""
        if not self._child.has_ended:
            self._drain_stderr()
        return self._traffic.stderr_tail

    def ends_by_itself(self, allowance: Allowance) -> bool:
        """Wait for the bot to end after its last message, as long as for an answer; return whether it did, with exit code 0."""
        self._flush()
        began, contention = time.monotonic(), self._clock.contention()
        wait = min(PROMPT, allowance.cpu, allowance.stall)
        while not self._child.ends_within(wait):
            self._drain_stderr()
            self._flush()
            try:
                wait = min(PROMPT, self._time_left(began, contention.bounds(), allowance))
            except PlayerFaultError:
                return False
        self._drain_stderr()
        return self._child.end().code == 0

    def take_state(self) -> int | None:
        """Return the bot's state folder, open, which then is the caller's; None: it has none in memory."""
        return self._child.folders.pop(STATE, None)

    def close(self) -> Exit:
        """End the process and everything that belongs to it; return how it ended. Never raises."""
        if not self._child.has_ended:
            self._flush()
            self._drain_stderr()
        ended = self._child.end()
        while self._child.folders:
            os.close(self._child.folders.popitem()[1])
        self._traffic.close()
        return ended

    def _await_line(self, asked: float, allowance: Allowance) -> bytes:
        """Return the line that answers a question sent at ``asked``. Raises: PlayerFaultError.

        The clocks are read when a limit may have been reached, not after each read from a pipe. Otherwise a bot that writes without
        end, to stderr or a byte at a time, would keep the harness busy reading clocks.
        """
        wait = min(PROMPT, allowance.cpu, allowance.stall)
        next_check = asked + wait
        contention: Contention | None = None
        while True:
            for pipe, _ in self._poll.poll(wait * 1000):
                if pipe == self._out:
                    if (line := self._read()) is not None:
                        return line
                elif pipe == self._err:
                    self._drain_stderr()
                elif pipe == self._in:
                    self._flush()
                elif pipe == self._starts:
                    of_this_thread().serve()
                elif self._child.seal:
                    self._answer_call(self._child.seal)
            wait = next_check - time.monotonic()
            if wait <= 0:
                contention = contention or self._clock.contention()
                wait = self._time_left(asked, contention.bounds(), allowance)
                next_check = time.monotonic() + wait

    def _time_left(self, asked: float, bounds: WaitBounds, allowance: Allowance) -> float:
        """Return the seconds until a limit may be reached. Raises: PlayerFaultError, if one is reached."""
        if self._starts is not None and self._child.seal and self._child.seal.is_exhausted:
            raise self.fault(
                "timeout", f"not ready after {MOST_CALLS:,} system calls for files, pipes and sockets (make fewer)", self._received
            )
        wall = time.monotonic() - asked
        cpu = self._clock.running()
        if cpu >= allowance.cpu:
            raise self.fault("timeout", f"no answer within {allowance.cpu:.3f} s of processor time", self._received)
        if bounds.idle >= allowance.stall:
            detail = f"no answer; idle for {bounds.idle:.3f} s; allowed: {allowance.stall:.3f} s"
            raise self.fault("timeout", detail, self._received)
        left = allowance.wall - wall
        if left <= 0:
            self._check_wall(wall, bounds.lost, allowance)
            left = PROMPT
        return min(allowance.cpu - cpu, allowance.stall - bounds.idle, left) + SOON

    def _check_wall(self, wall: float, lost: float, allowance: Allowance) -> None:
        """Judge a wait that has reached the wall limit, of which other processes took ``lost`` seconds. Raises: PlayerFaultError.

        The machine is too busy if the bot could run for less time than it may use, and for less than other processes took.
        """
        usable = wall - lost
        if usable >= min(allowance.cpu + allowance.stall, lost):
            detail = f"no answer within {wall:.3f} s, in {usable:.3f} s of which it could have run"
            raise self.fault("timeout", detail, self._received)
        if wall >= PATIENCE * allowance.wall:
            detail = f"the machine is too busy to be fair: in {wall:.1f} s the bot waited {lost:.1f} s for a processor"
            raise self.fault("lost", detail, self._received)

    def _flush(self) -> None:
        """Write as much as the pipe accepts; poll for the rest."""
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # the bot closed its input; it may still answer
            self._unsent = b""
        if bool(self._unsent) is not self._blocked:
            self._blocked = not self._blocked
            if self._blocked:
                self._poll.register(self._in, select.POLLOUT)
            else:
                self._poll.unregister(self._in)

    def _read(self) -> bytes | None:
        """Return the answer; None: its end has not been received. Raises: PlayerFaultError."""
        chunk = os.read(self._out, READ_BYTES)
        if not chunk:
            raise self._output_ended()
        end = chunk.find(b"\n")
        if end == len(chunk) - 1 < self._line_bytes and not self._received:
            return chunk[:-1]  # nearly always: one whole line
        self._received += chunk
        length = len(self._received)
        if end < 0 and length <= self._line_bytes:
            return None
        if end < 0 or length - len(chunk) + end >= self._line_bytes:
            raise self.fault("malformed", f"a line of more than {self._line_bytes} bytes", self._received)
        if end != len(chunk) - 1:
            raise self.fault("malformed", "more than one line in answer to one question", self._received)
        line, self._received = self._received[:-1], b""
        return line

    def _answer_call(self, seal: Seal) -> None:
        """Answer a call of the sealed bot; name it in the log if it is refused."""
        seal.answer()
        self._drain_stderr()
        if seal.is_closed:
            self._poll.unregister(seal.listener)

    def _refuse_early_answer(self) -> None:
        """Raise PlayerFaultError, if the bot has written to stdout or closed it before the question; stderr is only logged."""
        self.wait_ready()  # code of the bot has run, or its launcher has failed
        self._drain_stderr()
        with contextlib.suppress(BlockingIOError):
            early = os.read(self._out, READ_BYTES)
            if not early:
                raise self._output_ended()
            raise self.fault("malformed", "an answer before the question", early)

    def _drain_stderr(self) -> None:
        """Log what is in the pipe of stderr, and new refused calls; after the bot's end, the pipe has the end of its traceback."""
        with contextlib.suppress(OSError):  # empty or closed
            chunk = os.read(self._err, PIPE_BYTES)
            if not chunk:
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._err)
            self._traffic.add_stderr(chunk)
        refused = self._child.seal.refused if self._child.seal else []
        for call in refused[self._logged :]:
            self._traffic.add_stderr(f"refused {SEALED}: {call}\n".encode(errors="surrogateescape"))
        self._logged = len(refused)

    def _output_ended(self) -> PlayerFaultError:
        """Return the fault of a bot whose output has ended.

        In a namespace of its own it can neither kill itself (pid_namespaces(7)) nor lower its limits, so SIGKILL came from outside,
        often from a kernel out of memory, which the bot may have used up. Without a namespace it is a crash: the bot could have
        killed itself.

        Raises: BotUnavailableError, if it may end the run and has done so.
        """
        has_ended = self._child.ends_within(GRACE)
        self._drain_stderr()
        self._charge()
        if not has_ended:
            return self.fault("crash", "closed its output without an answer", self._received)
        ended = self._child.end()
        if ended.code == CANNOT_PLAY and self._launch.may_end_run:
            reason = self._traffic.stderr_tail.strip().rpartition("\n")[2]
            raise BotUnavailableError(f"a bot cannot play: {reason or 'it does not say why'}")
        if self._died_of_memory(ended):
            allowed = "" if self._launch.memory_mb is None else f"; allowed: {self._launch.memory_mb} MB"
            return self._fault_so_far("memory", f"ran out of memory{allowed}", self._received)
        if self._launch.in_namespace and ended.code == -signal.SIGKILL and not self._child.may_have_met_cpu_limit():
            return self._fault_so_far("lost", KILLED, self._received)
        return self._fault_so_far("crash", f"ended with {ended} without an answer{self._refusals()}", self._received)

    def _refusals(self) -> str:
        """Return the names of the calls refused because the bot is sealed, and the remedy; empty: none."""
        refused = self._child.seal.refused if self._child.seal else []
        names = ", ".join(dict.fromkeys(call.name for call in refused))
        return f"; refused {SEALED}: {names} (open and load before what you need)" if names else ""

    def _died_of_memory(self, ended: Exit) -> bool:
        return died_of_memory(ended.code, self._traffic.stderr_tail, ended.peak_kb, self._launch.memory_mb)
