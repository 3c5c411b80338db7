"""One hand, from the deal to a knock, a gin or a dead hand. Source: R2-R8.

A hand is an immutable value: ``hand.play(action)`` returns the next one or raises IllegalActionError. So a replay is a fold over
the actions, and a bot can search with the referee's own engine. ``arena.gin.moves`` has the rules of each action.
"""

from arena.gin import moves
from arena.gin.actions import Action, Kind, Laid, Phase
from arena.gin.cards import Cards, bits
from arena.gin.deal import Deal
from arena.gin.rules import Rules
from arena.gin.score import Situation

__all__ = ["Hand", "Laid", "Phase", "replay"]


class Hand(Situation, frozen=True):
    """A hand at one moment, and what may follow."""

    @staticmethod
    def start(deal: Deal, rules: Rules) -> "Hand":
        """Deal ten cards each, the non-dealer first, and turn the upcard. Rule: R2.1, R3.5."""
        first = 1 - deal.dealer
        held = {first: bits(deal.deck[0:20:2]), deal.dealer: bits(deal.deck[1:20:2])}
        phase = Phase.UPCARD if rules.first_turn == "upcard" else Phase.DRAW
        return Hand(rules, deal.deck, deal.dealer, phase, first, (held[0], held[1]), deal.deck[20:21])

    @property
    def stock(self) -> int:
        """Return the number of cards in the stock."""
        return self.bottom - self.top

    def play(self, action: Action) -> "Hand":
        """Return the hand after ``action`` of the acting seat. Raises: IllegalActionError, with the clause."""
        return moves.play(self, action)

    def may(self) -> tuple[Kind, ...]:
        """Return the kinds of action that are legal now, with at least one card."""
        return moves.may(self)

    def may_discard(self) -> Cards:
        """Return the cards that may be discarded now, openly or with a knock. Rule: R4.2, R4.3."""
        return moves.may_discard(self)


def replay(deal: Deal, rules: Rules, actions: tuple[Action, ...]) -> Hand:
    """Return the hand after ``actions`` from ``deal``. Raises: IllegalActionError."""
    hand = Hand.start(deal, rules)
    for action in actions:
        hand = hand.play(action)
    return hand
