"""``python tests/studies/ppo.py --steps 200000``: MaskablePPO of sb3-contrib against greedy, on a ``VectorHands``.

It shows how to connect the learner of another library: ``pip install sb3-contrib`` brings PyTorch. A hand's points are divided by
50, since PPO wants returns of about 1.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

from arena.extras.environments.gym import VectorHands

SCALE = 50  # points


class Table(VecEnv):
    """Hands as stable-baselines3 wants them: masks by a method, and the last observation of a hand in its row's information."""

    def __init__(self, size: int) -> None:
        self.hands = VectorHands(size)
        self.render_mode = None
        self.seed_of_reset: int | None = None
        super().__init__(size, self.hands.single_observation_space, self.hands.single_action_space)

    def reset(self) -> Any:
        """Deal new hands."""
        observed, self.info = self.hands.reset(seed=self.seed_of_reset)
        return observed

    def step_async(self, actions: Any) -> None:
        """Store the actions of the next step."""
        self.actions = actions

    def step_wait(self) -> Any:
        """Play the stored actions; return observations, scaled rewards, ends and information."""
        observed, points, over, _, self.info = self.hands.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(over):
            infos[row] = {"terminal_observation": self.info["final_obs"][row], "episode": {"r": points[row], "l": 1, "t": 0}}
        return observed, (points / SCALE).astype(np.float32), over, infos

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Use a seed from the next reset on."""
        self.seed_of_reset = seed
        return [seed] * self.num_envs

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether there is such an attribute: the masks."""
        return attr_name == "action_masks"

    def env_method(self, method_name: str, *_: Any, **__: Any) -> list[Any]:
        """Return the masks."""
        assert method_name == "action_masks"
        return list(self.info["action_mask"] == 1)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, once for each row."""
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all rows."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each row."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Close the environment."""
        self.hands.close()


def evaluate(model: MaskablePPO, hands: int) -> tuple[float, float]:
    """Return the mean points of a hand against greedy, and half the width of its 95 % interval."""
    env = VectorHands(hands)  # the first hand of each row is counted; the first to end, of all rows, would be mostly short ones
    observed, info = env.reset(seed=999)
    points = np.full(hands, np.nan)
    while np.isnan(points).any():
        actions, _ = model.predict(observed, action_masks=info["action_mask"] == 1, deterministic=True)
        observed, rewards, over, _, info = env.step(actions)
        points = np.where(np.isnan(points) & over, rewards, points)
    return float(np.mean(points)), float(1.96 * np.std(points) / len(points) ** 0.5)


def learn(steps: int) -> MaskablePPO:
    """Return what is learned in some decisions."""
    table = Table(256)
    model = MaskablePPO("MlpPolicy", table, n_steps=64, batch_size=2048, n_epochs=4, gamma=1.0, ent_coef=0.01, seed=1, device="cpu")
    return model.learn(steps)


def main() -> None:
    """Train and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000, help="decisions of the learner")
    model = learn(parser.parse_args().steps)
    print("{:+.1f} ± {:.1f} points a hand against greedy".format(*evaluate(model, 2000)))


if __name__ == "__main__":
    main()
