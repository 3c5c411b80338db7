"""A seat for a program that speaks text: at a table here or at that of a server elsewhere."""

from threading import Condition

from msgspec.structs import replace

from arena.errors import InputError
from arena.gin.view import Outcome, View
from arena.human.player import HumanPlayer
from arena.human.terminal import hand_lines
from arena.players.base import Reply
from arena.reports.describe import match_ended, opponent_did
from arena.sdk.named_moves import Move, expected, moves, named, numbered
from arena.sdk.rule_words import rules_in_words
from arena.sdk.view_words import view_in_words
from arena.text import in_one_line, shorten

PATIENCE = 60.0  # seconds that a look waits for the opponent


class TextSeat(HumanPlayer):
    """A player whose match runs in another thread than the program that acts for it: events wait until the program looks."""

    def __init__(self, opponent: str) -> None:
        super().__init__()
        self._opponent = opponent
        self._changed = Condition()
        self._events: list[str] = []  # since the last look
        self._turn: View | None = None  # that waits for a move
        self._move: Move | None = None  # that the program has made and the match has not taken yet
        self._why = ""  # the program's reason for its last move
        self._ended = ""  # why there is nothing more to play; empty: the match continues

    def ask(self, view: View) -> Reply:
        """Return the move, with the program's reason as a note: cut, so that a line with it is not too long for a server.

        Raises: RunStoppedError, if the seat was closed.
        """
        reply = super().ask(view)
        return replace(reply, note=shorten(self._why))

    def choose(self, view: View) -> Move | None:
        """Wait for a move; None: the seat was closed."""
        with self._changed:
            self._events += [f"{self._opponent} {did}." for did in opponent_did(self.before, view)]
            self._turn = view
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._move or self.stopped)
            move, self._turn, self._move = self._move, None, None
            return move

    def hand_over(self, outcome: Outcome) -> None:
        """Keep how a hand ended."""
        self.tell(*hand_lines(outcome, self._opponent, self.rules))
        self.before = None

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Keep how the match ended."""
        self.tell(match_ended(self._opponent, won=won, games=games, hands=self.hands))

    def tell(self, *lines: str) -> None:
        """Keep events until the next look."""
        with self._changed:
            self._events += lines

    def end(self, reason: str) -> None:
        """Set the reason why there is nothing more to play."""
        with self._changed:
            self._ended = reason
            self._changed.notify_all()

    def look(self) -> str:
        """Return the events since the last look, and the turn or why there is none.

        It waits at most ``PATIENCE`` seconds for a turn or the end.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._ended or (self._turn and not self._move), PATIENCE)
            events, self._events = self._events, []
            return "\n".join([*events, *self._turn_lines()])

    def act(self, move: str, why: str = "") -> str:
        """Make a move, by its name or its number; return the events until the next turn.

        Raises: InputError, if the move is not possible: nothing has changed.
        """
        with self._changed:
            if self._ended:
                raise InputError(self._ended)
            if self._turn is None or self._move:
                raise InputError("It is not your turn. Look again.")
            legal = moves(self._turn)
            if (chosen := named(move.strip(), legal)) is None:
                raise InputError(f"{in_one_line(shorten(move, 40))!r} is not possible now; {expected(legal)}.")
            self._why, self._move = why, chosen
            self._changed.notify_all()
        return self.look()

    def rules_text(self) -> str:
        """Return the rules of the match in words, once they are known; if it ended before, the reason.

        Empty: neither is known after ``PATIENCE`` seconds.
        """
        with self._changed:
            self._changed.wait_for(lambda: self.rules or self._ended, PATIENCE)
            return rules_in_words(self.rules) if self.rules else self._ended

    def stop(self) -> None:
        """Close the seat: the match is kept as far as it was played."""
        with self._changed:
            self.stopped = True
            self._changed.notify_all()

    def _turn_lines(self) -> list[str]:
        if self._turn and not self._move:
            return [view_in_words(self._turn), "Moves:", *numbered(moves(self._turn).values())]
        return [self._ended or f"{self._opponent} is thinking. Look again."]
