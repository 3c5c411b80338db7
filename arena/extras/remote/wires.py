"""The author's end of a connection: a WebSocket, or long polls where none gets through. The server may be anybody's.

Nothing that it sends takes more memory than a few messages, or more time than its caller allows. A message is bounded in bytes and
not compressed; frames that carry no message are bounded in number, and a server that does not read is given up.
"""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.request import Request

from websockets.exceptions import ConnectionClosed, InvalidProxy, InvalidStatus, InvalidURI, WebSocketException
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.sync.client import ClientConnection, connect

from arena.bounded_http import HttpClient, NoResponseError
from arena.errors import InputError
from arena.extras.remote.session import FloodError, FrameRate
from arena.protocol.codec import LINE_BYTES
from arena.text import in_one_line, shorten

LARGEST_FRAME = LINE_BYTES + 128  # bytes, with its number and digest
LARGEST_RESPONSE = 4 * LINE_BYTES  # bytes of a poll, with its head
MOST_WAITING = 16  # messages of a WebSocket that are received ahead
OPEN_SECONDS, CLOSE_SECONDS = 10.0, 1.0  # to open and close a connection
POLL_SECONDS = 40.0  # for a poll and its response; a server answers within 20
LEAST_POLL = 0.2  # for one that brings nothing of a game
UNREAD_SECONDS = 20.0  # that the other end may leave unread what was sent to it
SILENCE = 1.0  # seconds without a frame after which a socket is asked again, so that an end is noticed
LONGEST_WORDS = 200  # characters that a server may add to a message of ours
NO_TABLES = "it has no tables for bots from elsewhere; `arena tables FOLDER` opens them"


class ConnectionLostError(Exception):
    """The connection broke; another one may be made."""


class SessionOverError(ConnectionLostError):
    """A 404 that speaks of a session: ours is over; or we named none, and the page is that of another program, without tables."""


class BoundedConnection(ClientConnection):  # type: ignore[misc] # of an extra: mypy.overrides
    """A WebSocket that follows no redirection, as ``connect`` of websockets 17 does silently, and is no place to wait forever."""

    def __init__(self, stream: socket.socket, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as ``connect`` passes them
        with suppress(AttributeError, OSError):  # Linux has it: a server that reads nothing would block us, and all locks
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * UNREAD_SECONDS))
        self._rate = FrameRate(time.monotonic())
        super().__init__(stream, *given, **named)

    def handshake(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as ``connect`` passes them
        """Connect. Raises: ConnectionLostError, for a redirection; InvalidStatus, for a refusal."""
        try:
            super().handshake(*given, **named)
        except InvalidStatus as error:
            _check_redirection(error.response.status_code, error.response.headers.get("Location") or "")
            raise

    def process_event(self, event: Any) -> None:  # noqa: ANN401 - a frame, or the response to the handshake
        """Take a frame; close the connection of a server that floods it with pings or parts of messages."""
        super().process_event(event)
        if isinstance(event, Frame) and (event.opcode not in (Opcode.TEXT, Opcode.BINARY) or not event.fin):
            try:
                self._rate.count(time.monotonic())
            except FloodError:
                with suppress(OSError):
                    self.socket.shutdown(socket.SHUT_RDWR)


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
                close_timeout=CLOSE_SECONDS,
                compression=None,
                max_size=LARGEST_FRAME,
                max_queue=MOST_WAITING,
                create_connection=BoundedConnection,
            ).__enter__()  # ``connect`` returns a connection, or from websockets 17 on an object that opens one
        except InvalidStatus as error:
            _check_refusal(error.response.status_code, error.response.body or b"")
            raise
        except (ConnectionClosed, OSError) as error:
            raise ConnectionLostError(getattr(error, "strerror", None) or words_of(error)) from None
        # of a proxy's address, a SOCKS proxy without python-socks, or a host's name that IDNA cannot encode
        except (InvalidProxy, InvalidURI, ImportError, ValueError) as error:
            raise InputError(f"{url}: cannot be joined: {words_of(error)}") from None

    def send(self, frame: str) -> None:
        """Send a frame. Raises: ConnectionLostError."""
        try:
            self._socket.send(frame)
        except (WebSocketException, OSError) as error:
            raise ConnectionLostError(words_of(error)) from None

    def receive(self) -> str | None:
        """Return the next frame; None: there was none for ``SILENCE`` seconds. Raises: ConnectionLostError."""
        try:
            return str(self._socket.recv(SILENCE, decode=True))
        except TimeoutError:
            if self._socket.state is State.OPEN:
                return None
            raise ConnectionLostError("it sends more than a message may have, or does not close the connection") from None
        except (WebSocketException, OSError) as error:
            raise ConnectionLostError(words_of(error)) from None

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
        self._client = HttpClient()
        self._unsent: list[str] = []
        self._frames: Iterator[str] = iter(())

    def send(self, frame: str) -> None:
        """Keep a frame for the next request."""
        self._unsent.append(frame)

    def receive(self) -> str | None:
        """Return the next frame, of another request if none is left; None: its response has none.

        A response with nothing but control frames takes at least LEAST_POLL seconds, so that a server cannot have itself polled
        without a pause. Raises: ConnectionLostError, SessionOverError, InputError.
        """
        if frame := next(self._frames, None):
            return frame
        began = time.monotonic()
        frames = [*filter(None, self._request().split("\n"))]  # not ``splitlines``: a line may have a U+2028
        if all(frame.startswith("0 ") for frame in frames):
            time.sleep(max(0.0, began + LEAST_POLL - time.monotonic()))
        self._frames = iter(frames)
        return next(self._frames, None)

    def _request(self) -> str:
        body = "".join(f"{frame}\n" for frame in self._unsent).encode()
        header = {"Authorization": f"Bearer {self._token}", "Content-Type": "text/plain"}
        request = Request(f"{self._address}?{self._query()}", body, header)  # noqa: S310 - the scheme was checked
        try:
            with self._client.open(request, seconds=POLL_SECONDS, most=LARGEST_RESPONSE) as response:
                _check_redirection(response.status, response.location)
                found = response.read()
                _check_refusal(response.status, found)
                if response.status == HTTPStatus.NOT_FOUND:
                    raise ConnectionLostError(NO_TABLES)
                response.check_success()
        except NoResponseError as error:
            raise ConnectionLostError(str(error)) from None
        self._unsent = []
        return found.decode(errors="replace")

    def close(self) -> None:
        """Do nothing: no connection is open between two requests."""


Wire = SocketWire | PollWire  # a connection to the server


def words_of(text: object) -> str:
    """Return what a server may have written as one short, printable line."""
    return in_one_line(shorten(str(text).strip(), LONGEST_WORDS))


def _check_redirection(status: int, to: str) -> None:
    """Raise ConnectionLostError for a redirection: a token goes to the address for which it was given, and to no other."""
    if 300 <= status < 400:
        raise ConnectionLostError(f"it redirects to {words_of(to or 'nowhere')}, where no token is sent")


def _check_refusal(status: int, body: bytes | bytearray) -> None:
    """Raise InputError, SessionOverError or ConnectionLostError for the status of a refusal; none for other statuses."""
    text = body.decode(errors="replace")
    why = words_of(text)
    if status in (401, 422):
        raise InputError(f"the server refuses: {why or status}")
    if status == HTTPStatus.NOT_FOUND and "session" in text:
        raise SessionOverError(NO_TABLES)
    if status in (409, 429, 502, 503, 504):
        raise ConnectionLostError(why or str(status))
