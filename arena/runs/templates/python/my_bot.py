"""my-bot: keeps the least deadwood, and knocks late only with little of it."""

from arena.sdk import Bot, Card, View, deadwood, each
from arena.sdk.odds import turn

EARLY = 4  # turns in which any knock is good
LITTLE = 5  # points of deadwood with which a later knock is good


class MyBot(Bot):
    """``Bot`` decides everything else; `arena docs sdk` lists what you can use and override."""

    def throws(self, view: View) -> Card:
        """Discard the card that leaves least deadwood; of several the one with most cards of its rank in the discard pile."""
        return min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), -useless(view, card), -card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock early with anything, later with little."""
        self.note(f"could knock with {left} in turn {turn(view) + 1}")  # the replay shows it; the opponent never sees it
        return turn(view) < EARLY or left <= LITTLE


def useless(view: View, card: Card) -> int:
    """Return the number of cards of the same rank in the discard pile."""
    return sum(1 for other in view.pile if other % 13 == card % 13)
