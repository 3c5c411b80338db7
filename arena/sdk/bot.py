"""What an author writes: a class with four questions, each of which has a playable answer."""

from collections.abc import Callable
from random import Random

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import VALUES, Card, each
from arena.gin.hand import Phase
from arena.gin.melds import deadwood
from arena.gin.view import Outcome, View
from arena.sdk.odds import helps


class Bot:
    """A player that takes what joins a meld, throws its dearest deadwood and knocks when it can.

    Override what you can do better: one of the three opinions (``wants``, ``throws``, ``knocks``), or the whole
    answer to a question (``upcard``, ``draw``, ``discard``, ``lay_off``, ``last_take``).

    Each turn holds everything a player may know (R4.4), so a bot need not remember anything; and since the referee
    starts each hand's chance anew, a bot that uses no other chance than ``self.random`` always plays a hand the
    same way.
    """

    def __init__(self, seed: str = "") -> None:
        """Take the seed of this fixture. An override calls this one first."""
        self.seed = seed
        self._hand = (0, 0)
        self._random: Random | None = None

    @property
    def random(self) -> Random:
        """Return this hand's source of chance, which starts anew with every hand."""
        if self._random is None:
            game, hand = self._hand
            self._random = Random(f"{self.seed}/{game}/{hand}")  # noqa: S311 - for play, not for secrets
        return self._random

    def wants(self, view: View) -> bool:
        """Tell whether the upcard is better than a card from the stock."""
        return helps(view)

    def throws(self, view: View) -> Card:
        """Return the card to throw where the hand goes on."""
        return least_left(view)

    def knocks(self, view: View, left: int) -> bool:  # noqa: ARG002 - for who overrides it
        """Tell whether to knock with ``left`` points of deadwood, at least one; gin needs no opinion."""
        return True

    def upcard(self, view: View) -> Action:
        """Take the first upcard, or pass. Rule: R3.1, R3.2."""
        return Take() if self.wants(view) else Pass()

    def draw(self, view: View) -> Action:
        """Draw from the stock or take the top of the discard pile. Rule: R4.1."""
        return Take() if self.wants(view) else Draw()

    def discard(self, view: View) -> Action:
        """Throw a card, knock, or go gin. Rule: R4.2, R6-R8."""
        if "big_gin" in view.may:
            return BigGin()
        if "knock" in view.may:
            card = least_left(view)
            left = deadwood(view.without(card))
            if left == 0 or self.knocks(view, left):
                return Knock(card)
        return Discard(self.throws(view))

    def lay_off(self, view: View) -> Action:  # noqa: ARG002 - for those who override it
        """Answer a knock; by default the referee lays whatever leaves the fewest points. Rule: R6.3, R6.4."""
        return LayOff()

    def last_take(self, view: View) -> Action:
        """Take the last discard in order to knock, where the rules allow it. Rule: R5.2."""
        return Take() if "take" in view.may else Pass()

    def hand_over(self, outcome: Outcome) -> None:
        """Learn from a finished hand, in which both players' cards are open."""

    def answer(self, view: View) -> Action:
        """Return the action for any turn: ask the method for its phase."""
        if self._hand != (view.game, view.hand):
            self._hand = (view.game, view.hand)
            self._random = None
        return _QUESTIONS[view.phase](self, view)

    def _first_draw(self, _: View) -> Action:
        return Draw()

    def _last_knock(self, view: View) -> Action:
        return BigGin() if "big_gin" in view.may else Knock(least_left(view))


_QUESTIONS: dict[Phase, Callable[[Bot, View], Action]] = {
    Phase.UPCARD: lambda bot, view: bot.upcard(view),
    Phase.FIRST_DRAW: lambda bot, view: bot._first_draw(view),  # noqa: SLF001
    Phase.DRAW: lambda bot, view: bot.draw(view),
    Phase.DISCARD: lambda bot, view: bot.discard(view),
    Phase.LAST_TAKE: lambda bot, view: bot.last_take(view),
    Phase.LAST_KNOCK: lambda bot, view: bot._last_knock(view),  # noqa: SLF001
    Phase.LAY_OFF: lambda bot, view: bot.lay_off(view),
}


def least_left(view: View) -> Card:
    """Return the card to throw that leaves least deadwood; among several the dearest."""
    return min(each(view.may_discard), key=lambda card: (deadwood(view.without(card)), -VALUES[card], card))
