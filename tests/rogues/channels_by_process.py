"""Channels by what one process can do to another, or query about it."""

import fcntl
import os
import resource
import signal
import threading
import time

from rogues.channel import CovertChannel, channel
from rogues.rogue import Scene, call

F_SETSIG = 10
RIGHT_NOW = (signal.SIGUSR1, signal.SIGIO)


class _Signal(CovertChannel):
    """A signal for a one."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.caught = 0
        for number in RIGHT_NOW:
            signal.signal(number, self._catch)

    def _catch(self, *_: object) -> None:
        self.caught += 1

    def prepare(self, index: int) -> None:
        self.caught = 0

    def send(self, index: int, bit: int) -> None:
        if bit:
            self.signal_other()

    def receive(self, index: int) -> bool:
        return self.caught > 0

    def signal_other(self) -> None:
        raise NotImplementedError


@channel()
class Signal(_Signal):
    def signal_other(self) -> None:
        os.kill(self.other, signal.SIGUSR1)


@channel()
class QueuedSignal(_Signal):
    def signal_other(self) -> None:
        code = int(signal.SIGUSR1).to_bytes(4, "little") + bytes(4) + (-1).to_bytes(4, "little", signed=True) + bytes(116)
        call("rt_sigqueueinfo", self.other, signal.SIGUSR1, code)


@channel()
class SignalOfAPipe(_Signal):
    """The owner of a pipe gets a signal when the pipe can be read."""

    def signal_other(self) -> None:
        read, write = os.pipe()
        fcntl.fcntl(read, fcntl.F_SETOWN, self.other)
        fcntl.fcntl(read, F_SETSIG, signal.SIGUSR1)
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
        os.write(write, b"x")
        os.close(read)
        os.close(write)


@channel()
class ProcessorTime(CovertChannel):
    """A clock's number can denote the processor time of any process."""

    def prepare(self, index: int) -> None:
        self.before = self._time()

    def send(self, index: int, bit: int) -> None:
        end = time.process_time() + 0.003 * bit
        while time.process_time() < end:
            pass

    def receive(self, index: int) -> bool:
        return self._time() - self.before > 0.002

    def _time(self) -> float:
        return time.clock_gettime(~self.other << 3 | 2)


@channel()
class Scheduler(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        os.sched_setscheduler(0, os.SCHED_BATCH if bit else os.SCHED_OTHER, os.sched_param(0))

    def receive(self, index: int) -> bool:
        return os.sched_getscheduler(self.other) == os.SCHED_BATCH


@channel()
class Cores(CovertChannel):
    """Needs a machine with two cores."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.cores = sorted(os.sched_getaffinity(0))

    def send(self, index: int, bit: int) -> None:
        os.sched_setaffinity(0, self.cores[:1] if bit else self.cores)

    def receive(self, index: int) -> bool:
        return len(os.sched_getaffinity(self.other)) == 1


@channel()
class ResourceLimit(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (50 + bit, most))

    def receive(self, index: int) -> bool:
        return resource.prlimit(self.other, resource.RLIMIT_NOFILE)[0] == 51


@channel()
class PendingSignals(CovertChannel):
    """Real-time signals are counted against a limit of the user, which is the same at both ends without namespaces."""

    MANY, KIND = 40, signal.SIGRTMIN + 1

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        signal.pthread_sigmask(signal.SIG_BLOCK, [self.KIND])
        _, most = resource.getrlimit(resource.RLIMIT_SIGPENDING)
        try:
            resource.setrlimit(resource.RLIMIT_SIGPENDING, (min(64, most), most))
        except (OSError, ValueError):  # in a sandbox the limit is set already and cannot be changed
            return

    def send(self, index: int, bit: int) -> None:
        self._drain()
        if bit and self._queued() < self.MANY // 2:
            raise PermissionError("no signals can be queued")

    def receive(self, index: int) -> bool:
        queued = self._queued()
        self._drain()
        if queued == 0:
            raise PermissionError("no signals can be queued")
        return queued < self.MANY

    def _queued(self) -> int:
        """Queue signals up to a number or the limit, and return how many."""
        for count in range(self.MANY):
            try:
                signal.pthread_kill(threading.get_ident(), self.KIND)
            except OSError:
                return count
        return self.MANY

    def _drain(self) -> None:
        while signal.sigtimedwait([self.KIND], 0):
            pass


@channel(known_under_c=True)
class CountOfOpenFiles(CovertChannel):
    """The size of /proc/PID/fd, which every user can read since Linux 6.2."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.files: list[int] = []

    def send(self, index: int, bit: int) -> None:
        while self.files:
            os.close(self.files.pop())
        self.files = [os.dup(0) for _ in range(20 * bit)]

    def receive(self, index: int) -> bool:
        return os.stat(f"/proc/{self.other}/fd").st_size > 15
