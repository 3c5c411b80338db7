"""The bots of the SDK's page (`arena docs sdk`), from which authors start: a league takes them for templates, not for copies.

They are not listed, and play in no tournament of arena. A test compares them with the page.
"""

from arena.sdk import Bot, Card, View, deadwood, each
from arena.sdk.odds import danger, expected, turn


class Plain(Bot):
    """Decides everything as ``Bot`` does."""


class First(Bot):
    """Keeps the least deadwood; of equal discards the dearest."""

    def throws(self, view: View) -> Card:
        """Discard what leaves least deadwood."""
        return min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), -(card % 13)))


class Second(Bot):
    """Looks one card ahead, and does not feed the opponent."""

    def throws(self, view: View) -> Card:
        """Discard the card with the lowest sum of expected deadwood and danger."""
        return min(each(view.may_discard), key=lambda card: expected(view, card) + 2 * danger(view, card))


class Third(Bot):
    """Knocks in its first three turns or not at all, and plays for the good cards among those that may come."""

    def throws(self, view: View) -> Card:
        """Discard as the second, but for the seven best draws."""
        return min(each(view.may_discard), key=lambda card: expected(view, card, draws=7) + 2 * danger(view, card))

    def knocks(self, view: View, left: int) -> bool:
        """Knock early, while the opponent still has much deadwood."""
        return turn(view) < 3
