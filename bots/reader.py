"""Reader: imagines a hundred hands that the opponent may hold, and throws and knocks against those.

A player that left a card lie had no use for it, and one that threw a card has no meld with it. So imagined hands to which
cards of the discard pile would bring a meld count little, and what is left is a picture of the opponent: the
chance that it can use a discard, and what a knock would win on average. (Opponent modelling by weighted sampling, as
in poker: Billings et al., 1998.)
"""

from math import exp

from arena.gin.cards import Cards
from arena.gin.melds import arrange, defend, laid_cards, points, union
from arena.sdk import Bot, Card, View, deadwood, each
from arena.sdk.odds import completes, expected, turn

STEPS, EVERY = 1200, 12  # of the walk, and how many apart the hands are
TAU, T0 = 30.0, 0.6
IGNORED = 0.5
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
        """Knock if that wins enough of the imagined hands' points."""
        card = min(each(view.may_discard), key=lambda card: deadwood(view.without(card)))
        melds = arrange(view.without(card))
        rules = view.rules
        won = 0.0
        hands = self.imagine(view)
        for held in hands:
            own, lay_offs = defend(held, melds)
            margin = points(held & ~union(own) & ~laid_cards(lay_offs)) - left
            won += margin if margin > 0 else margin - rules.undercut_bonus
        return won >= WORTH * len(hands)

    def imagine(self, view: View) -> list[Cards]:
        """Return hands that the opponent may hold, the likelier the more often."""
        known = view.opponent_holds
        unseen = list(each(view.unseen))
        self.random.shuffle(unseen)
        size = 10 - known.bit_count()
        inside, outside = unseen[:size], unseen[size:]
        if not inside or not outside:
            return [known | sum(1 << card for card in inside)]
        declined = sum(1 << card for card in set(view.pile[-LAST:]))
        heat = temperature(view)
        held = known | sum(1 << card for card in inside)
        cost = unlikely(held, declined, heat)
        hands = []
        for step in range(STEPS):
            one, other = int(self.random.random() * len(inside)), int(self.random.random() * len(outside))
            changed = held ^ 1 << inside[one] ^ 1 << outside[other]
            instead = unlikely(changed, declined, heat)
            if instead <= cost or self.random.random() < exp(cost - instead):
                inside[one], outside[other] = outside[other], inside[one]
                held, cost = changed, instead
            if step % EVERY == EVERY - 1:
                hands.append(held)
        return hands


def temperature(view):
    t = turn(view)
    return TAU / (t + T0)


def unlikely(held: Cards, declined: Cards, heat: float) -> float:
    """Return the negative logarithm of how likely a hand is."""
    return deadwood(held) / heat + IGNORED * (completes(held) & declined).bit_count()


def useful(hands: list[Cards], card: Card) -> float:
    """Return the chance that ``card`` makes a meld in one of the imagined hands."""
    return sum(completes(held) >> card & 1 for held in hands) / len(hands)
