"""Professor: plays as Scholar does, by networks that know more of the opponent and learned from seven times as many hands.

Five new inputs of a position are about what the opponent has thrown and refused: low throws show little deadwood, and a discard is
safer if the pairs that need it would have made a meld with a card that the opponent left. ``bots/training/teach.py`` trained the
networks on hands of the kernel of ``arena.train``; playing needs no kernel. It ignores the score: to knock
whenever that should win the game changed its share of games to 100 points by -0.1 ± 2.0 %.

The parameters add to what the networks expect, in points, and at 0 they do nothing. ``arena exploit`` tunes them against a bot.

Measured on paired deals of the tournament rules: +1.03 ± 0.25 points a hand against Scholar, +5.89 ± 0.21 against Greedy (40,000
hands each, ``python -m arena_bots.training.teach bots/professor.json --measure 40000``).
"""

from pathlib import Path

from arena.gin.cards import VALUES
from arena.sdk import Card, Cards, Parameter, View, deadwood, each
from arena.sdk.network import Network, load
from arena.sdk.odds import danger, turn

from .common.values import Valuer, knock_position, position

LEARNED = Path(__file__).with_name("professor.json")
EARLY = 4  # turns of a hand in which ``early`` counts, and after which ``late`` does
NO_THROW = 11  # stands for the least value of the opponent's throws, before it has thrown


class Professor(Valuer):
    """Chooses the position with the highest value."""

    early = Parameter(0.0, low=-20.0, high=20.0, step=0.5)  # of a knock in the first turns
    late = Parameter(0.0, low=-20.0, high=20.0, step=0.5)  # of a knock after them
    greed = Parameter(0.0, low=-8.0, high=8.0, step=0.25)  # of a card that is taken
    fear = Parameter(0.0, low=-6.0, high=6.0, step=0.25)  # against a discard, for each meld that the opponent may make with it
    haste = Parameter(0.0, low=-0.6, high=0.6, step=0.02)  # of each point of deadwood less

    def __init__(self, seed: str = "", networks: dict[str, Network] | None = None) -> None:
        super().__init__(seed, networks or load(LEARNED))

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

    def position(self, view: View, held: Cards, thrown: Card | None) -> list[float]:
        """Return Scholar's inputs, and five more."""
        threw, against = view.threw[1], view.threw[1] | view.threw[0] & ~view.took[1]
        return [
            *position(view, held, thrown),
            0.0 if thrown is None else danger(view, thrown, against),
            *values_of(threw),
            0.0 if thrown is None else (near(thrown) & threw).bit_count(),
            view.unseen.bit_count(),
        ]

    def knock_position(self, view: View, left: int) -> list[float]:
        """Return Scholar's inputs, and two more."""
        return [*knock_position(view, left), *values_of(view.threw[1])]


def values_of(threw: Cards) -> tuple[float, float]:
    """Return the least and the average value of some cards, in points."""
    values = [VALUES[card] for card in each(threw)]
    return (min(values), sum(values) / len(values)) if values else (NO_THROW, 10.0)


def near(card: Card) -> Cards:
    """Return the cards of the same rank, and those beside it in its suit."""
    rank = card % 13
    beside = (rank < 12) << card + 1 | ((rank > 0) << card >> 1)
    return beside | sum(1 << other for other in range(rank, 52, 13) if other != card)
