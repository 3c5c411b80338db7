"""``python train.py`` trains MaskablePPO of sb3-contrib against greedy on single hands, and saves policy.zip.

It shows how to connect a learner, not how to win. It needs ``pip install sb3-contrib``, which brings torch.
"""

import argparse

import gymnasium
from sb3_contrib import MaskablePPO

import arena.extras.environments.gym  # noqa: F401 - registers the environment


def main() -> None:
    """Train, and save the policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000, help="decisions of the learner")
    env = gymnasium.wrappers.TransformReward(gymnasium.make("arena/GinRummy-v0", opponent="greedy"), lambda points: points / 50)
    model = MaskablePPO("MlpPolicy", env, gamma=1.0, ent_coef=0.01, seed=1, device="cpu")
    model.learn(parser.parse_args().steps)
    model.save("policy.zip")


if __name__ == "__main__":
    main()
