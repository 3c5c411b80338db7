"""Reader: imagines a hundred hands that the opponent may hold, and throws and knocks against those.

Any ten unseen cards are a poor picture of the opponent. By turn six a player has fifteen points of deadwood and not forty;
one that left a card lie had no use for it; one that threw a card has no meld with it. So the bot walks from hand to hand,
exchanging single cards, and stays longer where that is so. From the hands it saw it reads the chance that a discard is of
use, and what a knock would win on average. (Opponent modelling by weighted sampling: Billings et al., 1998, for poker.)
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
        hands = [held]
        for step in range(STEPS if size else 0):
            one, other = self.random.randrange(size), self.random.randrange(size, len(unseen))
            changed = held ^ 1 << unseen[one] ^ 1 << unseen[other]
            if self.random.random() < exp(min(0.0, likely(changed, view) - likely(held, view))):
                unseen[one], unseen[other], held = unseen[other], unseen[one], changed
            if step % EVERY == 0:
                hands.append(held)
        return hands


def likely(held: Cards, view: View) -> float:
    """Return the logarithm of how likely the opponent holds ``held``, give or take a constant.

    The scale is the spread of deadwood that players have after so many turns, measured over 300 hands.
    """
    lay = bits(set(view.pile[-LAST:]))
    return -deadwood(held) * (turn(view) + 0.6) / 30 - IGNORED * (completes(held) & lay).bit_count()


def useful(hands: list[Cards], card: Card) -> float:
    """Return the chance that ``card`` makes a meld in one of the imagined hands."""
    return sum(completes(held) >> card & 1 for held in hands) / len(hands)


def defence(held: Cards, melds: Melds) -> int:
    """Return the points that who holds ``held`` is left with against a knock with ``melds``."""
    own, lay_offs = defend(held, melds)
    return points(held & ~union(own) & ~laid_cards(lay_offs))
