"""The author's end: plays a bot, which runs here in its sandbox, on a server elsewhere, over one outgoing connection.

After a break the client connects again, and names the last frame that it has received. Frames are numbered, so the client ignores
those that come twice. It sends its last answer again, which the server drops if it had arrived, or asks again for a game.
"""

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import datetime
from http import HTTPStatus
from http.client import HTTPException
from math import inf
from typing import Any, Final, Protocol
from urllib.parse import urlencode, urlsplit

from msgspec import Struct
from msgspec.json import decode
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidProxy, InvalidStatus, InvalidURI, WebSocketException
from websockets.sync.client import ClientConnection, connect

from arena.confinement.status import LaunchFailedError
from arena.errors import MALFORMED, InputError, WorkerLostError
from arena.players.base import PlayerFaultError
from arena.players.process import Allowance, BotProcess
from arena.players.traffic_log import TrafficLog
from arena.redirects import NoRedirects
from arena.remote.record import line_digest
from arena.remote.session import WelcomeMessage
from arena.remote.signing import SigningKey
from arena.remote.socket_player import GameMessage, GameOverMessage, VoidMessage
from arena.roster.entrant import Launch
from arena.text import in_one_line, shorten

UNLIMITED = Allowance(cpu=inf, stall=inf, wall=3600.0)  # an hour: the server's clock ends before
LINE_BYTES = 1 << 16  # that a bot may write here; the server allows less
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds before another connection is tried
OPEN_SECONDS = 10.0  # to open a connection
POLL_TIMEOUT = 40.0  # seconds
SILENCE = 1.0  # seconds without a frame after which a socket is asked again, so that an end is noticed
NO_TABLES = "it has no tables for bots from elsewhere; `arena serve FOLDER --remote` opens them"


class ConnectionLostError(Exception):
    """The connection broke; another one may be made."""


class SessionOverError(ConnectionLostError):
    """A 404 that speaks of a session: ours is over; or we named none, and the page is that of another program, without tables."""


class Answers(Protocol):
    """Answers the referee's questions on this machine: a bot's process, or another player."""

    def ask(self, kind: str, line: bytes) -> bytes:
        """Return the answer to a question of a kind, ``hello`` or ``turn``, without a newline. Raises: PlayerFaultError."""

    def queue(self, line: bytes) -> None:
        """Take a line that needs no answer. Never raises."""

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
        """Return the bot's answer to a question.

        Raises: PlayerFaultError, also for a bot that this machine has ended; LaunchFailedError, if it cannot be started here.
        """
        try:
            return self._ask(kind, line)
        except LaunchFailedError:
            raise
        except WorkerLostError as error:
            raise PlayerFaultError("crash", str(error)) from None

    def _ask(self, kind: str, line: bytes) -> bytes:
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


class UnredirectedConnection(ClientConnection):  # type: ignore[misc] # of an extra: mypy.overrides
    """A WebSocket that follows no redirection, as ``connect`` of websockets 17 does silently."""

    def handshake(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as ``connect`` passes them
        """Connect. Raises: ConnectionLostError, for a redirection; InvalidStatus, for a refusal."""
        try:
            super().handshake(*given, **named)
        except InvalidStatus as error:
            _check_redirection(error.response.status_code, error.response.headers.get("Location"))
            raise


class SocketWire:
    """A WebSocket. It honours HTTPS_PROXY and HTTP_PROXY."""

    def __init__(self, url: str, query: str, token: str) -> None:
        """Connect. Raises: ConnectionLostError, SessionOverError, InputError; InvalidHandshake, where no WebSocket gets through."""
        address = f"{url.replace('http', 'ws', 1)}/remote/socket?{query}"
        try:
            self._socket = connect(
                address,
                additional_headers={"Authorization": f"Bearer {token}"},
                open_timeout=OPEN_SECONDS,
                close_timeout=1.0,
                create_connection=UnredirectedConnection,
            ).__enter__()  # ``connect`` returns a connection, or from websockets 17 on an object that opens one
        except InvalidStatus as error:
            _check_refusal(error.response.status_code, (error.response.body or b"").decode(errors="replace"))
            raise
        except (ConnectionClosed, OSError) as error:
            raise ConnectionLostError(getattr(error, "strerror", None) or str(error)) from None
        # of a proxy's address, a SOCKS proxy without python-socks, or a host's name that IDNA cannot encode
        except (InvalidProxy, InvalidURI, ImportError, ValueError) as error:
            raise InputError(f"{url}: cannot be joined: {error}") from None

    def send(self, frame: str) -> None:
        """Send a frame. Raises: ConnectionLostError."""
        try:
            self._socket.send(frame)
        except (WebSocketException, OSError) as error:
            raise ConnectionLostError(str(error)) from None

    def receive(self) -> str | None:
        """Return the next frame; None: there was none for ``SILENCE`` seconds. Raises: ConnectionLostError."""
        try:
            return str(self._socket.recv(SILENCE, decode=True))
        except TimeoutError:
            return None
        except (WebSocketException, OSError) as error:
            raise ConnectionLostError(str(error)) from None

    def close(self) -> None:
        """Close it. Never raises."""
        self._socket.close()


class PollWire:
    """Long polls: each request sends the frames that wait, and returns those of the server."""

    def __init__(self, url: str, query: Callable[[], str], token: str) -> None:
        """``query`` returns the query of a request: the session and the last frame received, as they are then."""
        self._address = f"{url}/remote/poll"
        self._query = query
        self._token = token
        self._opener = urllib.request.build_opener(NoRedirects())
        self._unsent: list[str] = []
        self._frames: Iterator[str] = iter(())

    def send(self, frame: str) -> None:
        """Keep a frame for the next request."""
        self._unsent.append(frame)

    def receive(self) -> str:
        """Return the next frame; ask for more when there is none. Raises: ConnectionLostError, SessionOverError, InputError."""
        while (frame := next(self._frames, None)) is None:
            self._frames = iter(self._request().splitlines())
        return frame

    def _request(self) -> str:
        body = "".join(f"{frame}\n" for frame in self._unsent).encode()
        header = {"Authorization": f"Bearer {self._token}", "Content-Type": "text/plain"}
        request = urllib.request.Request(f"{self._address}?{self._query()}", body, header)  # noqa: S310 - the scheme was checked
        try:
            with self._opener.open(request, timeout=POLL_TIMEOUT) as response:
                found = str(response.read().decode(errors="replace"))
        except urllib.error.HTTPError as error:
            with error:
                _check_redirection(error.code, error.headers.get("Location"))
                _check_refusal(error.code, error.read().decode(errors="replace"))
            raise ConnectionLostError(NO_TABLES if error.code == HTTPStatus.NOT_FOUND else str(error)) from None
        except (OSError, HTTPException) as error:
            raise ConnectionLostError(str(getattr(error, "reason", error))) from None
        self._unsent = []
        return found

    def close(self) -> None:
        """Do nothing: no connection is open between two requests."""


Wire = SocketWire | PollWire  # a connection to the server


def _check_redirection(status: int, to: str | None) -> None:
    """Raise ConnectionLostError for a redirection: a token goes to the address for which it was given, and to no other."""
    if 300 <= status < 400:
        raise ConnectionLostError(f"it redirects to {shorten(in_one_line(to or 'nowhere'), 200)}, where no token is sent")


def _check_refusal(status: int, why: str) -> None:
    """Raise InputError, SessionOverError or ConnectionLostError for the status of a refusal; none for other statuses."""
    if status in (401, 422):
        raise InputError(f"the server refuses: {why.strip() or status}")
    if status == 404 and "session" in why:
        raise SessionOverError(NO_TABLES)
    if status in (409, 429, 502, 503, 504):
        raise ConnectionLostError(why.strip() or str(status))


Message = WelcomeMessage | GameMessage | VoidMessage | GameOverMessage  # for this program; every other one is the bot's
MESSAGES: Final[dict[str, type[Message]]] = {
    "welcome": WelcomeMessage,
    "game": GameMessage,
    "void": VoidMessage,
    "game_over": GameOverMessage,
}


class _Typed(Struct):
    type: str


class Frame(Struct, frozen=True):
    """A frame of the server."""

    number: int  # 0: of a control frame
    kind: str
    line: str
    message: Message | None  # None: of another kind


def read_frame(text: str) -> Frame:
    """Return a frame. Raises: ConnectionLostError, for another text, as a line of a proxy's page."""
    number, _, line = text.partition(" ")
    try:
        kind = decode(line, type=_Typed).type
        return Frame(int(number), kind, line, decode(line, type=MESSAGES[kind]) if kind in MESSAGES else None)
    except (ValueError, *MALFORMED):
        raise ConnectionLostError(f"it sends no frame but {shorten(in_one_line(text), 60)!r}") from None


class Joining:
    """Plays the games of one bot, or another player, until it has played enough."""

    def __init__(self, request: JoinRequest, key: SigningKey | None, tell: Callable[[str], None]) -> None:
        self._request = request
        self._key = key
        self._tell = tell
        self._session = ""
        self._received = 0  # number of the last frame
        self._last = ""  # the last answer, as a frame
        self._game = ""  # that is played; empty: none
        self._played = 0  # games
        self._answers = request.answers
        self._was_admitted = False  # the server has let it in at least once
        self._polls = False  # a WebSocket does not get through, so it uses long polls

    def play(self) -> int:
        """Play, and return the number of games. Raises: InputError."""
        pause = FIRST_PAUSE
        try:
            while not self._is_done():
                try:
                    wire = self._connect()
                    try:
                        while not self._is_done():
                            if (text := wire.receive()) is not None:
                                self._handle(wire, read_frame(text))
                                pause = FIRST_PAUSE
                    finally:
                        wire.close()
                except ConnectionLostError as error:
                    if isinstance(error, SessionOverError) and self._session:
                        self._forget_session("the server does not know the session any more")
                        continue
                    if not self._was_admitted:
                        raise InputError(f"{self._request.url}: cannot be joined: {error}") from None
                    self._tell(f"connection lost ({error}); another one in {pause:.0f} s")
                    time.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            self._answers.close()
        return self._played

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
                self._tell(f"no WebSocket gets through ({error}); using long polls")
                self._polls = True
        wire = PollWire(self._request.url, self._query, self._request.token)
        if self._session:
            self._send_again(wire)  # with the first request: the answer to that may take seconds
        return wire

    def _query(self) -> str:
        query = {"bot": self._request.name, "received": str(self._received)}
        query |= {"session": self._session} if self._session else {}
        return urlencode(query | ({"key": self._key.public} if self._key else {}))

    def _forget_session(self, why: str) -> None:
        self._tell(why)
        self._answers.close()
        self._session, self._received, self._last, self._game = "", 0, "", ""

    # --- frames

    def _handle(self, wire: Wire, frame: Frame) -> None:
        if frame.number == 0:
            if isinstance(frame.message, WelcomeMessage):
                self._begin(wire, frame.message)
            return
        if frame.number <= self._received:
            return
        self._received = frame.number
        match frame.message:
            case GameMessage(game=game, opponent=opponent):
                self._game = game
                self._tell(f"{game} against {opponent}")
            case VoidMessage(game=game, why=why):
                self._end_game(f"{game} is void: {why}")
            case GameOverMessage(game=game, points=points):
                self._played += 1
                self._end_game(f"{game} is over: {points:+} points")
            case _ if frame.kind in ("hello", "turn"):
                wire.send(str(frame.number))  # acknowledges the frame, so that the server can measure the lag of the connection
                self._answer(wire, frame)
            case _:
                self._answers.queue(frame.line.encode() + b"\n")
        if not self._game and not self._is_done():
            wire.send('0 {"type":"seek"}')

    def _begin(self, wire: Wire, welcome: WelcomeMessage) -> None:
        """Begin a session or a connection; with long polls each response has a welcome, and only that of a new session counts."""
        new, self._was_admitted = welcome.session != self._session, True
        if new:
            self._tell(f"plays as {welcome.bot}")
            self._session = welcome.session
        if new or not self._polls:
            self._send_again(wire)

    def _send_again(self, wire: Wire) -> None:
        """Send the last answer, which the server may not have received, or drops; ask for a game if none is played."""
        if self._last:
            wire.send(self._last)
        if not self._game:
            wire.send('0 {"type":"seek"}')

    def _answer(self, wire: Wire, frame: Frame) -> None:
        line = frame.line.encode()
        try:
            answer = self._answers.ask(frame.kind, line + b"\n").decode(errors="replace")
        except PlayerFaultError as fault:
            self._tell(f"the bot: {fault.kind}: {fault.detail}{': ' if fault.stderr else ''}{fault.stderr.strip()[-200:]}")
            self._answers.close()
            answer = "{}"  # malformed, which costs the hand at once
        signature = f":{self._key.sign(self._game, line_digest(line), answer)}" if self._key else ""
        self._last = f"{frame.number}{signature} {answer}"
        wire.send(self._last)

    def _end_game(self, text: str) -> None:
        self._tell(text)
        self._answers.close()
        self._game = ""


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
