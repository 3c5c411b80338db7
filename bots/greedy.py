"""Greedy: takes only cards that make a meld, keeps the least deadwood, knocks as soon as it may.

The policy of the published ``SimpleGinRummyPlayer`` (Todd Neller, Gin Rummy EAAI Undergraduate Research Challenge, 2020), so that
results here can be compared with the literature. Rated 0 by definition.
"""

from arena.sdk import Action, BigGin, Bot, Discard, Knock, View, best_throws, deadwood, each


class Greedy(Bot):
    """Chooses at random among the discards that leave the least deadwood."""

    def wants(self, view: View) -> bool:
        """Take a card that makes a meld: it does not raise the deadwood."""
        return deadwood(view.cards | 1 << view.upcard) <= deadwood(view.cards)

    def discard(self, view: View) -> Action:
        """Discard what leaves the least deadwood; knock or go gin if possible."""
        if "big_gin" in view.may:
            return BigGin()
        _, best = best_throws(view.cards, view.may_discard)
        card = self.random.choice(list(each(best)))
        return Knock(card) if "knock" in view.may else Discard(card)
