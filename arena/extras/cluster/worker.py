"""The worker's side of a cluster: the task of a Dask worker, its player processes, and the calls that travel to them.

Dask runs its tasks in threads beside an event loop. A match cannot run in such a thread: ``players/child.py`` ends all descendants
of its process that a match leaves behind, and an aborted match is ended by a signal. So each thread of a Dask worker has a player
process, ``python -m arena.extras.cluster.worker``, which runs one call after the other. Calls arrive on stdin and answers leave on
stdout; what is printed goes to stderr.

When the worker has gone, even by SIGKILL, no process holds the other end of stdin: the player process then ends, with its bots.
"""

import logging
import os
import pickle
import queue
import select
import subprocess
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from logging.handlers import QueueHandler
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from distributed import Worker, get_worker
from msgspec import Struct
from msgspec.structs import replace

from arena import interpreter
from arena.errors import WorkerLostError
from arena.extras.cluster.call_values import map_structs
from arena.extras.cluster.carried_states import left_states
from arena.extras.cluster.files import BotCache, Shipment, local_launch
from arena.players.traffic_log import stderr_log
from arena.referee.job import Job
from arena.roster.entrant import Launch
from arena.tournament.executors import end_with_director
from arena.tournament.worker_pool import outcome


def main() -> None:
    """Answer calls until the input ends."""
    calls, answers = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    os.dup2(2, 1)
    gone = select.poll()
    gone.register(calls, 0)  # no process can send calls any more: poll(2) reports POLLHUP unasked
    end_with_director(gone.poll, code=1)
    with suppress(EOFError, OSError):  # the worker has gone
        while True:
            answers.send_bytes(outcome(calls.recv_bytes()))


def call_of(work: object, *arguments: object) -> bytes:
    """Return a call as it is sent; ``work``: a function that can be imported."""
    return pickle.dumps((work, arguments, {}))


# The part that runs inside a Dask worker: one function, which sends a call to a player process and returns its answer.
#
# A call names the worker process that it is bound to. If that process died, Dask runs the task in another one at the same address;
# by then the director has counted the call as lost, so it is refused here.

COMMAND = interpreter.python("-m", "arena.extras.cluster.worker")
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
    """A process that plays matches for this worker: this module, run by ``main``."""

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


# What travels between director and worker: a call on its way there, and its answer with what was logged on the way back.
#
# The launches in the argument of a call name paths of the director's machine, and are replaced before the call runs.

Value = Any  # of a call: a record, or the review of a hand


def log_levels() -> dict[str, int]:
    """Return the levels of this process's logs, by name; the root's has the name ``root``."""
    return {logger.name: logger.level for logger in (logging.getLogger(), stderr_log)}


class SentCall(Struct, frozen=True):
    """A call on its way to a worker."""

    work: Callable[[Any], Value]
    argument: Any
    sent: float  # monotonic seconds of the director
    pace: float  # see Job.pace
    bots: tuple[tuple[Launch, Shipment], ...]
    levels: dict[str, int]  # of the director's logs


class PlayedCall(Struct, frozen=True):
    """The value of a call, with the log records and bots' states that it left."""

    value: Value
    logged: tuple[logging.LogRecord, ...]
    states: tuple[bytes, ...]  # that bots have left


def play_call(call: SentCall) -> PlayedCall:
    """Run a call in this process, from the copies of its bots.

    Raises: UnfitError, CopyGoneError, StoreError; what the call raises, and then what was logged is lost.
    """
    if not call.bots:
        return _play_with(call, {})
    cache = BotCache()
    with cache.using({digest for _, shipment in call.bots for digest in shipment.digests}):
        return _play_with(call, {launch: local_launch(launch, shipment, cache.folder) for launch, shipment in call.bots})


def _play_with(call: SentCall, here: dict[Launch, Launch]) -> PlayedCall:
    ahead = monotonic() - call.sent  # of this clock; the transfer takes little time
    argument = map_structs(call.argument, lambda value: _localize(value, here, ahead, call.pace))
    collector = _Collector(call.levels)
    try:
        value = call.work(argument)
    finally:
        collector.end()
    return PlayedCall(value, tuple(collector.records), left_states(argument))


def _localize(value: Struct, here: dict[Launch, Launch], ahead: float, pace: float) -> Struct:
    """Return a launch or a job of a call as it is on this machine; ``ahead``: of the director's clock, in seconds."""
    match value:
        case Launch():
            return here[value]
        case Job():
            return replace(value, until=value.until + ahead, pace=pace)
    return value


class _Collector(QueueHandler):
    """Collects what this process logs, ready to be pickled."""

    def __init__(self, levels: Mapping[str, int]) -> None:
        super().__init__(None)  # type: ignore[arg-type] # there is no queue
        self.records: list[logging.LogRecord] = []
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        logging.getLogger().addHandler(self)

    def enqueue(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    def end(self) -> None:
        """Collect no more."""
        logging.getLogger().removeHandler(self)


if __name__ == "__main__":
    main()
