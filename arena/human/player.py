"""A person as a player: a subclass asks the person in a terminal, in a browser or through a program."""

from typing import TYPE_CHECKING

from arena.errors import RunStoppedError
from arena.gin.facts import Seat
from arena.gin.view import Outcome, View
from arena.players.base import Player, PlayerFaultError, Reply
from arena.sdk.named_moves import Move

if TYPE_CHECKING:
    from arena.gin.rules import Rules


class HumanPlayer(Player):
    """A player whose moves ``choose`` returns; a subclass asks a person, and shows how hands and the match ended."""

    def __init__(self) -> None:
        self.before: View | None = None  # at the last turn; None: there was none in this hand
        self.rules: Rules | None = None  # known from the first hand
        self.hands: int | None = None  # of a batch; None: a match
        self.left = False  # the person has left the table, and loses the match by faults
        self.stopped = False  # the program stops, not the person: the match is kept

    def begin(self, seat: Seat, hands: int | None) -> None:  # noqa: ARG002 - a person is told all it needs with each turn
        """Check that the person is still at the table. Raises: as ``ask``."""
        self._check_presence()
        self.hands = hands

    def watch(self, view: View) -> None:
        """Learn the rules. Nothing is shown: a terminal shows the hand at the first turn."""
        self.rules = view.rules

    def ask(self, view: View) -> Reply:
        """Return the chosen move. Raises: PlayerFaultError, if the person has left; RunStoppedError, if the program stops."""
        self._check_presence()
        self.rules = view.rules
        move = self.choose(view)
        self.before = view
        if move is None:
            self.left = True
            self._check_presence()
        assert move
        return Reply(move.action)

    def _check_presence(self) -> None:
        if self.stopped:
            raise RunStoppedError("stopped")
        if self.left:
            raise PlayerFaultError("crash", "left the table")

    def choose(self, view: View) -> Move | None:
        """Return a legal move; None: the person has left, or the program stops."""
        raise NotImplementedError

    def hand_over(self, outcome: Outcome) -> None:
        """Learn how a hand ended."""
        raise NotImplementedError

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Learn how the match ended."""
        raise NotImplementedError
