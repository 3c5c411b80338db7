"""my-bot: keeps the least deadwood, and knocks late only with little of it."""

from arena.sdk import Bot, Card, View, deadwood, each
from arena.sdk.odds import turn

EARLY = 4  # turns in which any knock is good
LITTLE = 5  # points of deadwood that are good enough later


class MyBot(Bot):
    """What it does not decide, ``Bot`` decides; arena/sdk/README.md tells what there is to know and to override."""

    def throws(self, view: View) -> Card:
        """Throw the card that leaves least deadwood; of several the one that the opponent was last seen to have no use for."""
        return min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), -useless(view, card), -card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock early with anything, later with little."""
        return turn(view) < EARLY or left <= LITTLE


def useless(view: View, card: Card) -> int:
    """Return how many cards of the same rank lie in the discard pile."""
    return sum(1 for other in view.pile if other % 13 == card % 13)
