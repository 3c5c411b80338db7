"""A pool of workers whose list cannot be polled any more."""

import threading
from collections.abc import Iterator

import pytest

from arena.errors import ClusterError
from arena.extras.cluster import pool


class Link:
    """A connection without workers' executors; ``polls`` yields what each request for the workers returns."""

    def __init__(self, polls: Iterator[dict[str, int]]) -> None:
        self.workers = lambda: next(polls)

    def executor(self, _: str) -> None:
        """Return nothing: no call is sent."""

    def close(self) -> None:
        """Close nothing."""


def opened(monkeypatch: pytest.MonkeyPatch, polls: Iterator[dict[str, int]]) -> pool.ClusterPool:
    link = Link(polls)
    monkeypatch.setattr(pool, "ClusterLink", lambda _: link)
    monkeypatch.setattr(pool, "POLL_SECONDS", 0.01)
    return pool.ClusterPool("tcp://x", 1, 0.001, print)


def test_an_unexpected_error_of_the_thread_that_polls_fails_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def polls() -> Iterator[dict[str, int]]:
        yield {"tcp://worker": 0}
        raise RuntimeError("can't start new thread")

    cluster = opened(monkeypatch, polls())
    with pytest.raises(RuntimeError, match="new thread"):
        cluster.submit(abs, 1).result(timeout=5)
    cluster.shutdown()


def test_a_lost_connection_is_the_reason_and_not_the_workers_that_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    submitted = threading.Event()

    def polls() -> Iterator[dict[str, int]]:
        yield {"tcp://worker": 0}
        submitted.wait()
        raise ClusterError("tcp://x: the connection is closed")

    cluster = opened(monkeypatch, polls())
    call = cluster.submit(abs, 1)
    submitted.set()
    with pytest.raises(ClusterError, match="the connection is closed"):
        call.result(timeout=5)
    cluster.shutdown()
