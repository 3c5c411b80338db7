"""A pool of the workers of a Dask cluster, which join and leave at any time.

One thread polls the list of workers. Each thread of a worker has a thread here, which takes a call, sends it to the worker
and sets its future. A call whose worker vanishes is played again before the others, in this pool; its fixture is charged with a
failed try only when several workers vanished in it, or when the process that played it ended and the worker did not.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from time import monotonic
from typing import ParamSpec, TypeVar

from arena.errors import ClusterError, WorkerLostError
from arena.extras.cluster.call_queue import CallQueue, PoolCall
from arena.extras.cluster.cluster_link import ClusterLink
from arena.extras.cluster.member import Member, Shipments, VanishedError, WorkerRefusedError

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5  # between two requests for the list of workers

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


class ClusterPool(Executor):
    """A pool of the workers of one scheduler."""

    def __init__(self, address: str, most: int, patience: float, warn: Callable[[str], None]) -> None:
        """Connect; at most ``most`` calls are played at a time. Raises: ClusterError, if no scheduler answers."""
        self._address = address
        self._patience = patience
        self._warn = warn
        self._link: ClusterLink | None = ClusterLink(address)
        self._calls = CallQueue(most)
        self._shipments = Shipments()
        self._members: dict[str, Member] = {}
        self._threads: list[threading.Thread] = []
        self._unavailable_reason = "no worker has joined"
        self._last_able = monotonic()  # when a worker could last play, or no call waited or was in play
        self._ending = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def submit(self, work: Callable[Arguments, Value], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Future[Value]:
        """Run a call of one argument on a worker. Errors of the future: ClusterError, WorkerLostError, or what the call raised."""
        assert len(args) == 1
        assert not kwargs
        call = PoolCall(work, args[0])
        self._calls.put(call)
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's signature
        """End the connection and all threads; with ``cancel_futures`` calls in play are aborted, and raise WorkerLostError.

        Without ``wait``, calls that wait or are in play may be cut off.
        """
        self._calls.close(cancel=cancel_futures)
        if not cancel_futures and wait:
            for thread in list(self._threads):
                thread.join()
        self._ending.set()
        self._watcher.join()
        self._remove_all()
        for thread in self._threads:
            thread.join()
        self._calls.fail(WorkerLostError("the pool was shut down"))  # those for which there was no worker
        self._disconnect()

    def _watch(self) -> None:
        try:
            while not self._ending.is_set():
                self._poll()
                self._ending.wait(POLL_SECONDS)
        except Exception as error:  # noqa: BLE001 - raised again by future.result()
            self._calls.fail(error)
            self._remove_all()

    def _poll(self) -> None:
        """Request the list of workers; add those that are new and remove those that have left."""
        try:
            self._link = self._link or ClusterLink(self._address)
            self._update(self._link.workers())
        except ClusterError as error:
            self._remove_all()
            self._unavailable_reason = str(error).removeprefix(f"{self._address}: ")
            log.warning("%s: %s", self._address, self._unavailable_reason)
            self._disconnect()
        self._fail_after_patience()

    def _update(self, found: dict[str, int]) -> None:
        for address in [*self._members]:
            if address not in found or self._members[address].gone:
                self._remove(address)
        for address, threads in found.items():
            if address not in self._members:
                self._join(address, threads)

    def _join(self, address: str, threads: int) -> None:
        assert self._link
        self._members[address] = member = Member(address, threads, self._link.executor(address), self._shipments)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for _ in range(threads):
            thread = threading.Thread(target=self._serve, args=(member,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _remove(self, address: str) -> None:
        member = self._members.pop(address)
        member.leave()
        self._calls.wake()
        log.info("worker %s has left", address)
        if not member.refused:
            self._unavailable_reason = f"the last worker, {address}, has left"

    def _remove_all(self) -> None:
        for address in [*self._members]:
            self._remove(address)

    def _disconnect(self) -> None:
        link, self._link = self._link, None
        if link:
            with suppress(OSError):  # it is lost already
                link.close()

    def _fail_after_patience(self) -> None:
        """Fail all waiting and later calls if no worker has been able to play for ``patience`` seconds."""
        now = monotonic()
        if not self._calls.busy or any(not member.refused for member in self._members.values()):
            self._last_able = now
        elif now - self._last_able >= self._patience:
            what = f"{self._address}: no worker has been able to play for {now - self._last_able:.0f} s: {self._unavailable_reason}"
            self._calls.fail(ClusterError(f"{what}; when one can, give the same command again"))

    def _serve(self, member: Member) -> None:
        """Give calls to a worker, one at a time, until it leaves, is refused, or the pool is closed and no call waits."""
        while call := self._calls.take(lambda: member.gone or member.refused):
            self._settle(call, member)

    def _settle(self, call: PoolCall, member: Member) -> None:
        try:
            value = member.play(call)
        except VanishedError as error:
            self._retry(call, error)
        except WorkerRefusedError as error:
            self._refuse(member, str(error))
            self._calls.put_back(call)
        except BaseException as error:  # noqa: BLE001 - raised again by future.result()
            self._calls.done()
            call.future.set_exception(error)
        else:
            self._calls.done()
            call.future.set_result(value)

    def _retry(self, call: PoolCall, error: VanishedError) -> None:
        if call.count_vanished(error):
            log.warning("worker %s vanished in a task, which is done again", error)
            self._calls.put_back(call)
        else:
            log.warning("worker %s vanished in a task, which is given up", error)
            self._calls.done()

    def _refuse(self, member: Member, reason: str) -> None:
        if not member.refused:
            member.refused = True
            self._unavailable_reason = f"the worker {member.address} is refused: {reason}"
            self._warn(f"the worker {member.address} is refused: {reason}")
            self._calls.wake()
