"""A process pool in which the death of a worker loses only one job.

The standard library's ``ProcessPoolExecutor`` has one queue for all workers. When a worker dies, it is unknown which job it had
taken, so the whole pool breaks and every job in flight is lost. Here each worker has its own pipe and a thread that serves it:
the thread takes a job, sends it, and waits for the answer or for the end of the pipe. When a worker ends, only its current job
is lost; the thread starts a new worker for its next job, and the other workers continue.

A worker ignores SIGINT and SIGHUP, which a terminal sends to all its processes: the director ends the workers, by SIGTERM and
then SIGKILL. Signals are blocked while a worker starts, so that it never runs the director's handlers.
"""

import pickle
import queue
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

from arena.errors import WorkerLostError
from arena.tracebacks import FRAMES, frames

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess
from arena.tournament.executors import Arguments, Value

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
