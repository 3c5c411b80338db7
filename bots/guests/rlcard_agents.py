"""Players of RLCard (Zha et al., 2020): any agent for its ``gin-rummy``, and the novice that comes with it.

Such an agent expects the observation of RLCard's environment: five rows of 52 (my cards, the top of the discard pile, the rest
of it, the opponent's known cards, unseen cards) and the numbers of the legal actions.

Differences in the rules: RLCard deals eleven cards to the first player, who begins with a discard. It has no upcard to take or
pass, so for that the adapter asks as for a draw. It lays the best melds, as the referee does here. It has a separate action for
gin; here gin is a knock without deadwood. Its agents play for a reward and not for points, so they knock as soon as they may.
"""

import subprocess
from collections import OrderedDict
from typing import Any
from unittest.mock import patch

import numpy as np

from arena.gin.cards import bits
from arena.sdk import Action, BigGin, Bot, Card, Cards, Discard, Draw, Knock, Take, View, deadwood, each

with patch.object(
    subprocess, "check_output", return_value=b""
):  # RLCard runs pip to look for torch, and a bot cannot start a process
    from rlcard.models.gin_rummy_rule_models import GinRummyNoviceRuleAgent

DRAW, TAKE, GIN, DISCARD, KNOCK = 2, 3, 5, 6, 58  # RLCard's numbers of actions; DISCARD and KNOCK are the first of 52 each


class RlcardBot(Bot):
    """Plays as the agent that ``make`` returns."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self._agent = self.make()

    def make(self) -> Any:  # noqa: ANN401 - any object with the method eval_step
        """Return the agent."""
        raise NotImplementedError

    def wants(self, view: View) -> bool:
        """Tell whether the agent takes the upcard."""
        return self._ask(view, [DRAW, TAKE]) == TAKE

    def draw(self, view: View) -> Action:
        """Draw from the pile that the agent chooses."""
        return Take() if self.wants(view) else Draw()

    def discard(self, view: View) -> Action:
        """Discard or knock with the card that the agent chooses; go gin with the first card that leaves no deadwood."""
        if "big_gin" in view.may:
            return BigGin()
        may = list(each(view.may_discard))
        knocks = list(each(view.may_knock))
        gins = [card for card in knocks if deadwood(view.without(card)) == 0]
        legal = [DISCARD + number(card) for card in may] + [KNOCK + number(card) for card in knocks] + ([GIN] if gins else [])
        chosen = self._ask(view, sorted(legal))
        if chosen == GIN:
            return Knock(gins[0])
        return Knock(card_of(chosen - KNOCK)) if chosen >= KNOCK else Discard(card_of(chosen - DISCARD))

    def _ask(self, view: View, legal: list[int]) -> int:
        np.random.seed(self.random.randrange(1 << 32))  # noqa: NPY002 - RLCard's agents use the global generator
        rows = np.array([_row(view.cards), _row(bits(view.pile[-1:])), _row(bits(view.pile[:-1])), *map(_row, _hidden(view))])
        state = {"obs": rows, "raw_obs": rows, "legal_actions": OrderedDict.fromkeys(legal), "raw_legal_actions": legal}
        chosen, _ = self._agent.eval_step(state)
        return int(chosen)


class Novice(RlcardBot):
    """RLCard's novice: draws from either pile at random, discards what leaves least deadwood, knocks as soon as it may."""

    def make(self) -> GinRummyNoviceRuleAgent:
        """Return the novice."""
        return GinRummyNoviceRuleAgent()


def number(card: Card) -> int:
    """Return RLCard's number of a card, whose suits are in the order spades, hearts, diamonds, clubs."""
    return 13 * (3 - card // 13) + card % 13


card_of = number  # the order of suits is reversed, so the function is its own inverse


def _hidden(view: View) -> tuple[Cards, Cards]:
    return view.opponent_holds, view.unseen


def _row(cards: Cards) -> list[int]:
    held = set(map(number, each(cards)))
    return [int(one in held) for one in range(52)]
