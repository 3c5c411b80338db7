"""Measures another process: its processor time, how long it was idle, and how long it had to wait for other processes.

The processor time comes from the process's own clock and is exact on a busy machine. The other two can only be bounded;
``Contention`` explains how. Neither with its own threads nor by flooding the harness with output can a bot raise the bound on the
time that it lost. One case remains where a bot's behaviour counts as time lost: it sleeps thousands of times in a turn, on a core
that other programs keep busy.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from arena.confinement.schedstat import thread_times

PERIOD = 1.0  # seconds: long compared with a scheduler's time slice, short compared with a phase of a bot's work


class ProcessClock:
    """The processor time of one process, all its threads included."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._id = (~pid << 3) | 2  # on Linux, the clock of another process's processor time: clock_getcpuclockid(3)
        self._charged = 0.0

    def charge(self) -> float:
        """Return the processor seconds since the last charge."""
        now = self._now()
        spent, self._charged = now - self._charged, now
        return spent

    def running(self) -> float:
        """Return the processor seconds since the last charge, without charging them."""
        return self._now() - self._charged

    def contention(self) -> "Contention":
        """Return a measurement, from now on, of how long the process is idle and how long it waits for others."""
        return Contention(self._pid, self._now)

    def _now(self) -> float:
        try:
            return time.clock_gettime(self._id)
        except OSError:  # the process has ended
            return self._charged


class WaitBounds(Struct, frozen=True):
    """Two lower bounds on parts of the time that an answer took, in seconds."""

    idle: float = 0.0  # the bot certainly neither ran nor waited for a processor; negative: nothing is certain
    lost: float = 0.0  # processes other than the bot and the harness certainly had the processor while the bot was ready to run


class Contention:
    """Bounds the time that a bot idles, and the time that other processes take from it.

    The kernel counts for each thread how long it ran, and how long it was ready to run while others ran (proc(5), schedstat). For a
    bot of one thread these two numbers are enough. But several threads also wait for each other, and a bot that floods a pipe waits
    for the harness's thread that reads it; the sum of such waits can be many times the time that passed. So both bounds are
    computed for a group: the threads of the bot and the reading thread.

    *Idle* is the time that passed minus every wait of every thread of the group, and minus the time that the group ran.

    *Lost*: a thread waits either while another thread of the group runs, for at most as long as the others of the group ran, or
    while only other processes run. So what one thread waited beyond the time that the others ran was lost to other processes,
    whatever the bot's threads do to each other; the bound is the largest such value. It is computed for each period separately,
    since a thread shows only its own waits, and the bot's work may move from one thread to another.
    """

    def __init__(self, pid: int, running: Callable[[], float]) -> None:
        """Start measuring; ``running`` returns the processor seconds of the whole process, ended threads included."""
        self._pid = pid
        self._running = running
        self._mark = self._read()
        self._before = WaitBounds()

    def bounds(self) -> WaitBounds:
        """Return the bounds for the time so far."""
        now = self._read()
        since = between(self._mark, now)
        bounds = WaitBounds(self._before.idle + since.idle, self._before.lost + since.lost)
        if now.at - self._mark.at >= PERIOD:
            self._mark, self._before = now, bounds
        return bounds

    def _read(self) -> "ThreadCounts":
        threads = {}
        with suppress(OSError):  # the folder exists on Linux only, and until the process has ended
            for task in os.listdir(f"/proc/{self._pid}/task"):  # noqa: PTH208 - names are enough
                threads[task] = _thread(f"/proc/{self._pid}/task/{task}/schedstat")
        return ThreadCounts(time.monotonic(), self._running(), _thread("/proc/thread-self/schedstat"), threads)


class ThreadTimes(Struct, frozen=True):
    """The kernel's counts for one thread."""

    ran: float = 0.0  # seconds
    waited: float = 0.0  # seconds ready to run while others ran


class ThreadCounts(Struct, frozen=True):
    """All counts at one moment."""

    at: float  # monotonic seconds
    ran: float  # seconds of processor time of the bot, all its threads included
    reader: ThreadTimes  # the harness's thread that reads the bot's output
    threads: dict[str, ThreadTimes]  # of the bot, by number


def _thread(path: str) -> ThreadTimes:
    try:
        return ThreadTimes(*thread_times(path))
    except (OSError, ValueError):  # the thread has ended, or the kernel does not count
        return ThreadTimes()


def between(before: ThreadCounts, after: ThreadCounts) -> WaitBounds:
    """Return the bounds for the time between two counts; the waits of a thread that ended in between are not known."""
    reader = _since(before.reader, after.reader)
    group = [reader, *(_since(before.threads.get(name, ThreadTimes()), times) for name, times in after.threads.items())]
    passed, ran = after.at - before.at, after.ran - before.ran
    lost = max(thread.waited - (ran + reader.ran - thread.ran) for thread in group)
    idle = passed - ran - reader.ran - sum(thread.waited for thread in group)
    return WaitBounds(idle, min(max(0.0, lost), passed))


def _since(before: ThreadTimes, now: ThreadTimes) -> ThreadTimes:
    return ThreadTimes(max(0.0, now.ran - before.ran), max(0.0, now.waited - before.waited))
