"""The part of a cluster that runs in a Dask worker: one function, which sends a call to a player process and returns its answer.

A call names the worker process that it is bound to. If that process died, Dask runs the task in another one at the same address;
by then the director has counted the call as lost, so it is refused here.
"""

import queue
import subprocess
import uuid
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe

from distributed import Worker, get_worker
from msgspec import Struct

from arena import interpreter
from arena.errors import WorkerLostError

COMMAND = interpreter.python("-m", "arena.extras.cluster.player_process")
POLL_SECONDS = 0.25  # between two checks whether an answer is still awaited
PATIENCE = 5.0  # seconds for a player to end after SIGTERM; it needs at most two
WORKER_ID = uuid.uuid4().hex  # of this process, because its address may be used again


class OtherProcessError(Exception):
    """A call was bound to another process, which has ended."""


class WorkerAnswer(Struct, frozen=True):
    """The answer of a worker to a call."""

    worker_id: str  # of its process
    answer: bytes  # as ``arena.tournament.worker_pool.outcome`` returns it


def run(worker_id: str, call: bytes) -> WorkerAnswer:
    """Return the answer of a player process to a call; ``worker_id``: of the process that it is bound to, empty: any.

    Raises: OtherProcessError; WorkerLostError, if the player cannot start or ends, or the answer is not awaited any more.
    """
    if worker_id not in ("", WORKER_ID):
        raise OtherProcessError
    worker = get_worker()
    task = worker.get_current_task()
    try:
        player = _idle.get_nowait()
    except queue.Empty:
        player = PlayerProcess()
    try:
        answer = player.ask(call, lambda: _is_awaited(worker, task))
    except BaseException:
        player.end()
        raise
    _idle.put(player)
    return WorkerAnswer(WORKER_ID, answer)


def _is_awaited(worker: Worker, task: object) -> bool:
    """Tell whether a director still waits for a task: the director may have ended, or the worker may be closing."""
    state = worker.state.tasks.get(task)
    return worker.status.name in {"running", "paused"} and state is not None and state.state != "cancelled"


class PlayerProcess:
    """A process that plays matches for this worker: ``arena.extras.cluster.player_process``."""

    def __init__(self) -> None:
        """Start it. Raises: WorkerLostError, if the system refuses."""
        try:
            calls, self._calls = Pipe(duplex=False)
            self._answers, answers = Pipe(duplex=False)
            with calls, answers:
                self._process = subprocess.Popen(COMMAND, stdin=calls.fileno(), stdout=answers.fileno(), start_new_session=True)  # noqa: S603 - our own module
        except OSError as error:
            raise WorkerLostError(f"no player could be started: {error}") from error

    def ask(self, call: bytes, wanted: Callable[[], bool]) -> bytes:
        """Return the answer to a call. Raises: WorkerLostError, if the process ends or the answer is not wanted any more."""
        with suppress(BrokenPipeError):  # it has ended: there will be no answer
            self._calls.send_bytes(call)
        while not self._answers.poll(POLL_SECONDS):
            if not wanted():
                raise WorkerLostError("the answer is not awaited any more")
        try:
            return self._answers.recv_bytes()
        except (EOFError, OSError):
            raise WorkerLostError(f"the player ended: {self.end()}") from None

    def end(self) -> str:
        """End the process and its bots; return how it ended."""
        self._process.terminate()
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._calls.close()
        self._answers.close()
        return f"exit code {code}"


_idle: queue.SimpleQueue[PlayerProcess] = queue.SimpleQueue()
