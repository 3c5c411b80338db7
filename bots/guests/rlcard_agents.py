"""Players of RLCard (Zha et al., 2020): any agent for its ``gin-rummy``, and the novice that comes with it.

Such an agent is asked with what RLCard's environment would show it: five rows of 52 (my cards, the top of the discard pile,
the rest of it, cards the opponent is known to hold, cards nobody has seen) and the numbers of the legal actions.

Where the rules differ. RLCard deals eleven cards to the first player, who begins with a discard: it has no upcard to take
or pass, which is asked here as a draw of either pile. It lays melds at their best; so does the referee here. It calls gin
by a name of its own, which is a knock that leaves nothing here. It plays for a reward and not for points, so its agents
knock as soon as they may.
"""

import subprocess
from collections import OrderedDict
from typing import Any
from unittest.mock import patch

import numpy as np

from arena.gin.cards import bits
from arena.sdk import Action, BigGin, Bot, Card, Cards, Discard, Draw, Knock, Take, View, deadwood, each

with patch.object(subprocess, "check_output", return_value=b""):  # RLCard asks pip for torch, and a bot may start no process
    from rlcard.models.gin_rummy_rule_models import GinRummyNoviceRuleAgent

DRAW, TAKE, GIN, DISCARD, KNOCK = 2, 3, 5, 6, 58  # RLCard's numbers of actions; of the last two, the first of 52


class RlcardBot(Bot):
    """Asks the agent that ``make`` makes."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self._agent = self.make()

    def make(self) -> Any:  # noqa: ANN401 - whatever has the method eval_step
        """Return the agent."""
        raise NotImplementedError

    def wants(self, view: View) -> bool:
        """Ask which pile to draw from."""
        return self._chosen(view, [DRAW, TAKE]) == TAKE

    def draw(self, view: View) -> Action:
        """Draw from the pile that the agent chooses."""
        return Take() if self.wants(view) else Draw()

    def discard(self, view: View) -> Action:
        """Throw, or knock with, the card that the agent chooses; gin with the first card that leaves nothing."""
        if "big_gin" in view.may:
            return BigGin()
        may = list(each(view.may_discard))
        knocks = [card for card in may if "knock" in view.may and deadwood(view.without(card)) <= view.rules.knock_limit]
        gins = [card for card in knocks if deadwood(view.without(card)) == 0]
        legal = [DISCARD + number(card) for card in may] + [KNOCK + number(card) for card in knocks] + ([GIN] if gins else [])
        chosen = self._chosen(view, sorted(legal))
        if chosen == GIN:
            return Knock(gins[0])
        return Knock(card_of(chosen - KNOCK)) if chosen >= KNOCK else Discard(card_of(chosen - DISCARD))

    def _chosen(self, view: View, legal: list[int]) -> int:
        np.random.seed(self.random.randrange(1 << 32))  # noqa: NPY002 - the source of chance that RLCard's agents use
        rows = np.array([_row(view.cards), _row(bits(view.pile[-1:])), _row(bits(view.pile[:-1])), *map(_row, _hidden(view))])
        state = {"obs": rows, "raw_obs": rows, "legal_actions": OrderedDict.fromkeys(legal), "raw_legal_actions": legal}
        chosen, _ = self._agent.eval_step(state)
        return int(chosen)


class Novice(RlcardBot):
    """RLCard's novice: draws from either pile by chance, throws what leaves least deadwood, knocks as soon as it may."""

    def make(self) -> GinRummyNoviceRuleAgent:
        """Return the novice."""
        return GinRummyNoviceRuleAgent()


def number(card: Card) -> int:
    """Return RLCard's number of a card: its suits come in the order of spades, hearts, diamonds, clubs."""
    return 13 * (3 - card // 13) + card % 13


card_of = number  # the order of suits is turned round: twice is not at all


def _hidden(view: View) -> tuple[Cards, Cards]:
    return view.opponent_holds, view.unseen


def _row(cards: Cards) -> list[int]:
    held = set(map(number, each(cards)))
    return [int(one in held) for one in range(52)]
