"""Diluted: plays as a bot without a method of its own does, about as Greedy, but acts at random in a share of its decisions.

The share makes it as weak as wanted. `arena rate` measures bots against it: from random play to Greedy it is 49 points a hand.
"""

from arena.sdk import Action, BigGin, Bot, Discard, Draw, Knock, Parameter, Pass, Take, View, each

WITHOUT_CARD: dict[str, Action] = {"pass": Pass(), "take": Take(), "draw": Draw(), "big_gin": BigGin()}


class Diluted(Bot):
    """Acts at random with the chance ``share``."""

    share = Parameter(0.5, low=0.0, high=1.0, step=0.001)

    def upcard(self, view: View) -> Action:
        """Take or pass."""
        return self._random_action(view) or super().upcard(view)

    def draw(self, view: View) -> Action:
        """Draw or take."""
        return self._random_action(view) or super().draw(view)

    def discard(self, view: View) -> Action:
        """Discard, knock or go gin."""
        return self._random_action(view) or super().discard(view)

    def _random_action(self, view: View) -> Action | None:
        """Return a legal action, first its kind and then its card at random; None: not this time."""
        if self.random.random() >= self.share:
            return None
        kind = self.random.choice(view.may)
        if kind in WITHOUT_CARD:
            return WITHOUT_CARD[kind]
        card = self.random.choice(list(each(view.may_knock if kind == "knock" else view.may_discard)))
        return Knock(card) if kind == "knock" else Discard(card)
