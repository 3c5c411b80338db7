"""Random kind: any legal kind of action with equal probability, then any card. It is the lowest anchor of ``arena rate``.

It knocks half of the times that it may, and so more often than random-legal, which has more discards than knocks to choose from.
Measured on paired deals of the tournament rules: -48.7 ± 1.2 points a hand against Greedy (1,000 hands).
"""

from arena.sdk import Action, BigGin, Bot, Discard, Draw, Knock, Pass, Take, View, each


class RandomKind(Bot):
    """Chooses a kind of action at random, then a card."""

    def upcard(self, view: View) -> Action:
        """Take or pass with equal probability."""
        return Take() if self.random.random() < 0.5 else Pass()

    def draw(self, view: View) -> Action:
        """Draw or take with equal probability."""
        return Take() if self.random.random() < 0.5 else Draw()

    def discard(self, view: View) -> Action:
        """Choose among the legal kinds, then among the legal cards."""
        kind = self.random.choice(view.may)
        if kind == "big_gin":
            return BigGin()
        if kind == "knock":
            return Knock(self.random.choice(list(each(view.may_knock))))
        return Discard(self.random.choice(list(each(view.may_discard))))
