"""A copy of an environment continues in the same way, and shares nothing with it."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from arena.extras.environments import zoo
from arena.extras.environments.gym import GinRummyEnv, VectorHands

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]  # noqa: S301 - its own
ENVIRONMENTS: list[Callable[[], Any]] = [
    lambda: VectorHands(2, opponent="challenger"),
    lambda: GinRummyEnv("boxes"),
    zoo.env,
    zoo.raw_env,
]


def act(env: Any) -> str:
    """Play the first legal action, and return what is seen afterwards."""
    if isinstance(env, VectorHands):
        return repr(env.step(env.hands.mask.argmax(axis=1)))
    if isinstance(env, GinRummyEnv):
        return repr(env.step(int(env.action_masks().argmax())))
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    return repr(env.last())


@pytest.mark.parametrize("make", COPIES)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_copy_of_an_environment_plays_a_hand_of_its_own(environment: Callable[[], Any], make: Callable[[Any], Any]) -> None:
    env = environment()
    env.reset(seed=3)
    act(env)
    same = make(env)
    ahead = [act(same) for _ in range(3)]
    assert [act(env) for _ in range(3)] == ahead
