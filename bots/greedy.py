"""Greedy: takes only what joins a meld, keeps the least deadwood, knocks as soon as it may.

The policy of the published ``SimpleGinRummyPlayer`` (Todd Neller, Gin Rummy EAAI Undergraduate Research Challenge, 2020), so that
results here can be compared with the literature. Rated 0 by definition.
"""

from arena.sdk import Action, BigGin, Bot, Discard, Knock, View, deadwood, each


class Greedy(Bot):
    """Among discards that leave the least, chance decides."""

    def wants(self, view: View) -> bool:
        """Take what joins a meld: with it there is no more deadwood than without."""
        return deadwood(view.cards | 1 << view.upcard) <= deadwood(view.cards)

    def discard(self, view: View) -> Action:
        """Throw what leaves least deadwood; knock or go gin if that is possible."""
        if "big_gin" in view.may:
            return BigGin()
        left = {card: deadwood(view.without(card)) for card in each(view.may_discard)}
        least = min(left.values())
        card = self.random.choice([card for card in left if left[card] == least])
        return Knock(card) if "knock" in view.may else Discard(card)
