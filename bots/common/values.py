"""A bot that chooses the position with the highest value, as networks estimate it; Scholar and Professor are two.

Each decision compares values: of the discards; of the upcard with the best discard and a card from the stock; of a knock and
playing on.
"""

from bisect import bisect_left, bisect_right

from arena.gin.cards import VALUES
from arena.gin.match import Phase
from arena.sdk import Bot, Card, Cards, View, deadwood, each
from arena.sdk.bot import least_left
from arena.sdk.network import Network
from arena.sdk.odds import completes, danger, futures, melded, turn

SLACK = 10  # a discard is considered if it leaves at most this many points above the least deadwood


class Valuer(Bot):
    """Chooses by three networks: the value of a position after a discard, of one before a draw, and of a knock now."""

    def __init__(self, seed: str, networks: dict[str, Network]) -> None:
        super().__init__(seed)
        self.after, self.before, self.knock = networks["after"], networks["before"], networks["knock"]

    def wants(self, view: View) -> bool:
        """Take a card that makes a meld and a position with a higher value than a draw from the stock."""
        if not completes(view.cards) >> view.upcard & 1:
            return False
        with_it = view.cards | 1 << view.upcard
        return self.throw_values(view, with_it, view.cards)[0][0] > self.draw_value(view)

    def throws(self, view: View) -> Card:
        """Discard for the position with the highest value."""
        return self.throw_values(view, view.cards, view.may_discard)[0][1]

    def knocks(self, view: View, left: int) -> bool:
        """Knock if that is worth more points than playing on."""
        return self.knock_value(view, left) > self.throw_values(view, view.cards, view.may_discard)[0][0]

    def throw_values(self, view: View, held: Cards, may: Cards) -> list[tuple[float, Card]]:
        """Return the value of each discard of ``may`` within SLACK from eleven cards, the best first."""
        left = {card: deadwood(held ^ 1 << card) for card in each(may)}
        most = min(left.values()) + SLACK
        sensible = [card for card in left if left[card] <= most]
        return sorted(((self.throw_value(view, held ^ 1 << card, card), card) for card in sensible), reverse=True)

    def throw_value(self, view: View, held: Cards, card: Card) -> float:
        """Return the points that ten cards are worth after the discard of ``card``."""
        return self.after.value(self.position(view, held, card))

    def draw_value(self, view: View) -> float:
        """Return the points that a draw is worth."""
        return self.before.value(self.position(view, view.cards, None))

    def knock_value(self, view: View, left: int) -> float:
        """Return the points that a knock with ``left`` points of deadwood is worth."""
        return self.knock.value(self.knock_position(view, left))

    def position(self, view: View, held: Cards, thrown: Card | None) -> list[float]:
        """Return the inputs of the networks for ten cards ``held``, after a discard or before a draw."""
        return position(view, held, thrown)

    def knock_position(self, view: View, left: int) -> list[float]:
        """Return the inputs of the network for a knock."""
        return knock_position(view, left)


def position(view: View, held: Cards, thrown: Card | None) -> list[float]:
    """Return the inputs of the networks for ten cards ``held``, after a discard or before a draw."""
    ahead = futures(held, view.unseen)
    live = len(ahead)
    now = deadwood(held)
    return [
        now,
        sum(ahead) / live,
        sum(ahead[:7]) / 7,
        ahead[0],
        ahead[live // 8],
        ahead[live // 4],
        ahead[live // 2],
        bisect_right(ahead, 0),
        bisect_right(ahead, 5),
        bisect_right(ahead, 10),
        bisect_left(ahead, now),
        (completes(held) & view.unseen).bit_count(),
        melded(held).bit_count(),
        0.0 if thrown is None else danger(view, thrown),
        0.0 if thrown is None else VALUES[thrown],
        turn(view),
        view.stock,
        view.took[0].bit_count(),
        view.took[1].bit_count(),
        view.opponent_holds.bit_count(),
        view.phase is Phase.UPCARD,
    ]


def knock_position(view: View, left: int) -> list[float]:
    """Return the inputs of the network for a knock: what I would lay, and what is known of the opponent."""
    laid = melded(view.without(least_left(view)))
    unseen = view.unseen
    return [
        left,
        turn(view),
        view.stock,
        view.took[1].bit_count(),
        view.opponent_holds.bit_count(),
        (completes(laid) & unseen).bit_count(),
        laid.bit_count(),
        sum(VALUES[card] for card in each(unseen)) / unseen.bit_count(),
    ]
