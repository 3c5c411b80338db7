"""The life cycle of a bot's process: started in its sandbox, watched, and ended with everything that belongs to it.

A bot is started by its launcher (``confinement/launcher.py``) or by a template (``confinement/prefork.py``). Its process number is
known only after ``wait_ready``. A process is ended in three stages: its pipes are closed, then SIGTERM, then SIGKILL, both to its
process group; it is reaped last, so that its number cannot have been reused when it is signalled. A *seal*
(``confinement/seal.py``) suspends some of a bot's system calls until the harness answers them.
"""

import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.confinement import prefork
from arena.confinement.fetched_files import EXHAUSTED
from arena.confinement.launcher import FAILED
from arena.confinement.prefork import TemplateProcess
from arena.confinement.process_files import closing_file
from arena.confinement.status import LaunchFailedError, LaunchStatus
from arena.players.base import PlayerFaultError
from arena.roster.entrant import Launch

if TYPE_CHECKING:
    from arena.confinement.seal import Seal


GRACE = 0.4  # seconds for a process to end after its input was closed, and again after SIGTERM
PAUSE = 0.0001  # seconds between two checks whether it has stopped
LAUNCH = 20.0  # seconds for a launcher to complete the sandbox, on a busy machine
STOP = 20.0  # seconds for a bot's threads to stop: microseconds, but each has to run, and there may be 64 on one busy core
AGAIN = 0.05  # seconds after which the signal to stop is repeated
OWN_FILES = "/proc/self/fd"
SKIPPED = 1024  # a skip passes over fewer pipe numbers than this, drawn at random, each in 2 µs


class Exit(Struct, frozen=True):
    """How a process ended."""

    code: int  # negative: the number of the signal that killed it
    peak_kb: int  # most resident memory, ru_maxrss of wait4(2)

    def __str__(self) -> str:
        """Return the exit code, or the signal's name; real-time signals have no names."""
        if self.code >= 0:
            return f"exit code {self.code}"
        names = {known.value: known.name for known in signal.Signals}
        return names.get(-self.code, f"signal {-self.code}")


class ReusedPipes:
    """Pipes whose numbers are used again, so that they reveal nothing to the next bot.

    A bot sees the numbers of its pipes (st_ino of fstat(2)). A new pipe takes the next number of a counter of the machine. Look-ups
    in /proc move it too, and a refused call or a slow answer makes the harness do some: so a bot could set the counter to a value
    that a later bot reads. A pipe that is opened with O_PATH keeps its number, but is open neither for reading nor
    for writing. When its ends are closed, the kernel frees its content, and it is empty when it is opened again. Source:
    fifo_open() in fs/pipe.c.
    """

    def __init__(self) -> None:
        self._kept: list[int] = []  # opened with O_PATH, in random order
        os.register_at_fork(after_in_child=self._forget)

    def open(self) -> tuple[int, int]:
        """Return the ends of an empty pipe, as os.pipe does; a new one if none is kept. Raises: OSError."""
        while True:
            try:
                pipe = self._kept.pop()
            except IndexError:
                pipe = _new_pipe()
            with closing_file(pipe):
                if ends := _open_closed(f"{OWN_FILES}/{pipe}"):
                    return ends

    def keep(self, pipes: Iterable[int]) -> None:
        """Take pipes, opened with O_PATH, whose ends are all closed."""
        for pipe in pipes:
            self._kept.insert(_below(len(self._kept) + 1), pipe)

    def _forget(self) -> None:
        """Drop them all: after a fork, parent and child must not open the same."""
        while self._kept:
            os.close(self._kept.pop())


def _new_pipe() -> int:
    """Return a new pipe, opened with O_PATH. Raises: OSError."""
    skip_pipe_numbers()
    read, write = os.pipe()
    with closing_file(read), closing_file(write):
        return os.open(f"{OWN_FILES}/{read}", os.O_PATH | os.O_CLOEXEC)


def _open_closed(pipe: str) -> tuple[int, int] | None:
    """Return the ends of a pipe; None: a process that was forked while a bot used it still has an end open. Raises: OSError."""
    with closing_file(os.open(pipe, os.O_WRONLY | os.O_CLOEXEC)) as end:
        other_reader = select.poll()
        other_reader.register(end, 0)
        if not other_reader.poll(0):  # without a reader there is an error: POLLERR
            return None
    with ExitStack() as opened:
        read = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        opened.callback(os.close, read)
        try:
            if os.read(read, 1):
                return None
        except BlockingIOError:  # there is a writer
            return None
        os.set_blocking(read, True)
        os.utime(read)  # as if it were new
        write = os.open(pipe, os.O_WRONLY | os.O_CLOEXEC)
        opened.pop_all()
        return read, write


def skip_pipe_numbers() -> None:
    """Move the counter from which new pipes get their numbers, by a random amount."""
    for _ in range(_below(SKIPPED)):
        for end in os.pipe():
            os.close(end)


def _below(limit: int) -> int:
    return int.from_bytes(os.urandom(8)) % limit


_pipes = ReusedPipes()


class Child:
    """A bot's process: its pipes and its process number."""

    def __init__(self, launch: Launch, state: int | None = None) -> None:
        """Start a launch, without waiting for its sandbox.

        ``state``: descriptor of a file with the content of its state folder; None: the folder is empty, or is filled otherwise.
        Raises: PlayerFaultError, for a program that cannot be started; LaunchFailedError, if a template has ended; OSError, if the
        machine lacks descriptors, processes or memory.
        """
        self._launch = launch
        self._started = time.monotonic()
        self._status: LaunchStatus | None = LaunchStatus(launch.threads)
        self._exit: Exit | None = None
        self.missing: tuple[str, ...] = ()  # steps that failed under a lenient policy, with reasons
        self.folders: dict[str, int] = {}  # after wait_ready its private folders by path, open; the caller closes them
        self.seal: Seal | None = None  # after wait_ready the harness's end of its seal; None: it has none
        make = _pipes.open if launch.in_namespace else os.pipe
        ends = list[int]()
        try:
            # a sandboxed bot, whose launcher reports, can read the counter from a new pipe or from /proc, with threads or without
            # a namespace
            if launch.reports and (launch.threads > 1 or not launch.in_namespace):
                skip_pipe_numbers()
            for _ in range(3):
                ends += make()
        except OSError:
            self._status.cancel()
            for end in ends:
                os.close(end)
            raise
        stdin, self.stdin, self.stdout, stdout, self.stderr, stderr = ends
        try:
            self._process, self._template = _start(launch, self._status, (stdin, stdout, stderr), state)
        except OSError as error:
            self._status.cancel()
            self._close_pipes()
            if error.errno in EXHAUSTED:
                raise
            if launch.prefork:  # a template has ended, which is no fault of the bot
                raise LaunchFailedError("template", str(error.strerror)) from None
            raise PlayerFaultError("crash", f"could not be started: {error}") from None
        finally:
            for theirs in (stdin, stdout, stderr):
                os.close(theirs)
        self.pid = self._process.pid if self._process else 0  # after wait_ready the bot's

    def wait_ready(self) -> bool:
        """Wait until code of the bot is about to run; return whether this call did the waiting. Raises: LaunchFailedError."""
        status = self._status
        if status is None:
            return False
        try:
            self.pid = status.wait_ready(self._process, self._launch, within=LAUNCH)
        except LaunchFailedError:
            self._status, self._exit = None, Exit(FAILED, 0)  # wait_ready has ended and reaped the process
            self._close_pipes()
            if self._template:
                self._template.forget()
            raise
        self.missing, self.folders, self.seal = status.missing, status.folders, status.seal
        self._status = None  # not before: if a signal interrupts the wait, ``end`` has to wait for the bot's number
        return True

    @property
    def has_ended(self) -> bool:
        """Tell whether the harness has ended it: its pipes are closed then, and their descriptors may belong to other files."""
        return self._exit is not None

    def may_have_met_cpu_limit(self) -> bool:
        """Tell whether RLIMIT_CPU may have killed it: whether it has lived that long, times its threads.

        Its processor time would not show that: the limit counts whole ticks of the clock, and a bot that is awake at each tick is
        charged many times what it used.
        """
        return (time.monotonic() - self._started) * self._launch.threads >= self._launch.cpu_seconds

    def ends_within(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for it to end by itself; return whether it did. It is not reaped: ``end`` does that.

        A sealed bot's calls are answered meanwhile: a program may make some at its end.
        """
        if self._exit is not None:
            return True
        deadline = time.monotonic() + seconds
        while self.seal and not self.seal.is_closed and (left := deadline - time.monotonic()) > 0:
            if _ends_within(self.pid, left, self.seal.listener):
                return True
            self.seal.answer()
        return _ends_within(self.pid, max(0.0, deadline - time.monotonic()))

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop all its threads during the context, each after its current system call.

        The signal is repeated, because execve(2) discards one that arrives meanwhile. The filter refuses a bot every other means
        against it. Raises: TimeoutError, if they have not stopped within STOP seconds: many threads may be in long calls.
        """
        deadline = time.monotonic() + STOP
        try:
            while not self._stops_within(AGAIN):
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        errno.ETIMEDOUT, f"its threads did not stop within {STOP:g} s of `ready` (make no long calls then)"
                    )
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _stops_within(self, seconds: float) -> bool:
        """Signal it to stop; tell whether all its threads stop within ``seconds``, or it ends."""
        self._signal(signal.SIGSTOP)
        end = time.monotonic() + seconds
        while os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() > end:
                return False
            time.sleep(PAUSE)
        return True

    def end(self) -> Exit:
        """End it and its process group, and return how it ended."""
        with suppress(LaunchFailedError):
            self.wait_ready()  # its number is not known before
        if self._exit is None:
            kept = self._pipes_to_keep()
            self._close_pipes()
            if not self.ends_within(GRACE):
                self._signal(signal.SIGTERM)
                self.ends_within(GRACE)
            self._signal(signal.SIGKILL)  # it is not reaped yet, so its number is still its own
            _, status, used = os.wait4(self.pid, 0)
            self._exit = Exit(os.waitstatus_to_exitcode(status), used.ru_maxrss)
            _pipes.keep(kept)
            if self._process:
                self._process.returncode = self._exit.code
            if self._template:
                self._template.release()
            if self.seal:
                self.seal.close()
        return self._exit

    def _signal(self, number: signal.Signals) -> None:
        """Signal its process group, which has its number, and itself in case it has left the group."""
        for send in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                send(self.pid, number)

    def _pipes_to_keep(self) -> list[int]:
        """Open its pipes with O_PATH, if all processes that have them open end with it: those of its namespace."""
        kept = list[int]()
        if self._launch.in_namespace:
            with suppress(OSError):  # it has to be ended also where no file can be opened
                for pipe in (self.stdin, self.stdout, self.stderr):
                    kept.append(os.open(f"{OWN_FILES}/{pipe}", os.O_PATH | os.O_CLOEXEC))
        return kept

    def _close_pipes(self) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.close(pipe)


def _start(
    launch: Launch, status: LaunchStatus, streams: tuple[int, int, int], state: int | None
) -> tuple[subprocess.Popen[bytes] | None, TemplateProcess | None]:
    """Start a launch with its environment, these standard streams and nothing else; return its launcher or its template.

    It leads a session of its own. Raises: OSError.
    """
    if launch.prefork:
        template = prefork.start(launch, (*streams, *status.descriptors))
        status.send(launch.command[-1], state, within=LAUNCH)  # the last word of the command is the policy
        return None, template
    stdin, stdout, stderr = streams
    process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - starting the launch's command is its purpose
        launch.command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=launch.folder,
        env=status.environment(launch),
        pass_fds=status.descriptors if launch.reports else (),
        start_new_session=True,
    )
    if launch.state and launch.reports:
        status.send("", state, within=LAUNCH)  # the launcher knows its policy; the line carries the state
    return process, None


def _ends_within(pid: int, seconds: float, *others: int) -> bool:
    """Tell whether a child ends within ``seconds``, without reaping it; on Linux stop waiting when one of ``others`` can be read.

    Source: pidfd_open(2), and kqueue(2) on macOS.
    """
    if sys.platform == "darwin":
        exits = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD | select.KQ_EV_ONESHOT, select.KQ_NOTE_EXIT)
        with closing(select.kqueue()) as queue:
            try:
                return bool(queue.control([exits], 1, seconds))
            except ProcessLookupError:  # it has ended already
                return True
    with closing_file(os.pidfd_open(pid)) as handle:
        ends = select.poll()  # select(2) knows no descriptor above 1023, and a server may have more
        for descriptor in (handle, *others):
            ends.register(descriptor, select.POLLIN)
        return handle in dict(ends.poll(1000 * seconds))
