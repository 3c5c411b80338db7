"""A bot that plays by networks which know more of the opponent than Scholar's, and learned from seven times as many hands.

Five inputs of a position are about what the opponent has thrown and refused: low throws show little deadwood, and a discard is
safer if the pairs that need it would have made a meld with a card that the opponent left. ``bots/training/teach.py`` trained the
networks on hands of the kernel of ``arena.train``; playing needs no kernel. Professor and Searcher play by them.
"""

from pathlib import Path

from arena.gin.cards import VALUES
from arena.sdk import Card, Cards, View, each
from arena.sdk.network import Network, load
from arena.sdk.odds import danger

from .values import Valuer, knock_position, position

LEARNED = Path(__file__).with_name("taught.json")
NO_THROW = 11  # stands for the least value of the opponent's throws, before it has thrown


class Taught(Valuer):
    """Chooses the position with the highest value."""

    def __init__(self, seed: str = "", networks: dict[str, Network] | None = None) -> None:
        super().__init__(seed, networks or load(LEARNED))

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
    """Return the least and the average value of some cards, in points; of none 11 and 10."""
    values = [VALUES[card] for card in each(threw)]
    return (min(values), sum(values) / len(values)) if values else (NO_THROW, 10.0)


def near(card: Card) -> Cards:
    """Return the cards of the same rank, and those beside it in its suit."""
    rank = card % 13
    beside = (rank < 12) << card + 1 | (1 << card >> 1 if rank else 0)
    return beside | sum(1 << other for other in range(rank, 52, 13) if other != card)
