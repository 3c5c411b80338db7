"""my-bot: plays by a policy of an environment of arena, whose weights export.py writes to my_bot.npz."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.sdk import Action, Bot, View
from arena.train import action_of, look_at, planes

WEIGHTS = Path(__file__).with_suffix(".npz")


class MyBot(Bot):
    """Chooses as in training: it gets the observation and the mask that the environments give for the same hand."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        with np.load(WEIGHTS) as stored:
            self.activation = str(stored["activation"])
            self.layers = [(stored[f"weight_{n}"], stored[f"bias_{n}"]) for n in range(len(stored) // 2)]

    def act(self, view: View) -> Action:
        """Return the action of the policy."""
        bits, mask = look_at(view)
        return action_of(self.policy(planes(bits)[0], mask[0]))

    upcard = draw = discard = act

    def policy(self, observation: NDArray[np.uint8], mask: NDArray[np.uint8]) -> int:
        """Return the best legal action (of 108) for an observation (10 x 52); any policy in these shapes may replace it."""
        values = observation.ravel().astype(np.float32)
        for weight, bias in self.layers[:-1]:
            values = weight @ values + bias
            values = np.maximum(values, 0) if self.activation == "relu" else np.tanh(values)
        weight, bias = self.layers[-1]
        return int(np.where(mask == 1, weight @ values + bias, -np.inf).argmax())
