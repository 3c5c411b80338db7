"""Random: any legal action, each as likely as the other. It shows how little luck alone wins; it is no benchmark.

Measured on paired deals of the tournament rules: -48.7 ± 1.2 points a hand against Greedy (1,000 hands).
"""

from arena.sdk import Action, BigGin, Bot, Discard, Draw, Knock, Pass, Take, View, deadwood, each


class RandomLegal(Bot):
    """Chooses a kind of action by chance, then a card."""

    def upcard(self, view: View) -> Action:
        """Take or pass by the toss of a coin."""
        return Take() if self.random.random() < 0.5 else Pass()

    def draw(self, view: View) -> Action:
        """Draw or take by the toss of a coin."""
        return Take() if self.random.random() < 0.5 else Draw()

    def discard(self, view: View) -> Action:
        """Choose among the legal kinds, then among the legal cards."""
        kind = self.random.choice(view.may)
        if kind == "big_gin":
            return BigGin()
        cards = list(each(view.may_discard))
        if kind == "knock":
            return Knock(self.random.choice([card for card in cards if deadwood(view.without(card)) <= view.rules.knock_limit]))
        return Discard(self.random.choice(cards))
