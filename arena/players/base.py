"""The interface between the referee and a player: a process, a function or a person."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from arena.errors import WorkerLostError
from arena.gin.actions import Action
from arena.gin.facts import Seat
from arena.gin.match import Phase
from arena.gin.view import Outcome, View
from arena.records import FaultKind


class Reply(Struct, frozen=True):
    """An action and its cost."""

    action: Action
    cpu: float = 0.0  # seconds of the player's own processor time since its previous answer
    wall: float = 0.0  # seconds from question to answer
    question: bytes = b""  # as it was sent
    answer: bytes = b""  # as it was received
    note: str = ""  # for the replay, of any length; nothing depends on it


class PlayerFaultError(Exception):
    """A player did not return an action; it must be closed and begun again before the next question."""

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
        self.cpu = cpu  # seconds of the player's own processor time since its previous answer
        self.wall = wall  # seconds since the question


@contextmanager
def repeating_lost() -> Iterator[None]:
    """Raise WorkerLostError for a fault of kind ``lost``: where no match is played, the whole question is repeated."""
    try:
        yield
    except PlayerFaultError as error:
        if error.kind == "lost":
            raise WorkerLostError(f"a bot's process was lost: {error.detail}") from None
        raise


class Player:
    """A player in a seat; every method but ``ask`` does nothing by default.

    Only ``start``, ``begin`` and ``ask`` may raise PlayerFaultError, or WorkerLostError, if the machine cannot start the player.
    """

    def start(self) -> None:
        """Start, without waiting until it is ready."""

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Begin a match (``hands`` is None) or a batch of ``hands`` hands; may be called again after ``close``."""

    def watch(self, view: View) -> None:
        """Show the start of a hand to the player that does not act first. Never raises."""

    def ask(self, view: View) -> Reply:
        """Return the player's action for a turn."""
        raise NotImplementedError

    def overspent(self) -> PlayerFaultError | None:
        """Return the fault of a player that used too much processor time in its opponent's turn; None: it did not."""

    def hand_over(self, outcome: Outcome) -> None:
        """Notify the player of the result of a hand."""

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Notify the player of the result of the match.

        ``won``: None: a draw or a batch. ``games``: those won by this player and by its opponent.
        """

    def log(self) -> str:
        """Return the end of the player's stderr, to explain a fault. Never raises."""
        return ""

    def close(self) -> None:
        """End the player and release everything that it uses. Never raises; may be called twice."""


class InlinePlayer(Player):
    """Calls a function in this process for each action, for tests, self-play and people: no sandbox, no measured time."""

    def __init__(self, answer: Callable[[View], Action], learn: Callable[[Outcome], None] | None = None) -> None:
        self._answer = answer
        self._learn = learn

    def ask(self, view: View) -> Reply:
        """Return the function's action."""
        return Reply(self._answer(view))

    def hand_over(self, outcome: Outcome) -> None:
        """Pass the outcome to the function that learns from it, if there is one."""
        if self._learn:
            self._learn(outcome)


class ObservedPlayer(Player):
    """Passes every call on to a player, and counts the turns in each phase; keeps the last view and answer, and all costs."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.view: View | None = None  # the last turn; None: no turn yet
        self.reply: Reply | None = None  # to the last turn; None: it was a fault, or there is none yet
        self.phases: Counter[Phase] = Counter()
        self.costs: list[float] = []  # seconds of processor time of each answer

    def start(self) -> None:
        """Start the player."""
        self._player.start()

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Begin a match or a batch."""
        self._player.begin(seat, hands)

    def watch(self, view: View) -> None:
        """Pass on a hand that begins."""
        self._player.watch(view)

    def ask(self, view: View) -> Reply:
        """Return the player's action and its cost."""
        self.view, self.reply = view, None
        self.phases[view.phase] += 1
        self.reply = self._player.ask(view)
        self.costs.append(self.reply.cpu)
        return self.reply

    def overspent(self) -> PlayerFaultError | None:
        """Return the player's fault, if it used too much processor time in its opponent's turn."""
        return self._player.overspent()

    def hand_over(self, outcome: Outcome) -> None:
        """Pass on the result of a hand."""
        self._player.hand_over(outcome)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Pass on the result of the match."""
        self._player.match_over(won=won, games=games)

    def log(self) -> str:
        """Return the end of what the player wrote to stderr."""
        return self._player.log()

    def close(self) -> None:
        """End the player."""
        self._player.close()


class RestartedPlayer(ObservedPlayer):
    """A player that is closed after every hand and restarted for the next, so that it remembers nothing."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self._seat: Seat = 0
        self._hands: int | None = None
        self._closed = False  # after a hand, until it is restarted

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Begin, and keep the arguments for restarts."""
        self._seat, self._hands = seat, hands
        super().begin(seat, hands)
        self._closed = False

    def ask(self, view: View) -> Reply:
        """Restart the player if a hand has ended since, then ask it."""
        if self._closed:
            self.begin(self._seat, self._hands)
        return super().ask(view)

    def hand_over(self, outcome: Outcome) -> None:
        """Pass on the result of the hand and close the player, unless it is closed."""
        if not self._closed:
            super().hand_over(outcome)
            self._player.close()
            self._closed = True

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Pass on the result of the match, unless the player is closed."""
        if not self._closed:
            super().match_over(won=won, games=games)


class LateJoiner(ObservedPlayer):
    """A player that joins each hand at the first turn in a given phase; until then a function plays in its place."""

    def __init__(self, player: Player, stand_in: Callable[[View], Action], phase: Phase) -> None:
        super().__init__(player)
        self._stand_in = stand_in
        self._phase = phase
        self._joined = False  # whether it plays the rest of this hand

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Begin, at the first hand or after a fault, which has ended a hand."""
        self._joined = False
        super().begin(seat, hands)

    def ask(self, view: View) -> Reply:
        """Return the player's action if it has joined the hand, else the function's."""
        self._joined = self._joined or view.phase is self._phase
        return super().ask(view) if self._joined else Reply(self._stand_in(view))

    def hand_over(self, outcome: Outcome) -> None:
        """Pass on the result of the hand; the function plays the start of the next one."""
        self._joined = False
        super().hand_over(outcome)
