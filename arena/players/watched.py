"""Players around players: one remembers what was asked, one is started anew before every hand, one joins hands late."""

from collections import Counter
from collections.abc import Callable

from arena.gin.actions import Action
from arena.gin.deal import Seat
from arena.gin.hand import Phase
from arena.gin.view import Outcome, View
from arena.players.base import Player, Reply


class Watched:
    """Passes everything on, and remembers the last turn, how often each phase came and what answers cost."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.view: View | None = None  # the last turn that was asked
        self.phases: Counter[Phase] = Counter()
        self.costs: list[float] = []  # seconds of processor time of each answer

    def start(self) -> None:
        """Get ready."""
        self._player.start()

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Sit down."""
        self._player.begin(seat, hands)

    def ask(self, view: View) -> Reply:
        """Return the player's action, and what it cost."""
        self.view = view
        self.phases[view.phase] += 1
        reply = self._player.ask(view)
        self.costs.append(reply.cpu)
        return reply

    def hand_over(self, outcome: Outcome) -> None:
        """Tell how a hand ended."""
        self._player.hand_over(outcome)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Tell how the match ended."""
        self._player.match_over(won=won, games=games)

    def log(self) -> str:
        """Return the end of what it wrote to stderr."""
        return self._player.log()

    def close(self) -> None:
        """Leave nothing behind."""
        self._player.close()


class Forgetful(Watched):
    """A player that remembers nothing from hand to hand, for it is closed after each and begins anew."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self._seat: Seat = 0
        self._hands: int | None = None
        self._closed = False

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Sit down, and remember where."""
        self._seat, self._hands = seat, hands
        super().begin(seat, hands)

    def ask(self, view: View) -> Reply:
        """Begin anew if a hand was played since, then ask."""
        if self._closed:
            super().begin(self._seat, self._hands)
            self._closed = False
        return super().ask(view)

    def hand_over(self, outcome: Outcome) -> None:
        """Tell how the hand ended, and forget."""
        super().hand_over(outcome)
        self._player.close()
        self._closed = True

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Tell how the match ended, if there is somebody to be told."""
        if not self._closed:
            super().match_over(won=won, games=games)


class Late(Watched):
    """A player for whom a function plays until a phase comes up; from there to the end of the hand it plays itself."""

    def __init__(self, player: Player, stand_in: Callable[[View], Action], phase: Phase) -> None:
        super().__init__(player)
        self._stand_in = stand_in
        self._phase = phase
        self._joined = False

    def ask(self, view: View) -> Reply:
        """Return the player's action once it has joined, else the other's."""
        self._joined = self._joined or view.phase is self._phase
        return super().ask(view) if self._joined else Reply(self._stand_in(view))

    def hand_over(self, outcome: Outcome) -> None:
        """Tell how the hand ended, and stand back again."""
        self._joined = False
        super().hand_over(outcome)
