"""The author's end: plays a bot, which runs here in its sandbox, on a server elsewhere, over one outgoing connection.

After a break the client connects again, and names the last frame that it has received. Frames are numbered, so the client ignores
those that come twice. It sends its last answer again, which the server drops if it had arrived, or asks again for a game.

The server may be anybody's. Its frames have to come in order, to fit the game that is played, and to be few between two questions;
otherwise the connection is given up, and the pause before another one doubles until a question is answered.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from math import inf
from typing import Final, Protocol
from urllib.parse import urlencode, urlsplit

from msgspec import Struct
from msgspec.json import decode
from websockets.exceptions import InvalidHandshake

from arena.errors import MALFORMED, InputError
from arena.extras.remote.digests import line_digest
from arena.extras.remote.played import SignedGame, SignedGames
from arena.extras.remote.record import MOST_HANDS
from arena.extras.remote.session import FloodError, FrameRate, WelcomeMessage
from arena.extras.remote.socket_player import LINE_BYTES, GameMessage, GameOverMessage, VoidMessage
from arena.extras.remote.wires import ConnectionLostError, PollWire, SessionOverError, SocketWire, Wire, words_of
from arena.players.base import PlayerFaultError
from arena.players.process import Allowance, BotProcess
from arena.players.traffic_log import TrafficLog
from arena.protocol import codec, messages
from arena.protocol.messages import Bye, HandOver, Hello, MatchBegins, MatchOver, Turn
from arena.roster.entrant import Launch
from arena.text import printable

UNLIMITED = Allowance(cpu=inf, stall=inf, wall=3600.0)  # an hour: the server's clock ends before
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds before another connection is tried
MOST_QUEUED = codec.LINE_BYTES  # bytes of the lines between two questions
_FRAME = re.compile(r"([0-9]{1,9})(?::([0-9a-f]{64}))? ([^\r\n]+)")


class Answers(Protocol):
    """Answers the referee's questions on this machine: a bot's process, or another player."""

    def ask(self, kind: str, line: bytes) -> bytes:
        """Return the answer to a question of a kind, ``hello`` or ``turn``, without a newline.

        Raises: PlayerFaultError; MalformedError, for a line that cannot be read.
        """

    def queue(self, line: bytes) -> None:
        """Take a line that needs no answer. Raises: MalformedError."""

    def close(self) -> None:
        """End the game. Never raises; may be called twice."""


class BotAnswers:
    """A bot's process, started anew by each ``hello``."""

    def __init__(self, name: str, launch: Launch) -> None:
        """``launch`` already has its sandbox."""
        self._name = name
        self._launch = launch
        self._bot: BotProcess | None = None

    def ask(self, kind: str, line: bytes) -> bytes:
        """Return the bot's answer to a question. Raises: PlayerFaultError; LaunchFailedError, if it cannot be started here."""
        if kind == "hello":
            self.close()
            traffic = TrafficLog(self._name, "", 4096, (self._launch.folder, *self._launch.reads))
            self._bot = BotProcess(self._launch, LINE_BYTES, traffic)
        if self._bot is None:
            raise PlayerFaultError("crash", "not running")
        self._bot.send(line)
        if kind == "hello":
            self._bot.wait_ready()
        found = self._bot.receive(UNLIMITED).text
        if kind == "hello":
            self._bot.seal()
        return found

    def queue(self, line: bytes) -> None:
        """Have the line sent with the next question."""
        if self._bot:
            self._bot.queue(line)

    def close(self) -> None:
        """End the bot."""
        if self._bot:
            self._bot.close()
            self._bot = None


class JoinRequest(Struct, frozen=True, kw_only=True):
    """The bot, the server and the number of games of one ``arena join``."""

    url: str
    token: str
    name: str  # of the bot, without its author
    answers: Answers
    games: int | None = None  # None: without end
    until: datetime | None = None  # no game is begun after it


Message = WelcomeMessage | GameMessage | VoidMessage | GameOverMessage | messages.RefereeMessage
MESSAGES: Final[dict[str, type[Message]]] = {
    "welcome": WelcomeMessage,
    "game": GameMessage,
    "void": VoidMessage,
    "game_over": GameOverMessage,
    "hello": Hello,
    "match": MatchBegins,
    "turn": Turn,
    "hand_over": HandOver,
    "match_over": MatchOver,
    "bye": Bye,
}


class _Typed(Struct):
    type: str


class Frame(Struct, frozen=True):
    """A frame of the server."""

    number: int  # 0: of a control frame
    before: str  # the digest of the answers before a question, if it asks for a signature
    line: str
    message: Message | None  # None: of a kind that is not known


def read_frame(text: str) -> Frame:
    """Return a frame. Raises: ConnectionLostError, for another text, as a line of a proxy's page."""
    found = _FRAME.fullmatch(text) if len(text) <= codec.LINE_BYTES else None
    try:
        if found:
            kind = decode(found[3], type=_Typed).type
            message = decode(found[3], type=MESSAGES[kind]) if kind in MESSAGES else None
            if isinstance(message, Turn):
                _check_place(message)
            return Frame(int(found[1]), found[2] or "", found[3], message)
    except (ValueError, *MALFORMED):
        pass
    raise ConnectionLostError(f"it sends no frame but {words_of(text[:60])!r}")


def _check_place(turn: Turn) -> None:
    """Raise ValueError for a turn of a game or hand that a batch cannot have; its numbers are kept in a database."""
    if not (0 <= turn.game < MOST_HANDS and 0 <= turn.hand < MOST_HANDS):
        raise ValueError("a number of a game or hand")


class Joining:
    """Plays the games of one bot, or another player, until it has played enough."""

    def __init__(self, request: JoinRequest, signed: SignedGames | None, tell: Callable[[str], None]) -> None:
        """``signed`` are the games that are signed; None: the answers are not signed."""
        self._request = request
        self._signed = signed
        self._tell = tell
        self._session = ""
        self._bot = ""  # its name at the server
        self._received = 0  # number of the last frame
        self._last = ""  # the last answer, as a frame
        self._game: GameMessage | None = None  # that is played
        self._signed_game: SignedGame | None = None
        self._played = 0  # games
        self._answers = request.answers
        self._was_admitted = False  # the server has let it in at least once
        self._polls = False  # a WebSocket does not get through, so it uses long polls
        self._pause = FIRST_PAUSE
        self._rate = FrameRate(time.monotonic())  # of the frames since the last question
        self._queued = 0  # bytes of the lines since the last question
        self._was_asked = False  # a question of the game was answered

    def play(self) -> int:
        """Play, and return the number of games. Raises: InputError."""
        try:
            while not self._is_done():
                try:
                    self._play_over(self._connect())
                except ConnectionLostError as error:
                    why = str(error)
                    if isinstance(error, SessionOverError) and self._session:
                        self._forget_session()
                        why = "the server does not know the session any more"
                    if not self._was_admitted:
                        raise InputError(f"{self._request.url}: cannot be joined: {why}") from None
                    self._tell(f"connection lost ({why}); another one in {self._pause:.0f} s")
                    time.sleep(self._pause)
                    self._pause = min(2 * self._pause, LONGEST_PAUSE)
        finally:
            self._answers.close()
        return self._played

    def _play_over(self, wire: Wire) -> None:
        """Play over a connection until it is lost. Raises: ConnectionLostError, InputError."""
        try:
            while not self._is_done():
                if (text := wire.receive()) is not None:
                    self._rate.count(time.monotonic())
                    self._handle(wire, read_frame(text))
        except FloodError as error:
            raise ConnectionLostError(f"it sends {error} without a question") from None
        finally:
            wire.close()

    def _is_done(self) -> bool:
        if self._game:
            return False
        late = self._request.until is not None and datetime.now().astimezone() >= self._request.until
        return late or (self._request.games is not None and self._played >= self._request.games)

    def _connect(self) -> Wire:
        if not self._polls:
            try:
                return SocketWire(self._request.url, self._query(), self._request.token)
            except InvalidHandshake as error:
                self._tell(f"no WebSocket gets through ({words_of(error)}); using long polls")
                self._polls = True
        wire = PollWire(self._request.url, self._query, self._request.token)
        if self._session:
            self._send_again(wire)  # with the first request: the answer to that may take seconds
        return wire

    def _query(self) -> str:
        query = {"bot": self._request.name, "received": str(self._received)}
        query |= {"session": self._session} if self._session else {}
        return urlencode(query | ({"key": self._signed.key.public} if self._signed else {}))

    def _forget_session(self) -> None:
        self._answers.close()
        self._session, self._bot, self._received, self._last = "", "", 0, ""
        self._game = self._signed_game = None

    def _handle(self, wire: Wire, frame: Frame) -> None:
        if frame.number == 0:
            if isinstance(frame.message, WelcomeMessage):
                self._begin(wire, frame.message)
            return
        if frame.number <= self._received:
            return
        if frame.number > self._received + 1 or not self._session:
            raise ConnectionLostError(f"it sends frame {frame.number}; expected {self._received + 1}")
        self._received = frame.number
        self._take(wire, frame)
        if not self._game and not self._is_done():
            wire.send('0 {"type":"seek"}')

    def _take(self, wire: Wire, frame: Frame) -> None:
        """Act on the next frame. Raises: ConnectionLostError, for one that does not fit the game; InputError."""
        match frame.message:
            case GameMessage() as message:
                self._begin_game(message)
            case _ if self._game is None:
                raise ConnectionLostError("it sends a line of a game, and none is played")
            case VoidMessage(game=game, why=why):
                self._end_game(game, "void", words_of(why))
            case GameOverMessage(game=game, points=points):
                self._end_game(game, "over", f"{points:+} points")
            case Hello() | Turn() as question:
                with suppress(ConnectionLostError):  # the answer is needed over another connection, too
                    wire.send(str(frame.number))  # acknowledges the frame, so that the server can measure the lag of the connection
                self._last = f"{frame.number}{self._answer(frame, question)}"
                self._pause, self._rate, self._queued, self._was_asked = FIRST_PAUSE, FrameRate(time.monotonic()), 0, True
                wire.send(self._last)
            case _:
                self._queue(frame.line)

    def _begin(self, wire: Wire, welcome: WelcomeMessage) -> None:
        """Begin a session or a connection; with long polls each response has a welcome, and only that of a new session counts."""
        new, self._was_admitted = welcome.session != self._session, True
        if new:
            if self._session or welcome.bot.partition(".")[2] != self._request.name:
                expected = self._bot or f"{self._request.name} in a new one"
                raise ConnectionLostError(f"it welcomes {welcome.bot} to another session; expected {expected}")
            keeps = f"; it keeps what it signs in {printable(str(self._signed.path))}" if self._signed else ""
            self._tell(f"plays as {welcome.bot}{keeps}")
            self._session, self._bot = welcome.session, welcome.bot
        if new or not self._polls:
            self._send_again(wire)

    def _send_again(self, wire: Wire) -> None:
        """Send the last answer, which the server may not have received, or drops; ask for a game if none is played."""
        if self._last:
            wire.send(self._last)
        if not self._game:
            wire.send('0 {"type":"seek"}')

    def _begin_game(self, message: GameMessage) -> None:
        if self._game or message.seats.count(self._bot) != 1:
            raise ConnectionLostError(
                f"it begins {message.game} of {' and '.join(message.seats)}; expected one game of {self._bot}"
            )
        self._signed_game = self._signed.begin(message) if self._signed else None
        self._game, self._was_asked = message, False
        opponent = message.seats[1 - message.seats.index(self._bot)]
        self._tell(f"{message.game} against {opponent}")

    def _queue(self, line: str) -> None:
        """Pass on a line without an answer. Raises: ConnectionLostError."""
        content = line.encode() + b"\n"
        self._queued += len(content)
        if self._queued > MOST_QUEUED:
            raise ConnectionLostError(f"it sends more than {MOST_QUEUED} bytes without a question")
        with _reading():
            self._answers.queue(content)

    def _answer(self, frame: Frame, question: Hello | Turn) -> str:
        """Return the answer to a question, as the rest of its frame. Raises: GameRefusedError."""
        if self._signed_game is None or isinstance(question, Hello):
            return f" {self._ask(frame, question)}"
        digest = line_digest(frame.line.encode())
        found = self._signed_game.find(frame.before, digest, question)
        if found is None:
            found = self._signed_game.sign(frame.before, digest, question, self._ask(frame, question))
        return f":{found.signature} {found.answer}"

    def _ask(self, frame: Frame, question: Hello | Turn) -> str:
        kind = "hello" if isinstance(question, Hello) else "turn"
        try:
            with _reading():
                return self._answers.ask(kind, frame.line.encode() + b"\n").decode(errors="replace")
        except PlayerFaultError as fault:
            self._tell(f"the bot: {fault.kind}: {fault.detail}{': ' if fault.stderr else ''}{fault.stderr.strip()[-200:]}")
            self._answers.close()
            return "{}"  # malformed, which costs the hand at once

    def _end_game(self, game: str, how: str, more: str) -> None:
        """End the game that is played. Raises: ConnectionLostError, for another one, and for one without a question."""
        if self._game is None or game != self._game.game:
            raise ConnectionLostError(f"it ends {game}, which is not played")
        self._tell(f"{game} is {how}: {more}")
        if self._signed_game:
            self._signed_game.end(how)
        self._answers.close()
        self._game = self._signed_game = None
        self._played += how == "over"
        if not self._was_asked:  # so that a server without games to play is not asked for one all the time
            raise ConnectionLostError(f"{game} had no question")


@contextmanager
def _reading() -> Iterator[None]:
    """Turn the MalformedError of a player that reads a line into ConnectionLostError."""
    try:
        yield
    except codec.MalformedError as error:
        raise ConnectionLostError(f"it sends a line that is {words_of(error)}") from None


def server_url(text: str) -> str:
    """Return the address of a server without a slash at its end. Raises: InputError."""
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and not (parts.query or parts.fragment)
    except ValueError:  # unbalanced brackets, or an invalid port
        valid = False
    if not valid:
        raise InputError(f"URL: found {text!r}; expected an address as https://club.example.org")
    return parts.geturl().rstrip("/")
