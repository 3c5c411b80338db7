"""A worker of a cluster, as the director sees it."""

import logging
import pickle
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import suppress
from functools import cache
from time import monotonic
from typing import Any

from distributed import KilledWorker
from distributed.comm import CommClosedError

from arena.errors import StoreError, WorkerLostError
from arena.players.learned_state import UnfitStateError
from arena.players.sandboxes.base import Sandbox
from arena.players.sandboxes.none import NoSandbox
from arena.records import MatchRecord
from arena.referee.job import Job
from arena.roster.entrant import Launch
from arena.tournament.executors.cluster import carried, introduction, site, travel
from arena.tournament.executors.cluster.bundle import Bundle, Piece, UnfitError, bundle, library_pieces, pieces
from arena.tournament.executors.cluster.cache import LIMIT_VARIABLE, BotCache, CopyGoneError
from arena.tournament.executors.cluster.calls import PoolCall
from arena.tournament.executors.cluster.introduction import Introduction, introduce
from arena.tournament.executors.cluster.nested import found
from arena.tournament.executors.cluster.player import call_of
from arena.tournament.executors.cluster.travel import LogLevels, PlayedCall, SentCall

log = logging.getLogger(__name__)

TRIES = 5  # to send the bots of a match, while others are sent to the same machine
MESSAGE = 1 << 22  # bytes of files that are sent at a time


class VanishedError(Exception):
    """A worker is not there any more."""


class WorkerRefusedError(Exception):
    """A worker may not or cannot play for this director."""


class Bundles:
    """The files of the bots of a pool, each read once."""

    def __init__(self) -> None:
        self._found: dict[Launch, Bundle] = {}
        self._lock = threading.Lock()

    def of(self, launch: Launch) -> Bundle:
        """Return the files of a launch. Raises: RosterError."""
        with self._lock:
            if launch not in self._found:
                self._found[launch] = bundle(launch)
            return self._found[launch]


class Member:
    """A worker: it is introduced before its first call, and sent the bots that it lacks."""

    def __init__(self, address: str, threads: int, executor: Executor, bundles: Bundles) -> None:
        self.address = address
        self.threads = threads
        self.refused = False
        self._executor = executor
        self._bundles = bundles
        self._gone: Future[None] = Future()
        self._me = ""
        self._pace: float | None = None  # None: not introduced
        self._known: Introduction | None = None  # likewise
        self._has: set[str] = set()  # digests of bots in its cache
        self._meeting = threading.Lock()

    def leave(self) -> None:
        """Have every call that waits for this worker raise VanishedError."""
        with suppress(Exception):  # it has left already
            self._gone.set_result(None)

    @property
    def gone(self) -> bool:
        """Return whether it left."""
        return self._gone.done()

    def play(self, call: PoolCall) -> Any:  # noqa: ANN401 - calls are generic
        """Return the value of a call. Raises: VanishedError, WorkerRefusedError, WorkerLostError; RosterError; its own errors."""
        bots = {launch: self._bundles.of(launch) for launch in found(call.argument, Launch)}
        shipped = tuple((launch, one.shipment) for launch, one in bots.items())
        for _ in range(TRIES):
            pace = self._prepared(_sandbox(call.argument), bots)
            sent = SentCall(call.work, carried.loaded(call.argument), monotonic(), pace, shipped, LogLevels.here())
            try:
                return self._checked(self._ask(travel.play_call, sent), call.argument)
            except CopyGoneError as error:  # to make room for the bots of another run
                self._has.discard(str(error))
            except (UnfitError, StoreError) as error:
                raise WorkerRefusedError(str(error)) from None
        raise WorkerRefusedError(f"its copies of bots may not be as large as a match needs: {LIMIT_VARIABLE} is too small")

    def _prepared(self, sandbox: Sandbox, bots: Mapping[Launch, Bundle]) -> float:
        """Return the worker's pace, once it is known to be fit and has all files of the bots. Raises: WorkerRefusedError."""
        with self._meeting:
            pace = self._meet(sandbox)
            for launch, one in bots.items():
                self._equip(one.shipment.digest, one.shipment.base, pieces(launch, one.shipment))
                for libraries in one.shipment.environments:
                    if libraries.compiled and (reason := introduction.why_unfit_for_compiled(_director(sandbox), self._known)):
                        raise WorkerRefusedError(reason)
                    self._equip(libraries.digest, libraries.folder, library_pieces(libraries))
            return pace

    def _meet(self, sandbox: Sandbox) -> float:
        """Return the worker's pace, once it is known to be fit. Raises: WorkerRefusedError."""
        if self._pace is None:
            try:
                found = self._ask(introduce, sandbox)
            except (ImportError, AttributeError) as error:
                raise WorkerRefusedError(f"it cannot import arena: {error}") from None
            director = _director(sandbox)
            if reason := introduction.why_refused(director, found):
                raise WorkerRefusedError(reason)
            self._known, self._pace = found, introduction.pace(director, found)
            log.info("worker %s joins with %d threads; pace %.2f", self.address, self.threads, self._pace)
        return self._pace

    def _equip(self, digest: str, origin: str, files: Iterator[Piece]) -> None:
        """Send files, if the worker lacks them; ``origin``: the folder above them, for the log. Raises: WorkerRefusedError."""
        if digest in self._has:
            return
        try:
            if self._ask(lacks, digest):
                draft = uuid.uuid4().hex
                for some in _messages(files):
                    self._ask(write, (draft, some))
                self._ask(complete, (draft, digest))
                log.info("worker %s: sent what is in %s, %s", self.address, origin, digest[:12])
        except StoreError as error:
            raise WorkerRefusedError(str(error)) from None
        self._has.add(digest)

    def _ask(self, work: Callable[[Any], Any], argument: object) -> Any:  # noqa: ANN401 - calls are generic
        """Return what a function returns in the worker. Raises: VanishedError; WorkerLostError; what the function raises."""
        try:
            answer = self._answer(self._executor.submit(site.run, self._me, call_of(work, argument)))
        except (site.NotMeError, CancelledError, KilledWorker, CommClosedError, TimeoutError) as error:
            self.leave()
            raise VanishedError(f"{self.address}: {type(error).__name__}") from None
        self._me = answer.me
        succeeded, value = pickle.loads(answer.answer)  # noqa: S301 - a worker is trusted so far: see CLUSTER.md
        if not succeeded:
            raise value
        return value

    def _answer(self, future: Future[site.SiteAnswer]) -> site.SiteAnswer:
        either: tuple[Future[Any], ...] = (future, self._gone)
        wait(either, return_when=FIRST_COMPLETED)
        if not future.done():
            future.cancel()
            raise VanishedError(self.address)
        try:
            return future.result()
        except WorkerLostError as error:
            raise WorkerLostError(f"{self.address}: {error}") from None

    def _checked(self, played: PlayedCall, argument: object) -> Any:  # noqa: ANN401 - calls are generic
        """Log what the worker logged, keep what bots have learned, and return the value of a call.

        Raises: WorkerLostError, for the record of another match or a state that is not of it; StoreError.
        """
        for record in played.logged:
            record.processName = self.address
            logging.getLogger(record.name).handle(record)
        if isinstance(argument, Job) and isinstance(played.value, MatchRecord):
            if played.value.fixture != argument.fixture:
                raise WorkerLostError(f"{self.address}: answered with the record of another match")
            try:
                carried.take(argument, played.value, played.states)
            except UnfitStateError as error:
                raise WorkerLostError(f"{self.address}: answered with {error}") from None
        return played.value


def lacks(digest: str) -> bool:
    """Return whether this worker's machine has no sound copy of a bot."""
    return _cache().lacks(digest)


def write(what: tuple[str, tuple[Piece, ...]]) -> None:
    """Write pieces of a bot to a draft. Raises: StoreError."""
    draft, some = what
    _cache().write(draft, some)


def complete(what: tuple[str, str]) -> None:
    """Give the draft of a bot its digest as its name. Raises: StoreError."""
    _cache().complete(*what)


@cache
def _cache() -> BotCache:
    return BotCache()


@cache
def _director(sandbox: Sandbox) -> introduction.Introduction:
    return introduce(sandbox)


def _sandbox(argument: object) -> Sandbox:
    return next((job.sandbox for job in found(argument, Job)), NoSandbox())


def _messages(some: Iterator[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Yield pieces in groups that fit into a message."""
    group: list[Piece] = []
    size = 0
    for piece in some:
        group.append(piece)
        size += len(piece.content)
        if size >= MESSAGE:
            yield tuple(group)
            group, size = [], 0
    yield tuple(group)
