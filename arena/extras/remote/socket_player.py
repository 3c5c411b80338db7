"""The server's end of a seat whose bot is elsewhere: a player that asks over a session, and keeps the answers to turns.

The event loop and the thread of the game share a ``SeatLink``: the loop passes it the frames that arrive, the thread waits for the
answer to its question. No thread waits for a client that reads slowly: its frames wait in the session.
"""

import time
from collections.abc import Callable
from threading import Condition
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import RunStoppedError
from arena.extras.remote.digests import digest_after, line_digest, opening_digest
from arena.extras.remote.record import MOST_HANDS, GameName, KeptAnswer
from arena.extras.remote.session import ClockTerms, Dropped, Elapsed, GivenAnswer, SeatClock, SeekGame, Session
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.players.base import Player, PlayerFaultError, Reply
from arena.protocol import codec, messages, notation, schema
from arena.records import Hash
from arena.roster.entrant import EntrantName

LINE_BYTES = 1024  # of an answer, with the newline that a frame leaves out
MOST_POINTS = 1_000_000  # of a game


class SeatLink:
    """A session, shared by the event loop and the thread of a game."""

    def __init__(self, session: Session, key: str = "", now: Callable[[], float] = time.monotonic) -> None:
        """``key`` is the public key of the signatures of its answers; empty: they are not signed."""
        self.session = session
        self.key = key
        self.token = ""  # the digest of the token with which its client last connected
        self.now = now
        self.changed = Condition()
        self.wake: Callable[[], None] = lambda: None  # tells the connection that there are frames; any thread may call it
        self.seeking: float | None = None  # the time since which it asks for a game; None: it does not
        self.game = ""  # that it plays; empty: none
        self.stopped = False  # the server stops
        self._answer: GivenAnswer | None = None

    def receive(self, text: str) -> Dropped | None:
        """Take a frame of the client; return the message to send back if it does not count. Raises: FloodError."""
        with self.changed:
            found = self.session.receive(text, self.now())
            match found:
                case GivenAnswer():
                    self._answer = found
                    self.changed.notify_all()
                case SeekGame() if self.game:
                    return Dropped(0, f"game {self.game} is being played")
                case SeekGame():
                    self.seeking = self.now() if self.seeking is None else self.seeking
                case Dropped():
                    return found
            return None

    def attach(self, wake: Callable[[], None]) -> None:
        """Attach a connection, which ``wake`` tells that there are frames, and wake the one that it replaces."""
        before, self.wake = self.wake, wake
        before()

    def connect(self, received: int) -> None:
        """Note a connection of a client that has received the frames up to a number."""
        with self.changed:
            self.session.connect(received, self.now())
            self.changed.notify_all()

    def disconnect(self) -> None:
        """Note that the connection was lost."""
        with self.changed:
            self.session.disconnect(self.now())
            self.changed.notify_all()

    def stop(self) -> None:
        """End the wait of the game's thread: the server stops."""
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def send(self, line: bytes) -> None:
        """Send a line that has no answer."""
        with self.changed:
            self.session.send(line.decode().rstrip("\n"))
        self.wake()

    def ask(self, line: bytes, clock: SeatClock, before: str = "") -> GivenAnswer | Elapsed:
        """Send a question and return its answer, or the time elapsed when the clock ran out. Raises: RunStoppedError.

        ``before`` is the digest of the answers before it, if they are signed.
        """
        with self.changed:
            self._answer = None
            self.session.ask(line.decode().rstrip("\n"), self.now(), before)
            self.wake()
            while (answer := self._answer) is None:
                if self.stopped:
                    raise RunStoppedError("stopped")
                elapsed = self.session.elapsed(self.now())
                left = clock.remaining(elapsed, connected=self.session.is_connected)
                if left <= 0:
                    self.session.withdraw()
                    return elapsed
                self.wait(left)
            return answer

    def wait(self, seconds: float) -> None:
        """Wait until the link has changed, at most some seconds. The caller holds ``changed``."""
        self.changed.wait(seconds)


class GameMessage(Struct, frozen=True, tag_field="type", tag="game"):
    """A game begins. With the commitment to the seed of its deals it is one game among those of all servers."""

    game: GameName
    seats: tuple[EntrantName, EntrantName]  # the bots at seats 0 and 1
    hands: Annotated[int, Meta(ge=1, le=MOST_HANDS)]
    commitment: Hash
    clock: ClockTerms


class VoidMessage(Struct, frozen=True, tag_field="type", tag="void"):
    """A game that was begun does not count."""

    game: GameName
    why: str


class GameOverMessage(Struct, frozen=True, tag_field="type", tag="game_over"):
    """A game is over, and on record."""

    game: GameName
    points: Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)]  # of the bot, net


class SocketPlayer(Player):
    """A player whose bot is at the other end of a link. It is charged wall time."""

    def __init__(self, link: SeatLink, message: GameMessage, rules: Rules, seed: str, kept: list[KeptAnswer]) -> None:
        """``kept`` receives the answers to turns; after a stop of the server it already has the earlier ones.

        An answer that is too long, or whose signature is missing or wrong, is not kept.
        """
        self.link = link
        self._before = opening_digest(message.commitment, message.game, message.hands, message.seats)
        for answer in kept:
            self._before = digest_after(self._before, answer.question, answer.line)
        terms = message.clock
        limits = messages.Limits(terms.seconds, terms.seconds + terms.away, LINE_BYTES)
        self._hello = codec.encode(messages.Hello(schema.VERSION, notation.rules_message(rules), limits, seed))
        self._clock = SeatClock.start(terms)
        self._kept = kept
        link.send(codec.encode(message))

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Send ``hello``, wait for ``ready``, and send ``match``. Raises: PlayerFaultError, RunStoppedError."""
        answer = self._ask(self._hello)
        try:
            ready = codec.decode_ready(answer.line.encode())
        except codec.MalformedError as error:
            raise _malformed_fault(f"expected ready: {error}", self._hello, answer) from None
        if ready.protocol != schema.VERSION:
            raise _malformed_fault(f"speaks protocol {ready.protocol}; expected {schema.VERSION}", self._hello, answer)
        self.link.send(codec.encode(messages.MatchBegins(seat, hands)))

    def ask(self, view: View) -> Reply:
        """Send the turn and return the action. Raises: PlayerFaultError, RunStoppedError."""
        question = codec.encode(notation.turn(view))
        asked = _milliseconds()
        answer = self._ask(question, self._before if self.link.key else "")
        line = answer.line.encode()
        if len(line) >= LINE_BYTES:
            raise _malformed_fault(f"a line of more than {LINE_BYTES} bytes", question, answer)
        if self.link.key and not self._is_signed(question, answer):
            raise _malformed_fault("its signature is missing, or does not fit", question, answer)
        self._kept.append(KeptAnswer(view.game, line_digest(question), asked, _milliseconds(), answer.line, answer.signature))
        self._before = digest_after(self._before, line_digest(question), answer.line)
        try:
            found = codec.decode_answer(line)
            action = notation.action(found)
        except ValueError as error:
            raise _malformed_fault(str(error), question, answer) from None
        return Reply(action, wall=answer.elapsed.wall, question=question, answer=line, note=found.note or "")

    def hand_over(self, outcome: Outcome) -> None:
        """Send the result of a hand."""
        self.link.send(codec.encode(notation.hand_over(outcome)))

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Send the result of the match, and ``bye``."""
        self.link.send(codec.encode(messages.MatchOver(won, games)))
        self.link.send(codec.encode(messages.Bye()))

    def _is_signed(self, question: bytes, answer: GivenAnswer) -> bool:
        from arena.extras.remote.signing import is_signed  # noqa: PLC0415 - the extra `remote`, which may not be installed

        return is_signed(self.link.key, self._before, line_digest(question), answer.line, answer.signature)

    def _ask(self, line: bytes, before: str = "") -> GivenAnswer:
        found = self.link.ask(line, self._clock, before)
        if isinstance(found, GivenAnswer):
            self._clock = self._clock.after_answer(found.elapsed)
            return found
        self._clock = self._clock.after_fault(found)
        how = f"away for {found.away:.0f} s of them" if found.away else f"lag of {found.lag:.2f} s"
        raise PlayerFaultError("timeout", f"no answer in {found.wall:.0f} s, {how}", question=line, wall=found.wall)


def _malformed_fault(detail: str, question: bytes, answer: GivenAnswer) -> PlayerFaultError:
    return PlayerFaultError("malformed", detail, question=question, answer=answer.line.encode(), wall=answer.elapsed.wall)


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000
