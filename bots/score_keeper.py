"""Score Keeper: plays as Challenger does, and lets turn and score say when to knock.

Points are not the game: who needs fifteen more has no use for gin, and who would lose the game by the opponent's gin
should not wait for one of its own. So it knocks early, as Challenger does; later, if what the opponent usually has left at
this turn makes the knock win the game, or if the opponent's gin would win it and the knock is likely to gain anything.
"""

from arena.sdk import Bot, Card, View, deadwood, each
from arena.sdk.odds import danger, expected, turn

BEST = 7  # draws that count
WEIGHT, DECAY = 18.0, 0.9  # of deadwood to come, and what is left of that each turn
MELD = 20.0  # of a meld that the opponent may make with the discard
EARLY = 3  # turns in which a knock is good at any score

USUAL = (53, 44, 36, 28, 23, 19, 15, 12, 10, 9, 8, 7, 6)
"""Deadwood of a good opponent after so many turns, on average: measured over 300 hands of Challenger and of Gin Hunter."""


class ScoreKeeper(Bot):
    """Knows what a knock is worth at this score."""

    def throws(self, view: View) -> Card:
        """Throw the card that costs least."""
        weight = WEIGHT * DECAY ** turn(view)
        return min(each(view.may_discard), key=lambda card: weight * expected(view, card, BEST) + MELD * danger(view, card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock early, to win the game, or to keep it from being lost."""
        if turn(view) < EARLY:
            return True
        gain = USUAL[min(turn(view), len(USUAL) - 1)] - left
        mine, theirs = view.score
        return gain > 0 and (mine + gain >= view.rules.target or theirs + loss(view) >= view.rules.target)


def loss(view: View) -> int:
    """Return what the opponent's gin would cost now."""
    return view.rules.gin_bonus + deadwood(view.cards)
