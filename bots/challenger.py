"""Challenger: knocks in its first three turns or not at all, and throws for its seven best cards to come.

After the winner of the Gin Rummy EAAI Undergraduate Research Challenge of 2021 (its policy, measured anew; not its
program). Who hunts gin does not care for the average card but for the good ones: only the seven draws that would leave
least deadwood count. Deadwood to come weighs less every turn, by a tenth; the danger of a discard does not.
"""

from arena.sdk import Bot, Card, View, each
from arena.sdk.odds import danger, futures, helps, turn

BEST = 7  # draws that count
WEIGHT, DECAY = 18.0, 0.9  # of deadwood to come, and what is left of that each turn
MELD = 20.0  # of a meld that the opponent may make with the discard
EARLY = 3  # turns in which a knock is good


class Challenger(Bot):
    """Plays for a quick knock, then for gin."""

    def wants(self, view: View) -> bool:
        """Take what makes a meld and lowers the deadwood."""
        return helps(view)

    def throws(self, view: View) -> Card:
        """Throw the card that costs least."""
        return min(each(view.may_discard), key=lambda card: (cost(view, card), card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock before the opponent can be ready for it."""
        return turn(view) < EARLY


def cost(view: View, card: Card) -> float:
    """Return the weighed sum of deadwood to come and danger after throwing ``card``."""
    best = futures(view.without(card), view.unseen)[:BEST]
    return sum(best) / len(best) * WEIGHT * DECAY ** turn(view) + MELD * danger(view, card)
