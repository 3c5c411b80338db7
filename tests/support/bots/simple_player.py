"""A bot that plays by the kernel's copy of OpenSpiel's simple bot, whether the kernel is compiled or not."""

import numpy as np

from arena.gin.cards import Cards, bits
from arena.gin.match import Phase
from arena.gin.view import View
from arena.sdk import Action, Bot
from arena.train import calls
from arena.train.calls import Networks
from arena.train.checks import STATE
from arena.train.engine import action_of, state_of
from arena.train.native import POLICY, SIMPLE, TURNS
from arena.train.rule_tables import terms_of


class SimplePlayer(Bot):
    """Asks the kernel at each decision."""

    def answer(self, view: View) -> Action:
        """Return the kernel's action, or the SDK's, which melds for it."""
        return super().answer(view) if view.phase is Phase.LAY_OFF else action_of(simple_action(view))


def simple_action(view: View, held: Cards | None = None) -> int:
    """Return the number of the action of the policy at a decision, with other cards than its own if some are given."""
    state = state_of(view, view.opponent_holds)
    for name in ("held", "took", "threw"):
        state[name] = state[name][:, ::-1]
    state["seat"] = 1
    if held is not None:
        state["held"][:, 1] = held
        assert not held & bits(view.pile)
    actions = np.zeros(1, np.int32)
    arrays = {
        "states": state,
        "scratch": np.zeros(1, STATE),
        "places": np.zeros(1, np.int64),
        "actions": actions,
        "chance": np.zeros((1, TURNS)),
        "knocking": np.zeros((2, TURNS, 101)),
    }
    calls.ask(arrays, terms_of(view.rules), Networks([]), size=1, player=POLICY, other=SIMPLE)
    return int(actions[0])
