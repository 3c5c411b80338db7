"""The environments of Gymnasium and PettingZoo: their own checks pass, and rewards are points, with a seed or without."""

import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pettingzoo.test import api_test, render_test, seed_test

from arena.errors import InputError
from arena.extras.environments import zoo
from arena.extras.environments.gym import VectorHands
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.train import native, planes
from arena.train.engine import hand_of
from arena.train.hands import Hands

Array = NDArray[Any]


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")  # it is a dictionary, as in every classic game
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
def test_pettingzoos_own_checks_pass() -> None:
    api_test(zoo.env(), num_cycles=60)
    seed_test(zoo.env, num_cycles=30)
    render_test(zoo.env)


@pytest.mark.parametrize("seed", [None, 5])
def test_rewards_are_the_points_of_the_rules_also_after_a_seeded_reset(seed: int | None) -> None:
    env = zoo.env(Rules(gin_bonus=77, big_gin_bonus=77, knock_limit=0))  # no hand ends but by gin, or without points
    endings = set()
    for hand in range(15):
        env.reset(seed=None if seed is None else seed + hand)
        raw: zoo.raw_env = env.unwrapped
        while not any(env.terminations.values()):
            env.step(int(raw.hands.choose("greedy")[0]))
        result = hand_of(raw.hands.states[0], raw.hands.rules).result
        assert result
        won = {None: [0, 0], 0: [result.points, -result.points], 1: [-result.points, result.points]}[result.winner]
        assert [env.rewards["player_0"], env.rewards["player_1"]] == won
        assert env.last()[1] == env.rewards[env.agent_selection]
        assert result.ending is Ending.DEAD or result.points >= 77
        endings.add(result.ending)
    assert seed is None or len(endings) > 1  # of hands by chance, all may end alike


def test_an_agent_that_waits_sees_its_cards_and_may_do_nothing() -> None:
    env = zoo.raw_env()
    env.reset(seed=1)
    for _ in range(15):
        acting = env.agent_selection
        waiting = next(agent for agent in env.agents if agent != acting)
        assert env.observe(acting)["action_mask"].any()
        seen = env.observe(waiting)
        assert not seen["action_mask"].any()
        held = env.hands.states[0]["held"][env.possible_agents.index(waiting)]
        assert seen["observation"][0].nonzero()[0].tolist() == [card for card in range(52) if int(held) >> card & 1]
        env.step(int(env.hands.choose("greedy")[0]))


def first(_: Array, mask: Array) -> Array:
    chosen: Array = mask.argmax(axis=1)
    return chosen


@pytest.mark.parametrize("opponent", ["greedy", first])
def test_a_vector_of_hands_rewards_only_the_hand_that_ended_and_keeps_its_last_observation(opponent: Any) -> None:
    env = VectorHands(4, opponent=opponent, learner=1)
    same = Hands(4, opponent=opponent, learner=1)
    observed, info = env.reset(seed=3)
    same.reset(3)
    ended = 0
    while ended < 6:
        actions = info["action_mask"].argmax(axis=1)
        rewards, done = same.step(actions)
        observed, points, over, cut, info = env.step(actions)
        assert env.observation_space.contains(observed)
        assert np.array_equal(observed, planes(same.look()[0]))
        assert info["action_mask"].any(axis=1).all()
        assert np.array_equal(over, done)
        assert not cut.any()
        assert np.array_equal(points, rewards[:, 1])
        assert not points[~over].any()
        assert ("final_obs" in info) == bool(over.any())
        for row in np.flatnonzero(over):
            assert info["_final_obs"][row]
            assert info["_final_info"][row]
            result = hand_of(same.ended[row], same.rules).result
            assert result
            assert list(Ending)[info["final_info"]["ending"][row]] is result.ending
            assert abs(points[row]) == (result.points if result.winner is not None else 0)
            held = int(same.ended[row]["held"][1])
            assert info["final_obs"][row][0].nonzero()[0].tolist() == [card for card in range(52) if held >> card & 1]
            ended += 1
        if over.any():
            assert [last is None for last in info["final_obs"]] == (~over).tolist()


def test_a_hand_that_ends_before_the_learner_acts_in_it_is_passed_over() -> None:
    always = Rules(knock_limit=100, first_turn="draw")  # greedy knocks in its first turn
    env = VectorHands(12, always)
    _, info = env.reset(seed=1)
    for _ in range(12):
        before = env.hands.states["deck"].copy()
        _, points, over, _, info = env.step(info["action_mask"].argmax(axis=1))
        for row in np.flatnonzero(over):
            assert np.array_equal(env.hands.ended[row]["deck"], before[row])  # and not that of a hand that the learner never saw
            assert abs(points[row]) == env.hands.ended[row]["points"]
        assert (env.hands.states["seat"] == 0).all()


def test_what_a_vector_environment_returns_is_not_overwritten() -> None:
    env = VectorHands(2)
    observed, info = env.reset(seed=1)
    kept, mask = observed.copy(), info["action_mask"].copy()
    env.step(info["action_mask"].argmax(axis=1))
    assert np.array_equal(observed, kept)
    assert np.array_equal(info["action_mask"], mask)
    assert env.action_space.contains(np.full(2, native.BIG_GIN))


@pytest.mark.parametrize(("module", "library"), [("gym", "gymnasium"), ("zoo", "pettingzoo")])
def test_without_the_extra_one_line_names_it(module: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (library, "gymnasium.spaces"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"arena.extras.environments.{module}")
    with pytest.raises(InputError, match=rf"^{library} is not installed: pip install 'ginrummy-arena\[train\]'$"):
        __import__(f"arena.extras.environments.{module}")
