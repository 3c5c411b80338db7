"""A player that is a function from a view to an action: for tests, self-play and a person at a keyboard."""

from collections.abc import Callable

from arena.gin.actions import Action
from arena.gin.deal import Seat
from arena.gin.view import Outcome, View
from arena.players.base import Reply


class InlinePlayer:
    """Calls a function in this process: it has no sandbox, and its time is not measured."""

    def __init__(self, answer: Callable[[View], Action], learn: Callable[[Outcome], None] | None = None) -> None:
        self._answer = answer
        self._learn = learn

    def start(self) -> None:
        """Do nothing."""

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Do nothing: each view is complete."""

    def watch(self, view: View) -> None:
        """Do nothing: each view is complete."""

    def ask(self, view: View) -> Reply:
        """Return the function's action."""
        return Reply(self._answer(view))

    def overspent(self) -> None:
        """Return None: a function runs only when it is asked."""

    def hand_over(self, outcome: Outcome) -> None:
        """Pass the outcome to the function that learns from it, if there is one."""
        if self._learn:
            self._learn(outcome)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Do nothing."""

    def log(self) -> str:
        """Return nothing: a function has no stderr."""
        return ""

    def close(self) -> None:
        """Do nothing."""
