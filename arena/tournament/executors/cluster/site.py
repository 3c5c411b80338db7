"""The part that runs inside a Dask worker: one function, which has a player process answer a call.

A call names the worker process that it was meant for. Dask runs the task of a worker that died on another one of the same address,
if there is one; the director has counted it as lost by then, so it is refused here.
"""

import queue
import select
import subprocess
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, cast

from distributed import Worker, get_worker
from msgspec import Struct

from arena import interpreter
from arena.errors import WorkerLostError
from arena.tournament.executors.cluster import player

COMMAND = interpreter.python("-m", "arena.tournament.executors.cluster.player")
GLANCE = 0.25  # seconds between two looks whether a call is still wanted
PATIENCE = 5.0  # seconds for a player to end after SIGTERM; it needs at most two
ME = uuid.uuid4().hex  # this process, among all that ever have its address


class NotMeError(Exception):
    """A call was meant for a process that is no more."""


class SiteAnswer(Struct, frozen=True):
    """What a worker answers."""

    me: str  # its process
    answer: bytes  # as ``workers.outcome`` returns it


def run(meant_for: str, call: bytes) -> SiteAnswer:
    """Have a player of this worker answer a call; ``meant_for`` is the worker's ``me``, or empty.

    Raises: NotMeError; WorkerLostError, if the player ended or nobody wants the answer any more.
    """
    if meant_for not in ("", ME):
        raise NotMeError
    worker = get_worker()
    task = worker.get_current_task()
    try:
        one = _idle.get_nowait()
    except queue.Empty:
        one = PlayerProcess()
    try:
        answer = one.ask(call, lambda: _wanted(worker, task))
    except BaseException:
        one.end()
        raise
    _idle.put(one)
    return SiteAnswer(ME, answer)


def _wanted(worker: Worker, task: object) -> bool:
    """Return whether somebody waits for a task of a worker: its director may have ended, or the worker be about to."""
    state = worker.state.tasks.get(task)
    return worker.status.name in {"running", "paused"} and state is not None and state.state != "cancelled"


class PlayerProcess:
    """A player process."""

    def __init__(self) -> None:
        """Start it. Raises: WorkerLostError, if the system refuses."""
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise WorkerLostError(f"no player could be started: {error}") from error

    def ask(self, call: bytes, wanted: Callable[[], bool]) -> bytes:
        """Return the answer to a call. Raises: WorkerLostError, if the process ends or the answer is not wanted any more."""
        calls, answers = cast("BinaryIO", self._process.stdin), cast("BinaryIO", self._process.stdout)
        with suppress(BrokenPipeError):  # it has ended: there will be no answer
            player.write(calls, call)
        while not select.select([answers], [], [], GLANCE)[0]:
            if not wanted():
                raise WorkerLostError("nobody waits for the answer any more")
        answer = player.read(answers)
        if answer is None:
            raise WorkerLostError(f"the player ended: {self.end()}")
        return answer

    def end(self) -> str:
        """End the process and its bots; return how it ended."""
        self._process.terminate()
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with suppress(OSError):
                    stream.close()
        return f"exit code {code}"


_idle: queue.SimpleQueue[PlayerProcess] = queue.SimpleQueue()
