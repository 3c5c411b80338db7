"""Players that wrap another player: one records what was asked, one restarts it before every hand, one joins each hand late."""

from collections import Counter
from collections.abc import Callable

from arena.gin.actions import Action
from arena.gin.deal import Seat
from arena.gin.hand import Phase
from arena.gin.view import Outcome, View
from arena.players.base import Player, PlayerFaultError, Reply


class ObservedPlayer:
    """Passes every call on, and records the last turn, the number of turns in each phase, and the cost of each answer."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.view: View | None = None  # the last turn; None: no turn yet
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
        self.view = view
        self.phases[view.phase] += 1
        reply = self._player.ask(view)
        self.costs.append(reply.cpu)
        return reply

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
        self._closed = False

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Begin, and keep the arguments for the restarts."""
        self._seat, self._hands = seat, hands
        super().begin(seat, hands)

    def ask(self, view: View) -> Reply:
        """Restart the player if a hand has ended since, then ask it."""
        if self._closed:
            super().begin(self._seat, self._hands)
            self._closed = False
        return super().ask(view)

    def hand_over(self, outcome: Outcome) -> None:
        """Pass on the result of the hand, then close the player."""
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
        self._joined = False

    def ask(self, view: View) -> Reply:
        """Return the player's action if it has joined the hand, else the function's."""
        self._joined = self._joined or view.phase is self._phase
        return super().ask(view) if self._joined else Reply(self._stand_in(view))

    def hand_over(self, outcome: Outcome) -> None:
        """Pass on the result of the hand; the function plays the start of the next one."""
        self._joined = False
        super().hand_over(outcome)
