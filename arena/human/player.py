"""A player that is a person, asked in a terminal or in a browser."""

from typing import TYPE_CHECKING

from arena.gin.deal import Seat
from arena.gin.view import Outcome, View
from arena.human.moves import Move
from arena.players.base import PlayerFaultError, Reply

if TYPE_CHECKING:
    from arena.gin.rules import Rules


class HumanPlayer:
    """A player whose moves ``choose`` returns; a subclass asks a person, and shows how hands and the match ended."""

    def __init__(self) -> None:
        self.before: View | None = None  # the last turn
        self.rules: Rules | None = None  # known from the first hand
        self.left = False  # who leaves the table loses by faults

    def start(self) -> None:
        """Nothing to do."""

    def begin(self, seat: Seat, hands: int | None) -> None:  # noqa: ARG002 - a person is told all it needs with each turn
        """Stay away from the table, once it was left. Raises: PlayerFaultError."""
        self._stay()

    def watch(self, view: View) -> None:
        """Learn the rules; a terminal shows the hand at the first turn."""
        self.rules = view.rules

    def ask(self, view: View) -> Reply:
        """Return the move that is chosen. Raises: PlayerFaultError, if the table is left."""
        self._stay()
        self.rules = view.rules
        move = self.choose(view)
        self.before = view
        if move is None:
            self.left = True
            self._stay()
        assert move
        return Reply(move.action)

    def _stay(self) -> None:
        if self.left:
            raise PlayerFaultError("crash", "left the table")

    def choose(self, view: View) -> Move | None:
        """Return a legal move; None leaves the table."""
        raise NotImplementedError

    def overspent(self) -> None:
        """Return nothing: a person thinks elsewhere."""

    def hand_over(self, outcome: Outcome) -> None:
        """Learn how a hand ended."""
        raise NotImplementedError

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Learn how the match ended."""
        raise NotImplementedError

    def log(self) -> str:
        """Return nothing: a person says nothing on stderr."""
        return ""

    def close(self) -> None:
        """Nothing to do."""
