"""Cautious: plays as Greedy, but throws what the opponent can use least and knocks only with little deadwood.

A player who knocks at ten is undercut now and then, and one who throws beside what the opponent took feeds it. This bot pays a
little deadwood to avoid both.

Measured on paired deals of the tournament rules: -0.30 ± 0.43 points a hand against Greedy (4,000 hands): what it saves
does not pay for what it gives up.
"""

from arena.sdk import Action, BigGin, Bot, Card, Discard, Knock, View, deadwood, each

KNOCK_AT = 5  # points of deadwood
LATE = 12  # cards left in the stock: from here on any knock is welcome


class Cautious(Bot):
    """Weighs each discard by the deadwood it leaves and the melds it may complete."""

    def discard(self, view: View) -> Action:
        """Throw the card with the least deadwood and danger together."""
        if "big_gin" in view.may:
            return BigGin()
        best = min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), card))
        limit = view.rules.knock_limit if view.stock <= LATE else min(KNOCK_AT, view.rules.knock_limit)
        if deadwood(view.without(best)) <= limit:
            return Knock(best)
        return Discard(min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)) + danger(view, card), card)))


def danger(view: View, card: Card) -> int:
    """Return how many of the cards that the opponent took lie beside ``card`` or share its rank."""
    rank = card % 13
    beside = (1 << card) << 1 if rank < 12 else 0
    beside |= (1 << card) >> 1 if rank else 0
    same = sum(1 << 13 * suit + rank for suit in range(4))
    return 4 * (view.opponent_holds & (beside | same)).bit_count()
