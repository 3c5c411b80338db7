"""A player that is a function from a view to an action: for tests, self-play and a person at a keyboard."""

from collections.abc import Callable

from arena.gin.actions import Action
from arena.gin.deal import Seat
from arena.gin.view import Outcome, View
from arena.players.base import Reply


class InlinePlayer:
    """Asks a function of this process; nothing is walled off and no time is measured."""

    def __init__(self, answer: Callable[[View], Action], learn: Callable[[Outcome], None] | None = None) -> None:
        self._answer = answer
        self._learn = learn

    def start(self) -> None:
        """Nothing to do."""

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Nothing to do: every view is whole."""

    def ask(self, view: View) -> Reply:
        """Return the function's action."""
        return Reply(self._answer(view))

    def hand_over(self, outcome: Outcome) -> None:
        """Pass the outcome on to who wants it."""
        if self._learn:
            self._learn(outcome)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Nothing to do."""

    def log(self) -> str:
        """Return nothing: a function has no stderr of its own."""
        return ""

    def close(self) -> None:
        """Nothing to do."""
