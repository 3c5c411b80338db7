"""The interface between the referee and a player: a process, a function or a person."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from arena.gin.actions import Action
from arena.gin.deal import Seat
from arena.gin.view import Outcome, View
from arena.records import FaultKind


class Reply(Struct, frozen=True):
    """An action and its cost."""

    action: Action
    cpu: float = 0.0  # seconds of the player's own processor time
    wall: float = 0.0  # seconds from question to answer
    question: bytes = b""  # as it was sent
    answer: bytes = b""  # as it was received
    note: str = ""  # for the replay, of any length; nothing depends on it


class PlayerFaultError(Exception):
    """A player did not return an action; it must be closed and begun again before it can be asked again."""

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
        self.question = question  # as it was sent; empty: no question could be sent
        self.answer = answer  # what was received
        self.stderr = stderr
        self.cpu = cpu  # seconds of the player's own processor time since the question
        self.wall = wall  # seconds since the question


class Player(Protocol):
    """A player in a seat. Every method except ``watch``, ``log`` and ``close`` may raise PlayerFaultError."""

    def start(self) -> None:
        """Start, without waiting until it is ready."""

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Begin a match (``hands`` is None) or a batch of ``hands`` hands; may be called again after ``close``."""

    def watch(self, view: View) -> None:
        """Show a hand that begins to the player that waits, because the other one acts first. Never raises."""

    def ask(self, view: View) -> Reply:
        """Return the player's action for a turn."""

    def overspent(self) -> PlayerFaultError | None:
        """Return the fault of a player that used too much processor time in its opponent's turn; None: it did not."""

    def hand_over(self, outcome: Outcome) -> None:
        """Notify the player of the result of a hand."""

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Notify the player of the result of the match; ``won``: None: a draw or a batch. ``games``: won by it, by its opponent."""

    def log(self) -> str:
        """Return the end of what it wrote to stderr, to explain a fault. Never raises."""

    def close(self) -> None:
        """End the player and release everything that it uses. Never raises; may be called twice."""


# A player that is a function from a view to an action: for tests, self-play and a person at a keyboard.


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
