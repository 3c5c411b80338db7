"""The calls that wait for a worker: which is next, how many are taken, and which fail."""

import threading
from concurrent.futures import CancelledError

import pytest

from arena.errors import ClusterError, WorkerLostError
from arena.extras.cluster.call_queue import VANISHED, CallQueue, PoolCall


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
