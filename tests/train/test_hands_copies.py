"""Copies of hands, in this process and in others: they continue in the same way and share nothing."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.train.hands import Hands

Array = NDArray[Any]
COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]  # noqa: S301 - its own


def first(_: Array, mask: Array) -> Array:
    chosen: Array = mask.argmax(axis=1)
    return chosen


def play(hands: Hands, steps: int) -> list[Any]:
    """Return the states and rewards of some steps, some of which end hands."""
    played = []
    for _ in range(steps):
        rewards, done = hands.step(hands.choose("greedy"))
        played.append((hands.states.tobytes(), rewards.tolist(), done.tolist()))
    return played


@pytest.mark.parametrize("make", COPIES)
@pytest.mark.parametrize("opponent", [None, "random", "greedy", "cautious", "scholar", first])
def test_a_copy_of_hands_in_play_continues_as_the_original_does(make: Callable[[Any], Any], opponent: Any) -> None:
    hands = Hands(3, "standard", opponent=opponent, learner=1)
    hands.reset(4)
    play(hands, 12)
    same = make(hands)
    assert (same.rules, same.learner) == (hands.rules, 1)
    assert play(same, 30) == play(hands, 30)


@pytest.mark.parametrize("make", COPIES)
def test_a_copy_of_hands_keeps_their_results_and_shares_none_of_them(make: Callable[[Any], Any]) -> None:
    hands = Hands(3, autoreset=False)
    hands.reset(1)
    hands.finish("greedy", "random")
    same = make(hands)
    before = hands.states.copy()
    for name in ("states", "rewards", "done", "ended", "decisions"):
        assert np.array_equal(getattr(hands, name), getattr(same, name))
    assert np.array_equal(hands.final_obs(1), same.final_obs(1))
    same.reset(2)
    assert np.array_equal(hands.states, before)
    assert hands.done.all()
    assert not same.done.any()


def points_of(hands: Hands) -> list[float]:
    return [float(points) for points in hands.finish("greedy", "random")[:, 0]]


@pytest.mark.process
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_worker_process_plays_hands_that_were_sent_to_it(method: str) -> None:
    hands = Hands(4)
    hands.reset(8)
    with ProcessPoolExecutor(1, mp_context=get_context(method)) as workers:
        found = workers.submit(points_of, hands).result()
    assert found == points_of(hands)
