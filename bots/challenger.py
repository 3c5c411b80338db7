"""Challenger: knocks in its first three turns or not at all, and throws for its seven best cards to come.

After the winner of the Gin Rummy EAAI Undergraduate Research Challenge of 2021 (its policy, measured anew; not its
program). Who hunts gin does not care for the average card but for the good ones: only the seven draws that would leave
least deadwood count. Deadwood to come weighs less every turn, by a tenth; the danger of a discard does not.

Measured on paired deals of the tournament rules: +5.19 ± 0.62 points a hand against Greedy (4,000 hands).
"""

from arena.sdk import Bot, Card, View, each
from arena.sdk.odds import danger, expected, turn

BEST = 7  # draws that count
WEIGHT, DECAY = 18.0, 0.9  # of deadwood to come, and what is left of that each turn
MELD = 20.0  # of a meld that the opponent may make with the discard
EARLY = 3  # turns in which a knock is good


class Challenger(Bot):
    """Plays for a quick knock, then for gin."""

    def throws(self, view: View) -> Card:
        """Throw the card that costs least."""
        weight = WEIGHT * DECAY ** turn(view)
        return min(each(view.may_discard), key=lambda card: weight * expected(view, card, BEST) + MELD * danger(view, card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock before the opponent can be ready for it."""
        return turn(view) < EARLY
