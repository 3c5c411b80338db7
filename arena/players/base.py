"""What a player is to the referee, whatever stands behind it: a process, a function, a person."""

from typing import Protocol

from msgspec import Struct

from arena.gin.actions import Action
from arena.gin.deal import Seat
from arena.gin.view import Outcome, View
from arena.records import FaultKind


class Reply(Struct, frozen=True):
    """An action and what it cost."""

    action: Action
    cpu: float = 0.0  # seconds of the player's own processor time
    wall: float = 0.0  # seconds from question to answer
    question: bytes = b""  # as it was sent
    answer: bytes = b""  # as it came back


class PlayerFault(Exception):  # noqa: N818 - the table's word
    """A player that did not bring back an action; after it the player has to be started anew."""

    def __init__(
        self,
        kind: FaultKind,
        detail: str,
        *,
        question: bytes = b"",
        answer: bytes = b"",
        stderr: str = "",
        cpu: float = 0.0,
        wall: float = 0.0,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.question = question  # as it was sent; empty: it could not be asked
        self.answer = answer  # what came back
        self.stderr = stderr
        self.cpu = cpu  # seconds of the player's own processor time, lost with the answer
        self.wall = wall  # seconds since the question


class Player(Protocol):
    """A seat's end at the table. Every method but ``close`` may raise PlayerFault."""

    def start(self) -> None:
        """Get ready, without waiting."""

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Sit down: for a match, or for a batch of so many hands; after ``close``, anew."""

    def ask(self, view: View) -> Reply:
        """Return the player's action for a turn."""

    def hand_over(self, outcome: Outcome) -> None:
        """Tell how a hand ended."""

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Tell how the match ended."""

    def log(self) -> str:
        """Return the end of what it wrote to stderr, to explain a fault. Never raises."""

    def close(self) -> None:
        """Leave nothing behind. Never raises; may be called twice."""
