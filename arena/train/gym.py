"""Many hands as a vector environment of Gymnasium, with the learner at one seat and an opponent at the other."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena import distribution
from arena.errors import InputError
from arena.gin.rules import Rules
from arena.train.hands import Hands, Player, Policy
from arena.train.native import ACTIONS
from arena.train.sets import PLANES, planes

try:
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise InputError(f"gymnasium is not installed: {distribution.install('train')}") from None

Planes = NDArray[np.uint8]
Step = tuple[Planes, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class VectorHands(VectorEnv[Planes, ArrayLike, NDArray[Any]]):
    """``num_envs`` hands at once; an episode is a hand, and its reward is the learner's points at the end.

    Observations are ``planes`` (hands x 8 x 52); ``info["action_mask"]`` has the legal actions (int8, hands x 108, as
    ``Discrete.sample`` wants it). The next hand is dealt within the step that ends one: where ``info["_final_obs"]`` is set,
    ``info["final_obs"]`` holds the learner's last observation, and ``info["final_info"]["ending"]`` the index in ``list(Ending)``.
    Arrays that are returned are not overwritten later.

    Raises: ValueError, as ``Hands`` does; IllegalActionError, in a step.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - an attribute of Gymnasium's class

    def __init__(
        self, num_envs: int = 1, rules: Rules | None = None, *, opponent: Player | Policy = "greedy", learner: int = 0
    ) -> None:
        self.hands = Hands(num_envs, rules, opponent=opponent, learner=learner)
        self.num_envs = num_envs
        self.single_observation_space = Box(0, 1, (PLANES, 52), np.uint8)
        self.single_action_space = Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Deal a new hand in each row; with a seed, the same hands and the same chance each time. There are no options."""
        super().reset(seed=seed, options=options)
        self.hands.reset(seed)
        return self._look()

    def step(self, actions: ArrayLike) -> Step:
        """Play an action in each row, and the opponent's until the learner is to act again."""
        rewards, done = self.hands.step(actions)
        points, ended = rewards[:, self.hands.learner].astype(np.float64), done.copy()
        observed, info = self._look()
        if ended.any():
            final = np.full(self.num_envs, None, object)
            for row, last in zip(np.flatnonzero(ended), planes(self.hands.final_obs()[ended]), strict=True):
                final[row] = last
            endings = np.where(ended, self.hands.ended["ending"], 0)
            info |= {"final_obs": final, "_final_obs": ended.copy()}
            info |= {"final_info": {"ending": endings, "_ending": ended.copy()}, "_final_info": ended.copy()}
        return observed, points, ended, np.zeros(self.num_envs, np.bool_), info

    def _look(self) -> tuple[Planes, dict[str, Any]]:
        bits, mask = self.hands.look()
        return planes(bits), {"action_mask": mask.astype(np.int8), "_action_mask": np.ones(self.num_envs, np.bool_)}
