"""A plain bot, and bots that differ from it by one planted weakness."""

from arena.gin.actions import Action, LayOff, Take
from arena.gin.cards import VALUES, Card, Cards, each
from arena.gin.view import View
from arena.review.rollouts import own_action
from arena.sdk import Bot, deadwood, least_left

ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39


class Plain(Bot):
    """The defaults of the SDK: takes what helps, throws the dearest deadwood, knocks when it can."""


class OwnPlay(Bot):
    """Plays as the reviewed seat of the rollouts does."""

    def answer(self, view: View) -> Action:
        """Ask the policy."""
        return own_action(view)


class ThrowsBadly(Plain):
    """One time in four it throws any card."""

    def throws(self, view: View) -> Card:
        """Throw any card, or the dearest deadwood."""
        if self.random.random() < 0.25:
            return self.random.choice([*each(view.may_discard)])
        return least_left(view)


class TakesTooMuch(Plain):
    """Takes every card that has a neighbour or an equal rank in its hand."""

    def wants(self, view: View) -> bool:
        """Take what is near another card."""
        return bool(near(view.upcard) & view.cards)


class NeverLaysOff(Plain):
    """Lays its melds when the other knocks, and nothing off."""

    def lay_off(self, view: View) -> Action:
        """Lay no card off."""
        return LayOff(lay_offs=())


class TakesFirst(Plain):
    """Takes every first upcard."""

    def upcard(self, view: View) -> Action:
        """Take it."""
        return Take()


class BreaksPairs(Plain):
    """Throws a card of a pair or of a possible run rather than one that stands alone."""

    def throws(self, view: View) -> Card:
        """Throw the card with most neighbours, of those that leave at most six points more."""
        least = deadwood(view.without(least_left(view)))
        near_least = [card for card in each(view.may_discard) if deadwood(view.without(card)) <= least + 6]
        return max(near_least, key=lambda card: ((near(card) & view.cards).bit_count(), VALUES[card], -card))


class KnocksLow(Plain):
    """Knocks with three points or fewer only: against Greedy that is no weakness."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock with three points or fewer."""
        return left <= 3


def near(card: Card) -> Cards:
    """Return the cards of the same rank, and those beside a card in its suit."""
    rank, bit = card % 13, 1 << card
    beside = (bit << 1 if rank < 12 else 0) | (bit >> 1 if rank else 0)
    return (ACES << rank | beside) & ~bit
