"""MaskablePPO of stable-baselines3 learns on the environments; its PyTorch is too large for the extra ``test``."""

from typing import Any

import gymnasium
import pytest

pytest.importorskip("sb3_contrib", reason="pip install sb3-contrib: PyTorch is too large for the extra test")

import ppo
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

from arena.extras.environments.gym import ID, GinRummyEnv

pytestmark = [pytest.mark.slow, pytest.mark.nightly]


def test_a_minute_of_learning_gains_half_of_what_random_play_loses() -> None:
    points, half_width = ppo.evaluate(ppo.learn(200_000), 2000)
    assert points - half_width > -30, "random play loses 48.7 points a hand to greedy"


def make() -> Any:
    return gymnasium.make(ID, opponent="random")


@pytest.mark.parametrize("kind", [DummyVecEnv, SubprocVecEnv])
def test_it_learns_on_single_hands_in_this_process_and_in_others(kind: Any) -> None:
    env = kind([make, make])
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, seed=1, device="cpu").learn(256)
    env.close()
    assert model.num_timesteps == 256


@pytest.mark.filterwarnings("ignore:Your observation  has an unconventional shape:UserWarning")  # planes are eight rows of cards
def test_the_checker_of_stable_baselines_accepts_a_hand() -> None:
    check_env(GinRummyEnv())
