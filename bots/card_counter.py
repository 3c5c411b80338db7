"""Card Counter: throws so that the next card from the stock, whichever comes, leaves least deadwood on average.

Greedy sees the deadwood of now; this bot looks one draw ahead and counts only cards that can still come. That keeps
pairs and neighbours of which cards are live and lets go those whose partners lie in the discard pile. It knocks as
soon as it may.
"""

from arena.sdk import Bot, Card, View, each
from arena.sdk.odds import futures, helps


class CardCounter(Bot):
    """Takes the upcard only for a meld; throws for the best next turn."""

    def wants(self, view: View) -> bool:
        """Take what makes a meld and lowers the deadwood."""
        return helps(view)

    def throws(self, view: View) -> Card:
        """Throw the card without which the next draw is worth most."""
        return min(each(view.may_discard), key=lambda card: (sum(futures(view.without(card), view.unseen)), card))
