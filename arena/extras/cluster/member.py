"""The calls that wait for workers of a cluster, and a worker as the director sees it."""

import logging
import pickle
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, InvalidStateError, wait
from contextlib import suppress
from functools import cache
from time import monotonic
from typing import Any

from distributed import KilledWorker
from distributed.comm import CommClosedError

from arena.confinement.profiles import Sandbox
from arena.errors import StoreError, WorkerLostError
from arena.extras.cluster import dask_task
from arena.extras.cluster.bot_cache import LIMIT_VARIABLE, BotCache, CopyGoneError
from arena.extras.cluster.call_queue import PoolCall
from arena.extras.cluster.call_values import find_all
from arena.extras.cluster.carried_states import keep_states, load_states
from arena.extras.cluster.files import Piece, Shipment, UnfitError, library_pieces, pieces, shipment_of
from arena.extras.cluster.introduction import (
    Introduction,
    installed_version,
    introduce,
    pace,
    plugins_of,
    why_refused,
    why_unfit_for_compiled,
    why_without_plugin,
)
from arena.extras.cluster.sent_calls import PlayedCall, SentCall, call_of, log_levels, play_call
from arena.gin.rules import Rules
from arena.players.sandboxes import NoSandbox
from arena.players.state import UnfitStateError
from arena.records import MatchRecord
from arena.referee.job import Job
from arena.roster.distributions import EntryPoint
from arena.roster.entrant import Launch

log = logging.getLogger(__name__)

TRIES = 5  # to send the bots of a match, if those of other runs take their room in the cache
MESSAGE = 1 << 22  # bytes after which a message takes no further piece


class VanishedError(Exception):
    """A worker has left or ended."""


class WorkerRefusedError(Exception):
    """A worker may not or cannot play for this director."""


class Shipments:
    """The shipments of the bots of a pool; the files of each bot are read once."""

    def __init__(self) -> None:
        self._found: dict[Launch, Shipment] = {}
        self._lock = threading.Lock()

    def of(self, launch: Launch) -> Shipment:
        """Return the shipment of a launch. Raises: RosterError."""
        with self._lock:
            if launch not in self._found:
                self._found[launch] = shipment_of(launch)
            return self._found[launch]


class Member:
    """A worker as the director sees it: checked before its first call, and sent the bots that it lacks."""

    def __init__(self, address: str, threads: int, executor: Executor, shipments: Shipments) -> None:
        self.address = address
        self.threads = threads
        self.refused = False
        self._executor = executor
        self._shipments = shipments
        self._gone: Future[None] = Future()
        self._process = ""  # id of the worker's process, to which its calls are bound; empty: it has not answered yet
        self._introduction: Introduction | None = None  # None: not checked yet
        self._sent: set[str] = set()  # digests of the copies in its cache
        self._preparing = threading.Lock()

    def leave(self) -> None:
        """Make every call that waits for this worker raise VanishedError."""
        with suppress(InvalidStateError):  # it has left already
            self._gone.set_result(None)

    @property
    def gone(self) -> bool:
        """Tell whether it left."""
        return self._gone.done()

    def play(self, call: PoolCall) -> Any:  # noqa: ANN401 - calls are generic
        """Return the value of a call.

        Raises: VanishedError, WorkerRefusedError, WorkerLostError; RosterError, StoreError, of this machine; what the call raises.
        """
        bots = {launch: self._shipments.of(launch) for launch in find_all(call.argument, Launch)}
        sandbox = next((job.sandbox for job in find_all(call.argument, Job)), NoSandbox())
        plugins = plugins_of((sandbox, *find_all(call.argument, Rules)))
        for _ in range(TRIES):
            argument = load_states(call.argument)
            try:
                pace = self._prepare(sandbox, bots, plugins)
                sent = SentCall(call.work, argument, monotonic(), pace, tuple(bots.items()), log_levels())
                played = self._ask(play_call, sent)
            except CopyGoneError as error:  # to make room for the bots of another run
                self._sent.discard(str(error))
            except (UnfitError, StoreError) as error:
                raise WorkerRefusedError(str(error)) from None
            except ModuleNotFoundError as error:
                raise WorkerRefusedError(f"it has no module {error.name}, which this run needs") from None
            else:
                return self._unwrap(played, call.argument)
        raise WorkerRefusedError(f"its copies of bots may not be as large as a match needs: {LIMIT_VARIABLE} is too small")

    def _prepare(self, sandbox: Sandbox, bots: Mapping[Launch, Shipment], plugins: Iterable[EntryPoint]) -> float:
        """Check the worker and send it the files of the bots; return its pace.

        Raises: WorkerRefusedError; StoreError, of the worker; RosterError.
        """
        with self._preparing:
            director, found = _director(sandbox), self._check(sandbox, plugins)
            for launch, shipment in bots.items():
                self._send_missing(shipment.digest, shipment.base, pieces(launch, shipment))
                for libraries in shipment.environments:
                    if libraries.compiled and (reason := why_unfit_for_compiled(director, found)):
                        raise WorkerRefusedError(reason)
                    self._send_missing(libraries.digest, libraries.folder, library_pieces(libraries))
            return pace(director, found)

    def _check(self, sandbox: Sandbox, plugins: Iterable[EntryPoint]) -> Introduction:
        """Check the worker, if it was not checked yet; return its introduction. Raises: WorkerRefusedError."""
        if self._introduction is None:
            try:
                for point in plugins:  # first of all, because the sandbox may be a plugin's
                    if reason := why_without_plugin(point, self._ask(installed_version, point.owner)):
                        raise WorkerRefusedError(reason)
                found = self._ask(introduce, sandbox)
            except (ImportError, AttributeError) as error:
                raise WorkerRefusedError(f"it cannot import arena: {error}") from None
            director = _director(sandbox)
            if reason := why_refused(director, found):
                raise WorkerRefusedError(reason)
            self._introduction = found
            log.info("worker %s joins with %d threads; pace %.2f", self.address, self.threads, pace(director, found))
        return self._introduction

    def _send_missing(self, digest: str, origin: str, files: Iterator[Piece]) -> None:
        """Send files, if the worker lacks them; ``origin``: the folder above them, for the log.

        Raises: StoreError, of the worker; RosterError, if a file cannot be read.
        """
        if digest not in self._sent and self._ask(in_cache, BotCache.lacks, digest):
            draft = uuid.uuid4().hex
            for some in _messages(files):
                self._ask(in_cache, BotCache.write, draft, some)
            self._ask(in_cache, BotCache.complete, draft, digest)
            log.info("worker %s: sent what is in %s, %s", self.address, origin, digest[:12])
        self._sent.add(digest)

    def _ask(self, work: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401 - calls are generic
        """Run a function in the worker, and return its value. Raises: VanishedError; WorkerLostError; what the function raises."""
        try:
            answer = self._answer(self._executor.submit(dask_task.run, self._process, call_of(work, *arguments)))
        except (dask_task.OtherProcessError, CancelledError, KilledWorker, CommClosedError, TimeoutError) as error:
            self.leave()
            raise VanishedError(f"{self.address}: {type(error).__name__}") from None
        self._process = answer.worker_id
        succeeded, value = pickle.loads(answer.answer)  # noqa: S301 - a worker is trusted so far: see CLUSTER.md
        if not succeeded:
            raise value
        return value

    def _answer(self, future: Future[dask_task.WorkerAnswer]) -> dask_task.WorkerAnswer:
        either: tuple[Future[Any], ...] = (future, self._gone)
        wait(either, return_when=FIRST_COMPLETED)
        if not future.done():
            future.cancel()
            raise VanishedError(self.address)
        try:
            return future.result()
        except WorkerLostError as error:
            raise WorkerLostError(f"{self.address}: {error}") from None

    def _unwrap(self, played: PlayedCall, argument: object) -> Any:  # noqa: ANN401 - calls are generic
        """Log what the worker logged, keep the states that bots left, and return the value of a call.

        Raises: WorkerLostError, for the record of another match or a state that the record does not name; StoreError.
        """
        for record in played.logged:
            record.processName = self.address
            logging.getLogger(record.name).handle(record)
        if isinstance(argument, Job) and isinstance(played.value, MatchRecord):
            if played.value.fixture != argument.fixture:
                raise WorkerLostError(f"{self.address}: answered with the record of another match")
            try:
                keep_states(argument, played.value, played.states)
            except UnfitStateError as error:
                raise WorkerLostError(f"{self.address}: answered with {error}") from None
        return played.value


def in_cache(method: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401 - as the method
    """Call a method of this worker's ``BotCache``. Raises: StoreError."""
    return method(_cache(), *arguments)


@cache
def _cache() -> BotCache:
    return BotCache()


@cache
def _director(sandbox: Sandbox) -> Introduction:
    return introduce(sandbox)


def _messages(some: Iterator[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Yield pieces in groups of at least MESSAGE bytes, the last group excepted."""
    group: list[Piece] = []
    size = 0
    for piece in some:
        group.append(piece)
        size += len(piece.content)
        if size >= MESSAGE:
            yield tuple(group)
            group, size = [], 0
    yield tuple(group)
