"""Reader: imagines a hundred hands that the opponent may hold, and throws and knocks against those.

A player that left a card lie had no use for it, and one that threw a card has no meld with it. So imagined hands to which
cards of the discard pile would bring a meld count little, and what is left is a picture of the opponent: the
chance that it can use a discard, and what a knock would win on average. (Opponent modelling by weighted sampling, as
in poker: Billings et al., 1998.)
"""

from arena.gin.cards import Cards
from arena.gin.melds import arrange, defend, laid_cards, points, union
from arena.sdk import Bot, Card, View, deadwood, each
from arena.sdk.odds import completes, futures, helps

IMAGINED = 100  # hands
IGNORED = 0.5  # the weight that each card a hand could have used leaves it
BEST = 10  # draws that count
MELD = 6.0  # points that a card the opponent can use costs
WORTH = 16.0  # points that a knock must win on average
LAST = 8  # cards the opponent saw last, which tell of what it holds now


class Reader(Bot):
    """Plays against the opponent's likely cards instead of any."""

    def wants(self, view: View) -> bool:
        """Take what makes a meld and lowers the deadwood."""
        return helps(view)

    def throws(self, view: View) -> Card:
        """Throw the card that costs least: deadwood to come, and what imagined opponents can do with it."""
        hands = self.imagine(view)
        return min(each(view.may_discard), key=lambda card: (ahead(view, card) + MELD * useful(hands, card), card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock if that wins enough of the imagined hands' points."""
        card = min(each(view.may_discard), key=lambda card: deadwood(view.without(card)))
        melds = arrange(view.without(card))
        rules = view.rules
        won = 0.0
        for held, weight in self.imagine(view):
            own, lay_offs = defend(held, melds)
            margin = points(held & ~union(own) & ~laid_cards(lay_offs)) - left
            won += weight * (margin if margin > 0 else margin - rules.undercut_bonus)
        return won >= WORTH

    def imagine(self, view: View) -> list[tuple[Cards, float]]:
        """Return hands that the opponent may hold, with weights that sum to one."""
        unseen = list(each(view.unseen))
        known = view.opponent_holds
        declined = sum(1 << card for card in set(view.pile[-LAST:]))
        hands = []
        for _ in range(IMAGINED):
            held = known | sum(1 << card for card in self.random.sample(unseen, 10 - known.bit_count()))
            hands.append((held, IGNORED ** (completes(held) & declined).bit_count()))
        total = sum(weight for _, weight in hands)
        return [(held, weight / total) for held, weight in hands]


def ahead(view: View, card: Card) -> float:
    """Return the deadwood that the best draws after throwing ``card`` would leave on average."""
    best = futures(view.without(card), view.unseen)[:BEST]
    return sum(best) / len(best)


def useful(hands: list[tuple[Cards, float]], card: Card) -> float:
    """Return the chance that ``card`` makes a meld in one of the imagined hands."""
    return sum(weight for held, weight in hands if completes(held) >> card & 1)
