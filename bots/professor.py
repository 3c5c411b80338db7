"""Professor: plays by networks that know what the opponent threw and refused, :mod:`arena_bots.common.taught`.

It ignores the score: to knock whenever that should win the game changed its share of games to 100 points by -0.1 ± 2.0 %.

The parameters add to what the networks expect, in points, and at 0 they do nothing. ``arena exploit`` tunes them against a bot.

Measured on paired deals of the tournament rules: +1.03 ± 0.25 points a hand against Scholar, +5.89 ± 0.21 against Greedy (40,000
hands each, ``python -m arena_bots.training.teach bots/common/taught.json --measure 40000``).
"""

from arena.sdk import Card, Cards, Parameter, View, deadwood
from arena.sdk.odds import danger, turn

from .common.taught import Taught

EARLY = 4  # turns of a hand in which ``early`` counts, and after which ``late`` does


class Professor(Taught):
    """Chooses the position with the highest value."""

    early = Parameter(0.0, low=-20.0, high=20.0, step=0.5)  # of a knock in the first turns
    late = Parameter(0.0, low=-20.0, high=20.0, step=0.5)  # of a knock after them
    greed = Parameter(0.0, low=-8.0, high=8.0, step=0.25)  # of a card that is taken
    fear = Parameter(0.0, low=-6.0, high=6.0, step=0.25)  # against a discard, for each meld that the opponent may make with it
    haste = Parameter(0.0, low=-0.6, high=0.6, step=0.02)  # of each point of deadwood less

    def knock_value(self, view: View, left: int) -> float:
        """Return the points that a knock with ``left`` points of deadwood is worth."""
        return super().knock_value(view, left) + (self.early if turn(view) < EARLY else self.late)

    def draw_value(self, view: View) -> float:
        """Return the points that a draw is worth."""
        return super().draw_value(view) - self.greed - self.haste * deadwood(view.cards)

    def throw_value(self, view: View, held: Cards, card: Card) -> float:
        """Return the points that ten cards are worth after the discard of ``card``."""
        points = super().throw_value(view, held, card)
        if self.fear:
            points -= self.fear * danger(view, card)
        return points - self.haste * deadwood(held)
