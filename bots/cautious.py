"""Cautious: plays as Greedy, but avoids discards that the opponent can use, and at first knocks only with little deadwood.

A knock at ten is sometimes undercut, and a discard near a card that the opponent took may help it. This bot accepts a little more
deadwood to avoid both.

Measured on paired deals of the tournament rules: -0.30 ± 0.43 points a hand against Greedy (4,000 hands): the
safety costs more than it saves.
"""

from arena.sdk import Action, BigGin, Bot, Card, Discard, Knock, View, best_throws, deadwood, each

KNOCK_AT = 5  # points of deadwood, at most
LATE = 12  # cards in the stock; with so many or fewer it knocks whenever it may


class Cautious(Bot):
    """Weighs each discard by the deadwood that it leaves and the cards of the opponent that it goes with."""

    def discard(self, view: View) -> Action:
        """Discard the card with the lowest sum of deadwood and danger."""
        if "big_gin" in view.may:
            return BigGin()
        left, best = best_throws(view.cards, view.may_discard)
        if "knock" in view.may and (view.stock <= LATE or left <= KNOCK_AT):
            return Knock(min(each(best)))
        return Discard(min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)) + danger(view, card), card)))


def danger(view: View, card: Card) -> int:
    """Return 4 points for each card that the opponent is known to hold and that neighbours ``card`` or shares its rank."""
    rank = card % 13
    beside = (1 << card) << 1 if rank < 12 else 0
    beside |= (1 << card) >> 1 if rank else 0
    same = sum(1 << 13 * suit + rank for suit in range(4))
    return 4 * (view.opponent_holds & (beside | same)).bit_count()
