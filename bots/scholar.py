"""Scholar: plays what it has learned to be worth most, in points, from its games against itself and others.

Three small networks give the points that a hand will bring on average: after a throw, before a draw, and by a knock
now. So each question becomes a comparison of two numbers: which throw is worth most, is the upcard with the best throw
worth more than a card from the stock, does a knock bring more than playing on. What they read of a position stands below;
``bots/training/learn.py`` is how they learned it (fitted values and policy iteration, as Tesauro's TD-Gammon of 1995
and Kotnik and Kalita's rummy player of 2003).

Measured on paired deals of the tournament rules: +3.39 ± 0.87 points a hand against Challenger, +6.37 ± 0.84 against
Early Bird, +4.73 ± 0.72 against Greedy (4,000 hands each); under a millisecond a decision.
"""

from bisect import bisect_left, bisect_right
from pathlib import Path

from arena.gin.cards import VALUES
from arena.gin.hand import Phase
from arena.sdk import Bot, Card, Cards, View, deadwood, each
from arena.sdk.bot import least_left
from arena.sdk.network import Network, load
from arena.sdk.odds import completes, danger, futures, melded, turn

LEARNED = Path(__file__).with_name("scholar.json")
SLACK = 10  # points of deadwood above the least that a throw may leave to be considered


class Scholar(Bot):
    """Chooses the most valuable position that it can reach."""

    def __init__(self, seed: str = "", networks: dict[str, Network] | None = None) -> None:
        super().__init__(seed)
        learned = networks or load(LEARNED)
        self.after, self.before, self.knock = learned["after"], learned["before"], learned["knock"]

    def wants(self, view: View) -> bool:
        """Take what makes a meld and a position that is worth more than the next card of the stock."""
        if not completes(view.cards) >> view.upcard & 1:
            return False
        with_it = view.cards | 1 << view.upcard
        return self.throw_values(view, with_it, view.cards)[0][0] > self.before.value(position(view, view.cards, None))

    def throws(self, view: View) -> Card:
        """Throw the card without which the position is worth most."""
        return self.throw_values(view, view.cards, view.may_discard)[0][1]

    def knocks(self, view: View, left: int) -> bool:
        """Knock if that brings more points than to play on."""
        now = self.knock.value(knock_position(view, left))
        return now > self.throw_values(view, view.cards, view.may_discard)[0][0]

    def throw_values(self, view: View, held: Cards, may: Cards) -> list[tuple[float, Card]]:
        """Return the value of each sensible throw of ``may`` from eleven cards, the best first."""
        left = {card: deadwood(held ^ 1 << card) for card in each(may)}
        most = min(left.values()) + SLACK
        sensible = [card for card in left if left[card] <= most]
        return sorted(((self.after.value(position(view, held ^ 1 << card, card)), card) for card in sensible), reverse=True)


def position(view: View, held: Cards, thrown: Card | None) -> list[float]:
    """Return what the networks read of ten cards ``held``: after a throw, or before a draw."""
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
    """Return what the network of knocks reads: what I would lay, and what the opponent may have by now."""
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
