"""my-bot: a language model chooses among the legal moves; README.md says how it is asked, and how a run is read."""

from arena.sdk import Action, Bot, CannotPlayError, View
from arena.sdk.llm import LanguageModel
from arena.sdk.wording import moves, rules_in_words, view_in_words

ADVICE = "You play gin rummy, and want as many points a hand as you can get, over many hands."


class MyBot(Bot):
    """Asks the model where there is a choice; ``Bot`` plays where there is none, and where the model names no legal move."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.model = LanguageModel("my_bot", seed)

    def answer(self, view: View) -> Action:
        """Return the model's move; the replay shows what it said, and what the question cost."""
        legal = moves(view)
        if len(legal) == 1:
            return super().answer(view)
        choice = self.model.choose(f"{ADVICE}\n\n{rules_in_words(view.rules)}", view_in_words(view), legal)
        if choice.final:  # a wrong key or address, no credit: so would be every other question
            raise CannotPlayError(choice.final)
        self.note(choice.note)
        return choice.move.action if choice.move else super().answer(view)
