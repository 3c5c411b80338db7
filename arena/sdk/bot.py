"""The base class of bots; each of its methods has a playable default."""

from random import Random

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import VALUES, Card, Cards, each
from arena.gin.match import Phase
from arena.gin.melds import best_throws
from arena.gin.view import Outcome, View
from arena.sdk import mistakes
from arena.sdk.odds import helps
from arena.text import shorten


class Bot:
    """A player that takes what makes a meld and leaves less deadwood, keeps the least deadwood, and knocks when it can.

    Override ``wants``, ``throws`` or ``knocks``, each a part of an answer, or the method of a whole answer (``upcard``, ``draw``,
    ``discard``, ``lay_off``, ``last_take``).

    Each view holds everything a player may know (R4.4), so a bot needs no memory. ``self.random`` is seeded anew for each hand, so
    a bot without other randomness plays a hand the same way every time.

    In a league that lets bots learn, ``self.state`` is the path of a folder whose content is kept for the next round.
    """

    state: str | None = None  # set before ``__init__``; None: this bot cannot keep anything

    def __init__(self, seed: str = "") -> None:
        """Store the seed of this fixture. An override must call this first."""
        self.seed = seed
        self._hand: tuple[int, int] | None = None  # numbers of game and hand; None: no turn yet
        self._random: Random | None = None
        self._turn_note = ""  # of this turn

    @property
    def random(self) -> Random:
        """Return the random numbers of this hand, seeded from the fixture's seed and the numbers of game and hand.

        Before the first turn they are those of the first hand, which begin again in that turn.
        """
        if self._random is None:
            game, hand = self._hand or (0, 0)
            self._random = Random(f"{self.seed}/{game}/{hand}")  # noqa: S311 - for play, not for secrets
        return self._random

    def wants(self, view: View) -> bool:
        """Tell whether the upcard is better than a card from the stock."""
        return helps(view)

    def throws(self, view: View) -> Card:
        """Return the card to discard when the hand continues."""
        return least_left(view)

    def knocks(self, view: View, left: int) -> bool:  # noqa: ARG002 - for overrides
        """Tell whether to knock with ``left`` points of deadwood, 1 or more; gin is always called."""
        return True

    def upcard(self, view: View) -> Action:
        """Take the first upcard, or pass. Rule: R3.1, R3.2."""
        return Take() if mistakes.decision(type(self), "wants", self.wants(view)) else Pass()

    def draw(self, view: View) -> Action:
        """Draw from the stock or take the top of the discard pile. Rule: R4.1."""
        return Take() if mistakes.decision(type(self), "wants", self.wants(view)) else Draw()

    def discard(self, view: View) -> Action:
        """Discard a card, knock, go gin or big gin. Rule: R4.2, R6-R8."""
        if "big_gin" in view.may:
            return BigGin()
        if "knock" in view.may:
            left, best = best_throws(view.cards, view.may_discard)
            if left == 0 or mistakes.decision(type(self), "knocks", self.knocks(view, left)):
                return Knock(_most_points(best))
        return Discard(mistakes.card(type(self), "throws", self.throws(view)))

    def lay_off(self, view: View) -> Action:  # noqa: ARG002 - for overrides
        """Answer a knock; by default the referee lays what leaves the fewest points. Rule: R6.3, R6.4."""
        return LayOff()

    def last_take(self, view: View) -> Action:
        """Take the last discard in order to knock, if a knock is then possible; else pass. Rule: R5.2."""
        return Take() if "take" in view.may else Pass()

    def hand_over(self, outcome: Outcome) -> None:
        """Learn from a finished hand; both players' cards are open. The default does nothing."""

    def note(self, text: str) -> None:
        """Add a note to the answer that is being made: the replay shows it at this turn, and the opponent never sees it.

        Several of one turn are joined, and what exceeds ``arena.text.LONGEST_NOTE`` characters is cut.

        Raises: TypeError, if ``text`` is not a str.
        """
        added = mistakes.text("note", text)
        self._turn_note = shorten(f"{self._turn_note}; {added}" if self._turn_note else added)

    def taken_note(self) -> str:
        """Return the note of this turn and forget it; the SDK calls this after each answer."""
        note, self._turn_note = self._turn_note, ""
        return note

    def match_over(self, won: bool | None, games: tuple[int, int]) -> None:  # noqa: FBT001 - for overrides
        """Finish a match; a bot that learns writes to ``self.state`` here. The default does nothing.

        ``won``: None: a batch of hands or a drawn match. ``games``: the games won by this bot and by its opponent.
        """

    def answer(self, view: View) -> Action:
        """Return the action for any turn, from the method of its phase. Raises: BotError, for an invalid return value."""
        if self._hand != (view.game, view.hand):
            self._hand = (view.game, view.hand)
            self._random = None
        name = _QUESTIONS[view.phase]
        return mistakes.action(type(self), name, getattr(self, name)(view))

    def _first_draw(self, _: View) -> Action:
        return Draw()

    def _last_knock(self, view: View) -> Action:
        return BigGin() if "big_gin" in view.may else Knock(least_left(view))


_QUESTIONS = {  # the method called in each phase
    Phase.UPCARD: "upcard",
    Phase.FIRST_DRAW: "_first_draw",
    Phase.DRAW: "draw",
    Phase.DISCARD: "discard",
    Phase.LAST_TAKE: "last_take",
    Phase.LAST_KNOCK: "_last_knock",
    Phase.LAY_OFF: "lay_off",
}


def least_left(view: View) -> Card:
    """Return the discard that leaves least deadwood; of several the one with the most points."""
    _, best = best_throws(view.cards, view.may_discard)
    return _most_points(best)


def _most_points(cards: Cards) -> Card:
    """Return the card with the most points; of several the first in deck order."""
    return max(each(cards), key=VALUES.__getitem__)
