"""What a cluster decides without a cluster: whom it refuses, how slow a worker may be, and which call is next."""

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest
from msgspec.structs import replace

from arena.errors import ClusterError, WorkerLostError
from arena.extras.cluster import pool
from arena.extras.cluster.introduction import Introduction, introduce, pace, why_refused, why_unfit_for_compiled
from arena.extras.cluster.member import VANISHED, CallQueue, PoolCall
from arena.players.sandboxes import NoSandbox
from arena.records import Assurance

STRICT = Assurance(isolated=True, profile="A")
DIRECTOR = Introduction(
    code="c" * 64,
    python="3.11",
    machine="Linux x86_64",
    abi="cpython-311-x86_64-linux-gnu",
    libc=("glibc", "2.36"),
    speed=0.01,
    assurance=STRICT,
)


def call(number: int) -> PoolCall:
    return PoolCall(abs, number)


def numbers(calls: CallQueue, count: int) -> list[int]:
    taken = [calls.take(lambda: False) for _ in range(count)]
    return [one.argument for one in taken if one]


def filled(most: int = 10, count: int = 3) -> CallQueue:
    calls = CallQueue(most)
    for number in range(count):
        calls.put(call(number))
    return calls


@pytest.mark.parametrize(
    ("worker", "reason"),
    [
        (replace(DIRECTOR, python="3.12"), "its Python is 3.12; expected 3.11"),
        (replace(DIRECTOR, code="d" * 64), "its arena's code is dddddddddddd; expected cccccccccccc"),
        (replace(DIRECTOR, machine="Linux aarch64"), "its machine is Linux aarch64; expected Linux x86_64"),
        (replace(DIRECTOR, assurance=None, refusal="no namespaces"), "it has no sandbox: no namespaces"),
        (replace(DIRECTOR, assurance=Assurance(isolated=True, profile="C")), "its sandbox has profile C; this run has profile A"),
        (
            replace(DIRECTOR, assurance=replace(STRICT, missing=("landlock: too old",))),
            "its sandbox lacks what this run's has: landlock: too old",
        ),
        (replace(DIRECTOR, assurance=replace(STRICT, landlock=7)), ""),
        (DIRECTOR, ""),
    ],
)
def test_a_worker_on_which_a_record_could_differ_is_refused(worker: Introduction, reason: str) -> None:
    assert why_refused(DIRECTOR, worker) == reason


def test_a_process_would_accept_itself() -> None:
    assert why_refused(introduce(NoSandbox()), introduce(NoSandbox())) == ""
    assert why_unfit_for_compiled(introduce(NoSandbox()), introduce(NoSandbox())) == ""


@pytest.mark.parametrize(
    ("worker", "reason"),
    [
        (
            replace(DIRECTOR, abi="cpython-311-x86_64-linux-musl", libc=("", "")),
            "its kind of Python is cpython-311-x86_64-linux-musl; expected cpython-311-x86_64-linux-gnu",
        ),
        (replace(DIRECTOR, libc=("glibc", "2.9")), "its C library is glibc 2.9; expected glibc 2.36 or newer"),
        (replace(DIRECTOR, libc=("glibc", "2.41")), ""),
    ],
)
def test_a_worker_that_compiled_libraries_may_not_run_on_is_unfit_for_them(worker: Introduction, reason: str) -> None:
    found = why_unfit_for_compiled(DIRECTOR, worker)
    assert found == (f"{reason}, for the compiled libraries of a bot" if reason else "")
    assert why_refused(DIRECTOR, worker) == ""


@pytest.mark.parametrize(("speed", "expected"), [(0.005, 1.0), (0.012, 1.0), (0.04, 4.0), (50.0, 100.0)])
def test_only_a_worker_that_is_clearly_slower_has_more_time(speed: float, expected: float) -> None:
    assert pace(DIRECTOR, replace(DIRECTOR, speed=speed)) == pytest.approx(expected)


def test_calls_are_taken_in_order_and_one_that_is_put_back_is_next() -> None:
    calls = filled()
    first = calls.take(lambda: False)
    assert first
    calls.put_back(first)
    assert numbers(calls, 3) == [0, 1, 2]


def test_no_more_calls_are_taken_than_allowed() -> None:
    calls = filled(most=2)
    assert numbers(calls, 2) == [0, 1]
    answers = [True, False]

    def leaves() -> bool:
        if len(answers) == 2:
            threading.Thread(target=calls.wake).start()  # it has to wait until take() waits, too
        return answers.pop()

    assert calls.take(leaves) is None
    calls.done()
    assert numbers(calls, 1) == [2]


def test_who_leaves_takes_nothing() -> None:
    assert filled().take(lambda: True) is None


def test_a_call_in_which_workers_vanish_counts_as_lost_at_last() -> None:
    one = call(1)
    assert [one.count_vanished(OSError("gone")) for _ in range(VANISHED)] == [True] * (VANISHED - 1) + [False]
    with pytest.raises(WorkerLostError, match=f"{VANISHED} workers vanished in it, the last: gone"):
        one.future.result(0)


def test_when_nobody_can_play_every_call_fails_now_and_later() -> None:
    calls = filled()
    taken = calls.take(lambda: False)
    waiting, later = call(8), call(9)
    calls.put(waiting)
    calls.fail(ClusterError("nobody"))
    calls.put(later)
    assert taken
    calls.put_back(taken)
    for one in (taken, waiting, later):
        with pytest.raises(ClusterError, match="nobody"):
            one.future.result(0)
    assert not calls.busy


def test_a_closed_queue_gives_out_what_it_has_and_cancels_if_asked() -> None:
    calls = filled()
    calls.close(cancel=False)
    assert numbers(calls, 3) == [0, 1, 2]
    assert calls.take(lambda: False) is None
    with pytest.raises(RuntimeError):
        calls.put(call(1))
    waiting, other = call(4), CallQueue(1)
    other.put(waiting)
    other.close(cancel=True)
    with pytest.raises(CancelledError):
        waiting.future.result(0)


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
