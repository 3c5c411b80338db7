"""A person at a browser as a player.

The thread of the match asks and waits; the server's event loop brings what browsers send. Each state that is shown has a number,
and a move names the number of the state that it answers: a move that was clicked twice, or in an old tab, is ignored. Only leaving
is possible in every state.

A person may look at the end of a hand for as long as it likes: the match continues meanwhile, and waits only before its next
question. So of two people at one table neither waits for the other to see the result.
"""

import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec import Struct

from arena.gin.cards import with_signs
from arena.gin.facts import Seat
from arena.gin.view import Outcome, View
from arena.human.advising import advise
from arena.human.error_trend import MatchErrors
from arena.human.persons_review import PersonsReview, in_words
from arena.human.player import HumanPlayer
from arena.reports.describe import ending_words, match_ended, opponent_did, standing, you_did
from arena.review.summary import ReviewedHand
from arena.sdk.named_moves import Move, moves
from arena.web.table_states import hand_over_shown, hint_shown, turn_shown, wait_shown, waiting, watch_shown

LOG_LINES = 60  # of the log that is shown
AGAIN = "play:"  # and the name of an opponent: the move that asks for another match
LEAVE = "leave"  # the move that loses the match; after a match it declines another one
DONE = "done"  # the move that declines another match
NEXT = "next"  # the move that closes the result of a hand
BEFORE_A_THROW = ("draw", "take")  # moves after which the same player is asked again


class SentMove(Struct, frozen=True, forbid_unknown_fields=True):
    """A move from the browser."""

    state: int  # the number of the state that it answers
    move: str


class Clock:
    """Measures how long each player has thought in the match: from the state of its turn to the next state. It sets no limit."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        """``now`` returns the seconds since 1970; a page computes the time since then by its own clock."""
        self._now = now
        self._since = now()
        self._kind = ""  # of the state that is shown
        self._spent = {"turn": 0.0, "wait": 0.0}  # seconds, of the person and of the opponent

    def show(self, kind: str) -> dict[str, Any]:
        """Note that a state of this kind is shown from now on; return the clock as the page gets it."""
        at = self._now()
        if self._kind in self._spent:
            self._spent[self._kind] += max(at - self._since, 0.0)
        self._since, self._kind = at, kind
        mine, theirs = (round(seconds, 1) for seconds in self._spent.values())
        return {"spent": [mine, theirs], "acts": {"turn": 0, "wait": 1}.get(kind), "since": round(at, 3)}


class WebPlayer(HumanPlayer):
    """A person at a browser. Methods of a player block the thread of the match until the browser has sent a move."""

    def __init__(self, opponent: str, show: Callable[[dict[str, Any]], None], *, helped: bool = True) -> None:
        """Wait for a match; ``helped``: with hints, and a review of each hand when it is over."""
        super().__init__()
        self._show = show
        self.helped = helped
        self._runs = True  # whether the clock runs, while a player thinks
        self._lock = threading.Lock()  # over what is shown: both threads show
        self._state: dict[str, Any] = {"state": 0, "opponent": opponent, "log": [], **waiting(opponent)}  # what is shown
        self._moves: queue.SimpleQueue[SentMove | None] = queue.SimpleQueue()
        self._has_read = threading.Event()  # the person has closed the result of the last hand
        self._has_read.set()
        self._asked: tuple[int, View] | None = None  # the number of the last turn that was shown, and what was seen in it
        self._away = ""  # a notice that the opponent is not at the table
        self.meet(opponent)

    def meet(self, opponent: str) -> None:
        """Begin a match against another opponent, or the same again."""
        self.opponent, self.left, self.before = opponent, False, None
        self._clock = Clock()
        self._after_result: dict[str, Any] = waiting(opponent)  # what is shown after the result of a hand: the next one, or the end
        self._result = ""  # of the match, in words
        self._log: list[str] = []
        self._named: tuple[int, int] | None = None  # game and hand of the last one that the log names
        self._review: PersonsReview | None = None  # of the hands that are reviewed
        self._last_hand = ""  # the last one that is over, as 0.3

    def receive(self, move: SentMove | None) -> None:
        """Accept a move from the browser; None: the server stops, or the other person wants no rematch. Thread-safe."""
        if move is not None and move.move == NEXT:
            self._read_on(move)
            return
        if move is None or move.move == LEAVE:
            self.stopped = self.stopped or move is None
            self.left = True
            self._has_read.set()
        self._moves.put(move)

    def _read_on(self, move: SentMove) -> None:
        """Close the result of a hand, and show what follows it."""
        with self._lock:
            if not self._has_read.is_set() and move.state == self._state["state"]:
                self._replace(self._after_result)
                self._has_read.set()

    def tell_away(self, notice: str) -> None:
        """Show a notice from now on, or none if it is empty, beside what is shown. Thread-safe."""
        self._away = notice
        self.tell()

    def tell(self, notice: str = "") -> None:
        """Show a notice until the next state, beside the one of ``tell_away``. Thread-safe."""
        with self._lock:
            self._state["notice"] = " ".join(filter(None, (self._away, notice)))
            self._show(dict(self._state))

    def show_review(self, hands: Sequence[ReviewedHand], earlier: Sequence[MatchErrors] = ()) -> None:
        """Show from now on a review: of ``hands`` together, of the last of them, and of earlier matches. Thread-safe."""
        with self._lock:
            self._review = in_words(hands, earlier)
            self._state["review"] = self._review
            self._show(dict(self._state))

    def advise(self, state: int) -> dict[str, Any] | None:
        """Return the reviewer's hint for a turn; None: it is another turn, or there is no help. Thread-safe; takes a while."""
        asked = self._asked
        return hint_shown(advise(asked[1])) if self.helped and asked and asked[0] == state else None

    def run_clock(self, *, runs: bool) -> None:
        """Let the clock run while a player thinks, or stop it while somebody is not at the table. Thread-safe."""
        with self._lock:
            if runs == self._runs:
                return
            self._runs = runs
            self._state["clock"] = self._read_clock(self._state["kind"])
            self._show(dict(self._state))

    def _read_clock(self, kind: str) -> dict[str, Any]:
        return self._clock.show(kind if self._runs else "")

    def _send(self, state: dict[str, Any]) -> None:
        with self._lock:
            self._replace(state)

    def _show_next(self, state: dict[str, Any]) -> None:
        """Show a state, as soon as the person has closed the result of the last hand."""
        with self._lock:
            self._after_result = state
            if self._has_read.is_set():
                self._replace(state)

    def _replace(self, state: dict[str, Any]) -> None:
        log = self._log[-LOG_LINES:]
        number = self._state["state"] + 1
        self._state = {
            "state": number,
            "opponent": self.opponent,
            "log": log,
            "notice": self._away,
            "review": self._review,
            "last_hand": self._last_hand if self.helped or state["kind"] == "match_saved" else "",
            "clock": self._read_clock(state["kind"]),
            **state,
        }
        if not self.helped:
            self._state.pop("hint", None)
        self._show(dict(self._state))

    def _write(self, line: str) -> None:
        """Add a line to the log."""
        self._log.append(with_signs(line))

    def _next_move(self, legal: Collection[str]) -> str | None:
        while not self.stopped:
            sent = self._moves.get()
            if sent is None or sent.move == LEAVE:
                return None
            if sent.state == self._state["state"] and sent.move in legal:
                return sent.move
        return None

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Show that the opponent may be the first to act. Raises: PlayerFaultError."""
        super().begin(seat, hands)
        self._show_next(waiting(self.opponent))

    def watch(self, view: View) -> None:
        """Show the hand as it is dealt, once the person has read how the last one ended."""
        super().watch(view)
        self._name_hand(view)
        self._show_next(watch_shown(view, self.opponent))

    def _name_hand(self, view: View) -> None:
        """Write the beginning of a hand to the log, once."""
        if self._named != (view.game, view.hand):
            self._named = (view.game, view.hand)
            self._write(f"{standing(view, self.opponent)}.")

    def choose(self, view: View) -> Move | None:
        """Return the move that the browser sends; None: the person left, or the server stops."""
        self._has_read.wait()
        legal = moves(view)
        self._name_hand(view)
        for did in opponent_did(self.before, view):
            self._write(f"{self.opponent} {did}.")
        with self._lock:
            self._asked = self._state["state"] + 1, view
            self._replace(turn_shown(view, self.before, legal, self.opponent))
        name = self._next_move(legal)
        if name is None:
            return None
        self._write(f"You {you_did(view, legal[name].action)}.")
        if name not in BEFORE_A_THROW:
            self._send(wait_shown(view, legal[name], self.opponent))
        return legal[name]

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards until the person continues; the match continues meanwhile."""
        self.before = None
        assert self.rules, "the table gives them when a match begins"
        self._write(ending_words(outcome, self.opponent, self.rules))
        self._last_hand = f"{outcome.game}.{outcome.hand}"
        self._after_result = waiting(self.opponent)
        self._has_read.clear()  # before ``left`` is read: ``receive`` sets ``left`` first, and then this event
        if self.left or self.stopped:
            self._has_read.set()
        else:
            self._send(hand_over_shown(outcome, self.opponent, self.rules))

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Show the winner as soon as the person has read how the last hand ended, and wait until then."""
        self._result = match_ended(self.opponent, won=won, games=games, hands=self.hands)
        self._write(self._result)
        self._show_next({"kind": "match_over", "text": self._result})
        self._has_read.wait()

    def offer(self, saved: str, replay: str, opponents: Sequence[str]) -> None:
        """Show where the match was ``saved``, with a link to its ``replay``, and offer another one against ``opponents``."""
        self._result = self._result or "You left the match, and lost it."
        self._moves = queue.SimpleQueue()  # without the move by which the person left
        self._send({"kind": "match_saved", "text": self._result, "saved": saved, "replay": replay, "bots": opponents})

    def choose_opponent(self, opponents: Sequence[str]) -> str | None:
        """Return the opponent to play next, one of ``opponents``; None: no other match."""
        name = self._next_move({DONE, *(AGAIN + opponent for opponent in opponents)})
        return None if name is None or name == DONE else name.removeprefix(AGAIN)

    def close_table(self) -> None:
        """Show that the table is closed."""
        self._send({"kind": "closed", "text": self._result})
