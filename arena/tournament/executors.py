"""Executors, which open a ``concurrent.futures.Executor`` for a run: the base class, one process, and a pool of workers."""

import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from msgspec import Struct

from arena import signals
from arena.errors import WorkerLostError
from arena.tracebacks import FRAMES, frames

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess


Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def tell_nobody(_: str) -> None:
    """Discard a warning."""


GRACE = 2.0  # seconds for a worker that is to end to close its bots


def end_with_director(wait: Callable[[], object], code: int) -> None:
    """Ignore SIGINT and SIGHUP; exit with ``code`` on SIGTERM, and when ``wait``, which awaits the director's end, returns.

    Called in a worker, by ``prepare``. The director, which the user stops (``arena.signals``), may end by SIGKILL; a worker would
    then wait for work without end.
    """

    def end(which: int, _: object) -> None:
        """Exit after closing the bots; be killed after GRACE seconds."""
        signal.signal(which, signal.SIG_IGN)
        signals.end_soon(1, GRACE)
        sys.exit(code)

    def follow() -> None:
        wait()
        os.kill(os.getpid(), signal.SIGTERM)
        signals.end_soon(1, GRACE)  # here too: the main thread may be in C code, which delays its handler

    for which in (signal.SIGINT, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=follow, daemon=True).start()


class Executor(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """An executor. The fields of a subclass are its options; its docstring is its manual."""

    def workers(self, asked: int | None, cores: int) -> int:
        """Return the number of workers to open; ``asked``: the user's number, None for the executor's choice."""
        return asked or cores

    def where(self) -> str:
        """Return where the matches are played, for the user; empty: on this machine."""
        return ""

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> futures.Executor:
        """Return a pool of ``workers`` workers; each calls ``prepare`` once, before its first fixture.

        ``warn`` receives, from any thread, warnings about the workers for the user.
        """
        raise NotImplementedError


class Serial(Executor, frozen=True, kw_only=True, tag="serial"):
    """Plays one fixture after the other in the main process; for debugging and for small machines."""

    def workers(self, asked: int | None, cores: int) -> int:  # noqa: ARG002 - any number would be this process
        """Return 1."""
        return 1

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> futures.Executor:  # noqa: ARG002 - this process
        """Return a pool that plays in this process; the arguments are not used."""
        return _InProcess()


class _InProcess(futures.Executor):
    def submit(self, work: Callable[Arguments, Value], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Future[Value]:
        future: Future[Value] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised again by future.result()
            future.set_exception(error)
        return future


# The cores that this process may use, and how busy other programs keep them. Source: proc(5), stat.
#
# Two readings of the kernel's counters are compared; they count in ticks of 10 ms, so the readings should lie at least 50 ms apart.
# Where the system has no such counters, as on macOS, the load of other programs counts as 0.

TICK = 1 / os.sysconf("SC_CLK_TCK")  # seconds
BUSY = (0, 1, 2, 5, 6, 7)  # columns: user, nice, system, interrupts and stolen time; not idle, and not waiting for a disk


class CoreCounts(Struct, frozen=True):
    """The counters at one moment."""

    at: float  # monotonic seconds
    own: float  # seconds of processor time of this process, and of the processes that it has waited for
    busy: dict[int, float]  # seconds that each core has been busy


def cores() -> tuple[int, ...]:
    """Return the numbers of the cores that this process may use."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else tuple(range(os.cpu_count() or 1))


def count() -> CoreCounts:
    """Read the counters now."""
    return CoreCounts(time.monotonic(), sum(os.times()[:4]), _busy(frozenset(cores())))


def used_by_others(before: CoreCounts, after: CoreCounts) -> float:
    """Return the mean number of cores that other programs kept busy between two readings."""
    busy = sum(after.busy.values()) - sum(before.busy.values()) - (after.own - before.own)
    return max(0.0, busy / max(TICK, after.at - before.at))


def idlest(before: CoreCounts, after: CoreCounts) -> list[int]:
    """Return the cores, first those that were least busy between two readings."""
    return sorted(cores(), key=lambda core: (after.busy.get(core, 0.0) - before.busy.get(core, 0.0), core))


def _busy(wanted: frozenset[int]) -> dict[int, float]:
    table = Path("/proc/stat")
    return dict(busy_seconds(table.read_text(encoding="ascii").splitlines(), wanted)) if table.exists() else {}


def busy_seconds(lines: Iterable[str], wanted: frozenset[int]) -> Iterator[tuple[int, float]]:
    """Yield each wanted core with the seconds that it has been busy, from the lines of /proc/stat."""
    for line in lines:
        name, *columns = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in wanted:
            yield int(name[3:]), TICK * sum(int(columns[column]) for column in BUSY)


# Plays several fixtures at a time in worker processes on this machine.
#
# Each worker and its bots stay on one core. Of the three processes of a match one runs at a time; a round trip through a pipe takes
# 6 µs on one core and 23 µs between two. With fewer workers than cores, the workers take the cores that other programs use least.
# With more, no worker is pinned: towards the end of a run two of them could have to share a core while another one is idle.

SAMPLE_SECONDS = 0.1  # between two readings, which show the cores that other programs use least


class Local(Executor, frozen=True, kw_only=True, tag="local"):
    """A pool of worker processes, one for each core unless ``--workers`` gives another number.

    Of the three processes of a match only one runs at a time, so more workers than cores gain nothing.
    """

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> futures.Executor:  # noqa: ARG002 - nothing to tell
        """Return a process pool with the start method that the program has set; by default with fork, if the platform has it."""
        return Workers(workers, multiprocessing.get_context(_start_method()), partial(_prepare, prepare, cores_for(workers)))


def _start_method() -> str | None:
    """Return the start method for workers. From 3.14 on, Python itself prefers forkserver on Linux, which is slower to start."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    return "fork" if chosen is None and "fork" in multiprocessing.get_all_start_methods() else chosen


def cores_for(workers: int) -> list[int]:
    """Return a core for each worker; none where workers are not pinned."""
    found = list(cores())
    if not hasattr(os, "sched_setaffinity") or workers > len(found):
        return []
    if workers == len(found):
        return found
    before = count()
    time.sleep(SAMPLE_SECONDS)
    return idlest(before, count())[:workers]


def _prepare(prepare: Callable[[], None], cores: list[int], place: int) -> None:
    """Pin this worker, and the bots that it starts, to its core."""
    if cores:
        os.sched_setaffinity(0, {cores[place]})
    prepare()


# A process pool in which the death of a worker loses only one job.
#
# The standard library's ``ProcessPoolExecutor`` has one queue for all workers. When a worker dies, it is unknown which job it had
# taken, so the whole pool breaks and every job in flight is lost. Here each worker has its own pipe and a thread that serves it:
# the thread takes a job, sends it, and waits for the answer or for the end of the pipe. When a worker ends, only its current job
# is lost; the thread starts a new worker for its next job, and the other workers continue.
#
# A worker ignores SIGINT and SIGHUP, which a terminal sends to all its processes: the director ends the workers, by SIGTERM and
# then SIGKILL. Signals are blocked while a worker starts, so that it never runs the director's handlers.

PATIENCE = 5.0  # seconds for workers to end after SIGTERM; they need at most two to close their bots
# Sent instead of a call to end a worker. Closing the pipe is not enough: workers forked later have copies of the director's end.
NO_MORE = b""
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Workers(futures.Executor):
    """A pool of worker processes with a thread for each."""

    def __init__(self, count: int, context: BaseContext, prepare: Callable[[int], None]) -> None:
        """Start ``count`` workers; each first calls ``prepare`` with its number, from 0."""
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._shut = False
        self._lock = threading.Lock()
        starting = threading.Lock()
        self._workers = [_Worker(place, context, prepare, starting) for place in range(count)]
        # Fork before threads exist, because a forked process inherits the locks that other threads hold. A worker that
        # replaces a lost one is forked later, with this risk.
        for worker in self._workers:
            worker.start()
        self._threads = [threading.Thread(target=self._serve, args=(worker,), daemon=True) for worker in self._workers]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[Arguments, Value], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Future[Value]:
        """Run a call in a worker. Errors of the future: WorkerLostError, or what the call raised."""
        job = _Job(work, args, kwargs)
        with self._lock:
            if self._shut:
                raise RuntimeError("cannot submit to a pool that has been shut down")
            self._jobs.put(job)
        return job.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's signature
        """End the pool; with ``cancel_futures`` running jobs are aborted too, and their futures raise WorkerLostError."""
        with self._lock:
            if not self._shut:
                self._shut = True
                if cancel_futures:
                    self._cancel()
                for _ in self._workers:
                    self._jobs.put(None)
        if cancel_futures:
            _end(self._workers)
        if wait:
            for thread in self._threads:
                thread.join()

    def _cancel(self) -> None:
        with suppress(queue.Empty):
            while job := self._jobs.get_nowait():
                job.future.cancel()

    def _serve(self, worker: "_Worker") -> None:
        """Give jobs to a worker, one at a time, until there are no more."""
        while job := self._jobs.get():
            if job.future.set_running_or_notify_cancel():
                job.settle(worker)
        worker.close()


class _Job:
    """A call and its future."""

    def __init__(self, work: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._call = (work, args, kwargs)
        self.future: Future[Any] = Future()

    def settle(self, worker: "_Worker") -> None:
        """Run the call in a worker and set the future."""
        try:
            succeeded, value = pickle.loads(worker.ask(bytes(ForkingPickler.dumps(self._call))))  # noqa: S301 - our own worker's bytes
        except BaseException as error:  # noqa: BLE001 - pickling can raise anything; raised again by future.result()
            self.future.set_exception(error)
            return
        if succeeded:
            self.future.set_result(value)
        else:
            self.future.set_exception(value)


class _Worker:
    """A place in the pool: a process, and its successor when it has ended."""

    def __init__(self, place: int, context: BaseContext, prepare: Callable[[int], None], starting: threading.Lock) -> None:
        self._place = place
        self._context = context
        self._prepare = prepare
        # locked while any worker starts, so that no fork inherits the worker's end of another pipe
        self._starting = starting
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._ended = False

    def start(self) -> None:
        """Start the process. Raises: WorkerLostError, if the system refuses, or the pool is being ended."""
        with self._starting:
            if self._ended:
                raise WorkerLostError("the pool was shut down")
            self._pipe, other = self._context.Pipe()
            self._process = self._context.Process(  # type: ignore[attr-defined] # typeshed leaves it out of the base class
                target=_work, args=(other, self._pipe, self._prepare, self._place), name=f"worker-{self._place}", daemon=True
            )
            try:
                with _block_signals():
                    self._process.start()
            except OSError as error:
                self._pipe.close()
                self._pipe = None
                raise WorkerLostError(f"no worker could be started: {error}") from error
            finally:
                other.close()

    def ask(self, call: bytes) -> bytes:
        """Return the process's answer. Raises: WorkerLostError, if it has ended."""
        if self._pipe is None:
            self.start()
        assert self._pipe
        try:
            self._pipe.send_bytes(call)
            return self._pipe.recv_bytes()
        except (EOFError, OSError):
            raise WorkerLostError(f"the worker ended: {self._reap()}") from None

    def close(self) -> None:
        """Ask the process to end, and wait for it."""
        if self._pipe:
            with suppress(OSError):  # it has ended already
                self._pipe.send_bytes(NO_MORE)
            self._reap()

    def end(self, which: signal.Signals) -> None:
        """Send a signal to the process if there is one, and never start another."""
        with self._starting:
            self._ended = True
            if self._process and self._process.is_alive():
                (self._process.kill if which is signal.SIGKILL else self._process.terminate)()

    def wait(self, seconds: float) -> bool:
        """Wait for the process; return whether it ended within ``seconds``."""
        process = self._process
        if process:
            process.join(max(0.0, seconds))
        return not (process and process.is_alive())

    def _reap(self) -> str:
        """Close the pipe, wait for the end of the process, and return how it ended."""
        assert self._pipe
        assert self._process
        self._pipe.close()
        self._pipe = None
        self._process.join()
        code = self._process.exitcode
        return signal.Signals(-code).name if code and code < 0 else f"exit code {code}"


def _end(workers: "list[_Worker]") -> None:
    for worker in workers:
        worker.end(signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    for worker in workers:
        if not worker.wait(deadline - time.monotonic()):
            worker.end(signal.SIGKILL)


def _work(pipe: Connection, directors_end: Connection, prepare: Callable[[int], None], place: int) -> None:
    """Run the main loop of a worker: answer the calls on the pipe until it ends."""
    directors_end.close()  # this copy of it would keep the pipe open after the director has ended
    for which in STOPS:  # SIGTERM: ``prepare`` may handle it, to close the bots first
        signal.signal(which, signal.SIG_DFL if which is signal.SIGTERM else signal.SIG_IGN)
    prepare(place)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    with suppress(EOFError, BrokenPipeError):  # the director has ended
        while (call := pipe.recv_bytes()) != NO_MORE:
            pipe.send_bytes(outcome(call))


def outcome(call: bytes) -> bytes:
    """Run a call; return whether it succeeded, and its value or error."""
    try:
        work, args, kwargs = pickle.loads(call)  # noqa: S301 - the director's own bytes
        return bytes(ForkingPickler.dumps((True, work(*args, **kwargs))))
    except Exception as error:  # noqa: BLE001 - raised again by future.result()
        return _failure(error)


def _failure(error: Exception) -> bytes:
    """Return an error as an outcome, with its traceback as a note; one that pickle cannot restore becomes a RuntimeError."""
    text = "".join(traceback.format_exception(error))
    error.add_note(f"in a worker:\n{text}")
    vars(error)[FRAMES] = frames(error)
    try:
        answer = bytes(ForkingPickler.dumps((False, error)))
        pickle.loads(answer)  # noqa: S301 - the bytes of the line before
    except Exception:  # noqa: BLE001 - a class can raise anything when it is pickled or restored
        return bytes(ForkingPickler.dumps((False, RuntimeError(f"in a worker:\n{text}"))))
    return answer


@contextmanager
def _block_signals() -> Iterator[None]:
    """Block the signals that stop a run while the context lasts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
