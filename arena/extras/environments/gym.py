"""Hands as environments of Gymnasium, with the learner at one seat and an opponent at the other.

The import registers ``arena/GinRummy-v0``: Gymnasium 1.0 gave up the entry points by which a package did that unasked, so name this
module, ``gymnasium.make("arena.extras.environments.gym:arena/GinRummy-v0")``, or import it first.
"""

from copy import deepcopy
from math import isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena import distribution
from arena.errors import InputError
from arena.extras.environments import pictures
from arena.gin.rules import Rules
from arena.train import checks
from arena.train.hands import Hands, Ints, Policy
from arena.train.native import ACTIONS, OVER
from arena.train.observations import PLANES, planes

try:
    from gymnasium import Env, register, registry
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise InputError(f"gymnasium is not installed: {distribution.install('train')}") from None

Planes = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Step = tuple[Planes, NDArray[np.float64], Mask, Mask, dict[str, Any]]

ID: Final = "arena/GinRummy-v0"
ILLEGAL: Final = -50.0  # points; what a fault costs a bot by default (``arena.limits.FaultCosts``)


class VectorHands(VectorEnv[Planes, ArrayLike, NDArray[Any]]):
    """``num_envs`` hands at once; an episode is a hand, and its reward is the learner's points at the end.

    Observations are ``planes`` (hands x 10 x 52); ``info["action_mask"]`` has the legal actions (int8, hands x 108, as
    ``Discrete.sample`` wants it). An illegal action ends the hand with ``illegal_reward``; with None it raises IllegalActionError.
    A hand that ended has ``ending`` in its information, an index in ``list(Ending)``, or -1 after an illegal action.

    ``autoreset_mode``: when the next hand is dealt. SAME_STEP: in the step that ends one, which has the last observation and
    information in ``info["final_obs"]`` and ``info["final_info"]``. NEXT_STEP: in the next step, which ignores the row's action.
    DISABLED: by ``reset(options={"reset_mask": mask})``. A new hand that ends before the learner acts is skipped.

    Opponents and rules are those of ``Hands``. Arrays that are returned are not overwritten later.

    Raises: ValueError, as ``Hands`` does.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - an attribute of Gymnasium's class
        "render_modes": list(pictures.MODES),
        "render_fps": pictures.FPS,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str | None = None,
        *,
        opponent: str | Policy = "greedy",
        learner: int = 0,
        illegal_reward: float | None = ILLEGAL,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
    ) -> None:
        self.mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.mode}
        self.render_mode = pictures.check(render_mode)
        if opponent is None:
            raise ValueError("opponent: None; expected the name of a player, or a function")
        self.hands = Hands(num_envs, rules, opponent=opponent, learner=learner, autoreset=self.mode is AutoresetMode.SAME_STEP)
        self.num_envs = len(self.hands)
        self.illegal_reward = _illegal_reward(illegal_reward)
        self.single_observation_space = Box(0, 1, (PLANES, 52), np.uint8)
        self.single_action_space = Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._over = np.zeros(self.num_envs, np.bool_)  # rows whose hand has ended and is not replaced yet
        self._deal(self.hands.states["phase"] == OVER)
        self._look()

    def __copy__(self) -> "VectorHands":
        """Return a copy that shares nothing."""
        return deepcopy(self)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Deal a new hand in each row, or only in those of ``options["reset_mask"]``; with a seed, the same hands each time.

        Raises: ValueError, for other options or masks.
        """
        super().reset(seed=seed)
        self._deal(_reset_mask(options or {}, self.num_envs), seed)
        return self._look()

    def step(self, actions: ArrayLike) -> Step:
        """Play an action in each row, and the opponent's until the learner is to act again. Raises: ValueError."""
        chosen = checks.whole_numbers("actions", actions, (self.num_envs,), ACTIONS - 1)
        over, illegal = self._over, self._illegal(chosen)
        idle, seen = over | illegal, self.hands.bits[illegal]
        rewards, done = self.hands.step(chosen[~idle], ~idle) if idle.any() else self.hands.step(chosen)
        points, ended = rewards[:, self.hands.learner].astype(np.float64), done | illegal
        points[illegal] = self.illegal_reward
        last, final = self._last(ended, illegal, seen) if ended.any() else (None, {})
        same = self.mode is AutoresetMode.SAME_STEP
        self._deal(illegal if same else over)
        self._over = np.zeros_like(ended) if same else ended
        observed, info = self._look()
        if last is not None and same:
            info |= _before_reset(ended, last, final)
        elif last is not None:
            observed[ended], info["action_mask"][ended] = last, 0
            info |= final
        return observed, points, ended.copy(), np.zeros(self.num_envs, np.bool_), info

    def render(self) -> tuple[Any, ...] | None:
        """Return what the learner sees of each hand, or print it in the mode ``human``."""
        frames = [pictures.frame(self.render_mode, state, self.hands.rules, self.hands.learner) for state in self.hands.states]
        return None if frames[0] is None else tuple(frames)

    def _illegal(self, chosen: NDArray[Any]) -> Mask:
        """Return a mask of the rows that an illegal action ends; without ``illegal_reward``, the kernel raises an error instead.

        Raises: ValueError, if a hand is over that no step replaces.
        """
        if self.mode is AutoresetMode.DISABLED and self._over.any():
            raise ValueError(f"row {int(self._over.argmax())}: the hand is over; expected a reset of the row before this step")
        if self.illegal_reward is None:
            return np.zeros(self.num_envs, np.bool_)
        return np.asarray(~self._over & (self.hands.mask[np.arange(self.num_envs), chosen] == 0))

    def _last(self, ended: Mask, illegal: Mask, seen: Ints) -> tuple[Planes, dict[str, Any]]:
        """Return the last observations of the hands that ended, and their information; ``seen`` are those of the illegal rows."""
        bits = self.hands.final_obs().copy()
        bits[illegal] = seen
        return planes(bits[ended]), {"ending": np.where(illegal, -1, self.hands.ended["ending"] * ended), "_ending": ended.copy()}

    def _deal(self, rows: Mask, seed: int | None = None) -> None:
        """Deal new hands in some rows until the learner is to act in each."""
        self._over = self._over & ~rows
        while rows.any():
            self.hands.reset(seed, rows)
            rows, seed = rows & (self.hands.states["phase"] == OVER), None

    def _look(self) -> tuple[Planes, dict[str, Any]]:
        bits, mask = self.hands.look()
        return planes(bits), {"action_mask": mask.astype(np.int8), "_action_mask": np.ones(self.num_envs, np.bool_)}


class GinRummyEnv(Env[Planes, int]):
    """One hand, with the spaces, rewards, information and arguments of ``VectorHands``.

    ``action_masks`` is what sb3-contrib asks for. Raises: ValueError, as ``Hands`` does.
    """

    metadata: dict[str, Any] = {"render_modes": list(pictures.MODES), "render_fps": pictures.FPS}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        rules: Rules | str | None = None,
        *,
        opponent: str | Policy = "greedy",
        learner: int = 0,
        illegal_reward: float | None = ILLEGAL,
        render_mode: str | None = None,
    ) -> None:
        self._row = VectorHands(
            1,
            rules,
            opponent=opponent,
            learner=learner,
            illegal_reward=illegal_reward,
            autoreset_mode=AutoresetMode.DISABLED,
            render_mode=render_mode,
        )
        self.render_mode = render_mode
        self.observation_space = self._row.single_observation_space
        self.action_space = self._row.single_action_space

    def __copy__(self) -> "GinRummyEnv":
        """Return a copy that shares nothing."""
        return deepcopy(self)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Deal a new hand; with a seed, the same each time. Raises: ValueError, for an option."""
        super().reset(seed=seed)
        if options:
            raise ValueError(f"options: {', '.join(map(str, options))}; expected none")
        observed, info = self._row.reset(seed=seed)
        self._show()
        return observed[0], _first_row(info)

    def step(self, action: int) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Play an action, and the opponent's until the learner is to act again. Raises: ValueError."""
        observed, points, over, _, info = self._row.step(np.array([action]))
        self._show()
        return observed[0], float(points[0]), bool(over[0]), False, _first_row(info)

    def action_masks(self) -> Mask:
        """Return a mask of the legal actions (108)."""
        return np.asarray(self._row.hands.mask[0] == 1)

    def render(self) -> Any:  # noqa: ANN401 - as Env has it
        """Return what the learner sees, as text or a picture; in the mode ``human``, each reset and step prints it."""
        frames = self._row.render() if self.render_mode != "human" else None
        return frames and frames[0]

    def _show(self) -> None:
        if self.render_mode == "human":
            self._row.render()


def _autoreset_mode(given: AutoresetMode | str) -> AutoresetMode:
    """Return a mode by its name or value. Raises: ValueError."""
    named = {name: mode for mode in AutoresetMode for name in (mode, mode.name, mode.value)}
    if given not in named:
        raise ValueError(f"autoreset_mode: {given!r:.80}; expected {', '.join(mode.name for mode in AutoresetMode)}")
    return named[given]


def _illegal_reward(given: float | None) -> float | None:
    """Return the reward of an illegal action, if there is one. Raises: ValueError."""
    if given is not None and not (isinstance(given, (int, float, np.number)) and isfinite(given)):
        raise ValueError(f"illegal_reward: {given!r:.80}; expected points, or None")
    return given


def _reset_mask(options: dict[str, Any], size: int) -> Mask:
    """Return the mask of the rows to reset, by default all. Raises: ValueError."""
    unknown = [str(option) for option in options if option != "reset_mask"]
    if unknown:
        raise ValueError(f"options: {', '.join(unknown)}; expected reset_mask alone")
    mask = np.asarray(options.get("reset_mask", np.ones(size, np.bool_)))
    if mask.dtype != np.bool_ or mask.shape != (size,) or not mask.any():
        raise ValueError(f"reset_mask: {mask.dtype}, shape {mask.shape}; expected {size} truth values, at least one of them True")
    return mask


def _before_reset(ended: Mask, last: Planes, final: dict[str, Any]) -> dict[str, Any]:
    """Return the last observation and information of the hands that were replaced within the step."""
    observed = np.full(len(ended), None, object)
    for row, one in zip(np.flatnonzero(ended), last, strict=True):
        observed[row] = one
    return {"final_obs": observed, "_final_obs": ended.copy(), "final_info": final, "_final_info": ended.copy()}


def _first_row(info: dict[str, Any]) -> dict[str, Any]:
    """Return the information of one hand, as numbers and arrays of it alone."""
    return {name: value[0] if value[0].shape else int(value[0]) for name, value in info.items() if not name.startswith("_")}


if ID not in registry:
    register(ID, entry_point=f"{__name__}:GinRummyEnv", vector_entry_point=f"{__name__}:VectorHands")
