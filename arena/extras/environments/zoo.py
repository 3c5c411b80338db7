"""One hand between two agents, in PettingZoo's order of agents (AEC)."""

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import distribution
from arena.errors import InputError
from arena.extras.environments import pictures
from arena.gin.match import Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import watch
from arena.train.engine import hand_of, look_at
from arena.train.hands import Hands
from arena.train.native import ACTIONS
from arena.train.observations import PLANES, planes

try:
    from gymnasium.spaces import Box, Dict, Discrete, Space
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError:
    raise InputError(f"pettingzoo is not installed: {distribution.install('train')}") from None

Observed = dict[str, NDArray[Any]]


def env(rules: Rules | str | None = None, render_mode: str | None = None) -> "AECEnv[str, Observed, int]":
    """Return the environment in the wrapper that explains a call out of order."""
    return OrderedEnv(raw_env(rules, render_mode))


class OrderedEnv(OrderEnforcingWrapper[str, Observed, int]):
    """PettingZoo's wrapper, whose own copies would share the environment."""

    def __copy__(self) -> "OrderedEnv":
        """Return a copy that shares nothing."""
        return deepcopy(self)


class raw_env(AECEnv[str, Observed, int]):  # noqa: N801 - PettingZoo's name for what env() wraps
    """A hand under some rules; the reward of each agent is its points at the end.

    An observation holds ``planes`` (10 x 52) and the mask of the agent's legal actions (108); the mask is 0 while the agent waits.
    Raises: IllegalActionError.
    """

    metadata = {  # noqa: RUF012 - an attribute of PettingZoo's class
        "name": "arena_gin_rummy_v0",
        "render_modes": list(pictures.MODES),
        "render_fps": pictures.FPS,
        "is_parallelizable": False,
    }

    def __init__(self, rules: Rules | str | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        self.hands = Hands(1, rules, autoreset=False)
        self.render_mode = pictures.check(render_mode)
        self.possible_agents: list[str] = ["player_0", "player_1"]
        box: dict[str, Space[Any]] = {
            "observation": Box(0, 1, (PLANES, 52), np.uint8),
            "action_mask": Box(0, 1, (ACTIONS,), np.int8),
        }
        self.observation_spaces = {agent: Dict(box) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(ACTIONS) for agent in self.possible_agents}

    def __copy__(self) -> "raw_env":
        """Return a copy that shares nothing."""
        return deepcopy(self)

    def observation_space(self, agent: str) -> Any:  # noqa: ANN401 - as AECEnv has it
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:  # noqa: ANN401
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - there are none
        """Deal a new hand; with a seed, the same each time."""
        self.hands.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._acting()

    def observe(self, agent: str) -> Observed:
        """Return the observation of an agent, also while it waits and after the end of the hand."""
        if self.terminations.get(agent):
            bits, mask = self.hands.final_obs(self.possible_agents.index(agent)), np.zeros((1, ACTIONS), np.uint8)
        elif agent == self._acting():
            bits, mask = self.hands.look()
        else:
            bits, mask = look_at(watch(hand_of(self.hands.states[0], self.hands.rules), Scoreline()))
        return {"observation": planes(bits)[0], "action_mask": mask[0].astype(np.int8)}

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent; after the end each agent gives None once."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        rewards, done = self.hands.step(np.array([action]))
        self.rewards = dict(zip(self.agents, rewards[0].tolist(), strict=True))
        self.terminations = dict.fromkeys(self.agents, bool(done[0]))
        self._accumulate_rewards()
        self.agent_selection = self._acting()

    def render(self) -> Any:  # noqa: ANN401
        """Return what the selected agent sees, as text or a picture; or print it in the mode ``human``."""
        seat = self.possible_agents.index(self.agent_selection)
        return pictures.frame(self.render_mode, self.hands.states[0], self.hands.rules, seat)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _acting(self) -> str:
        return self.possible_agents[int(self.hands.states[0]["seat"])]
