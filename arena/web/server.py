"""An HTTP server on loopback only, because pages show deals and seeds; other machines reach it only through a reverse proxy.

uvicorn speaks HTTP. Strangers reach the server through a reverse proxy, and other programs of this machine directly; against
them uvicorn is not enough. It waits without limit for a request and for a reader (it closes only a connection that sends nothing
after a response), and it accepts connections until no descriptor is left. So connections are accepted here, as far as there is room
for them (``connection_limits.py``), and each may keep the server waiting only for a time: for the head of a request, for its body,
and for a reader that does not read.
"""

import asyncio
import ctypes
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, Literal

import h11
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from arena.errors import InputError
from arena.signals import handling
from arena.web.connection_limits import RETRY_AFTER, ConnectionLimits, Connections, Shares, sender

ADDRESS = "127.0.0.1"
FIRST_READ = 5.0  # seconds, at most, that the first requests wait until each run has been read for the first time
GRACE = 1  # seconds for open event streams when the server stops
NO_ERRORS = ("without completing handshake", "timeout graceful shutdown exceeded")  # parts of what uvicorn logs as errors
BACKLOG = 4096  # connections that the kernel keeps until they are accepted
AT_ONCE = 16  # connections that are accepted before it is known whether there is room for them
BUFFER = 1 << 18  # bytes that the kernel takes of a response before its reader has read any

HEAD_SECONDS = 10.0  # for the head of a request, from the connection or the end of the last response
BODY_SECONDS = 150.0  # for its body; the applications allow less where they read it
READER_SECONDS = 20.0  # for a reader that does not read, and one more for every PACE bytes that wait
PACE = 1 << 13  # bytes

LARGEST_SOCKET_MESSAGE = 1 << 14  # bytes; the applications allow less
MOST_UNREAD = 1 << 16  # bytes for the reader of a WebSocket that the kernel does not take
M_ARENA_MAX = -8  # of mallopt(3)
PING_SECONDS = 10.0  # between two pings of a WebSocket, and until it counts as lost
Sockets = Literal["none", "websockets-sansio"]

FULL = f"too many connections; try again in {RETRY_AFTER['Retry-After']} seconds\n"
REFUSAL = (
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
    f"Retry-After: {RETRY_AFTER['Retry-After']}\r\nContent-Length: {len(FULL)}\r\n\r\n{FULL}"
).encode()


def listen(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 chooses a free port. Raises: InputError."""
    try:
        listener = socket.create_server((ADDRESS, port), backlog=BACKLOG)
    except OSError as error:
        raise InputError(f"--port: {port} cannot be used on {ADDRESS}: {error.strerror}; 0 chooses a free port") from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)  # connections inherit it
    return listener


@contextmanager
def graceful_server(
    app: ASGIApp, limits: ConnectionLimits, *, proxied: bool = False, sockets: Sockets = "none"
) -> Iterator[uvicorn.Server]:
    """Yield a server that SIGINT, SIGTERM and SIGHUP stop gracefully; as :func:`bounded_server`.

    uvicorn handles SIGINT and SIGTERM once it runs; before that, and SIGHUP at any time, they are handled here.
    """
    _share_a_heap()
    server = bounded_server(app, limits, proxied=proxied, sockets=sockets)

    def end(_: int, __: FrameType | None) -> None:
        server.should_exit = True

    with handling(end, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        yield server


def _share_a_heap() -> None:
    """Make all threads allocate from one heap. With glibc's default, many heaps for the threads, a server grows for hours.

    Source: mallopt(3). Another C library may have no such function.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(M_ARENA_MAX, 1)


def bounded_server(app: ASGIApp, limits: ConnectionLimits, *, proxied: bool = False, sockets: Sockets = "none") -> "BoundedServer":
    """Return a server that logs only errors, and on which clients hold no more open than ``limits`` allows.

    ``proxied``: a reverse proxy at ``ADDRESS`` passes requests on, and names their clients in X-Forwarded-For. No other peer is
    believed. ``sockets``: uvicorn's implementation of WebSocket.
    """
    logging.getLogger("uvicorn.error").addFilter(_is_error)
    if proxied:
        limits.connections.trusted = ADDRESS
        app = ClientShares(app, Shares(limits.capacity.connections, limits.capacity.connections_each))
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
        ws=sockets,
        ws_max_size=LARGEST_SOCKET_MESSAGE,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        proxy_headers=proxied,
        forwarded_allow_ips=ADDRESS,
        backlog=AT_ONCE,
        http=partial(Connection, limits.connections),  # type: ignore[arg-type] # it is only called
    )
    return BoundedServer(config, limits.connections)


def _is_error(record: logging.LogRecord) -> bool:
    """Tell whether a record is of an error: uvicorn also logs refused WebSockets and, when it stops, open live pages as some."""
    cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cancelled and not any(text in str(record.msg) for text in NO_ERRORS)


class StrictParser(h11.Connection):
    """Refuses a request whose end two servers may see at two places, so that a proxy and this one see the same requests.

    Source: RFC 9112, 6.1 and 6.3. h11 itself refuses lengths that differ, other codings and bare CR.
    """

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event. Raises: RemoteProtocolError."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if b"transfer-encoding" in names and (b"content-length" in names or event.http_version < b"1.1"):
                raise h11.RemoteProtocolError("Transfer-Encoding with Content-Length, or in HTTP/1.0")
        return event


class Connection(H11Protocol):
    """A connection that is refused where there is no room for it, and dropped when it keeps the server waiting too long."""

    def __init__(self, connections: Connections, **options: Any) -> None:  # noqa: ANN401 - as uvicorn passes them
        super().__init__(**options)
        self.conn = StrictParser(h11.SERVER)
        self.address = ""
        self._register = connections
        self._is_handed_over = False  # to the protocol of a WebSocket
        # seconds that the client has, and the request in progress; None: the client waits for the server
        self._waits: tuple[float, RequestResponseCycle | None] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for the first request."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        if self._register.add(self):
            self._set_deadline()
            transport.pause_reading()
            if self._register.queue(self):
                self.loop.call_soon(self._read_next)
        else:
            transport.write(REFUSAL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._register.remove(self)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._set_deadline()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may have come already."""
        super().on_response_complete()
        self._set_deadline()

    def pause_writing(self) -> None:
        """Wait for the reader."""
        super().pause_writing()
        self._set_deadline()

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        self._set_deadline()

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is not HTTP; while the application answers a request, close the connection instead."""
        if self.cycle is None or self.cycle.response_complete:
            super().send_400_response(msg)
        else:
            self.drop()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to the WebSocket protocol, which has to be accepted in time; it still counts here."""
        super().handle_websocket_upgrade(event)
        socket: Any = self.transport.get_protocol()  # of a class that uvicorn chooses
        self._is_handed_over = True

        def drop_unaccepted() -> None:
            if not socket.handshake_complete:
                self.drop()

        def drop_unread() -> None:
            if self.transport.get_write_buffer_size() > MOST_UNREAD:
                self.drop()

        def wait_for_reader() -> None:
            self._register.set_waiting(self, self.loop.time() + READER_SECONDS)

        _extend(socket, "connection_lost", lambda: self._register.remove(self))
        _extend(socket, "data_received", drop_unread)  # pings of a client are answered whether it reads or not
        _extend(socket, "pause_writing", wait_for_reader)
        _extend(socket, "resume_writing", lambda: self._register.set_waiting(self, None))
        self.transport.set_protocol(socket)  # again: an event loop may keep the methods of a protocol
        self.transport.set_write_buffer_limits(0)  # it pauses when the kernel takes no more
        self._set_deadline()
        self.loop.call_later(HEAD_SECONDS, drop_unaccepted)
        if not socket.handshake_initiated:  # for example, it has a body; the protocol would wait forever
            self.send_400_response("expected the request of a WebSocket, without a body\n")

    def read(self) -> None:
        """Begin to read."""
        self.transport.resume_reading()

    def drop(self) -> None:
        """Close the connection at once."""
        self.transport.abort()

    def _read_next(self) -> None:
        """Read the next connection that waits, one in each turn of the event loop."""
        if self._register.read_next():
            self.loop.call_soon(self._read_next)

    def _set_deadline(self) -> None:
        """Restart the client's time when the server begins to wait for something else, not while it waits for the same."""
        waits = self._waits_for()
        if waits == self._waits:
            return
        self._waits = waits
        left = self.transport.get_write_buffer_size() / PACE
        self._register.set_waiting(self, self.loop.time() + waits[0] + left if waits else None)

    def _waits_for(self) -> tuple[float, RequestResponseCycle | None] | None:
        """Return the seconds that the client has to send or read, and the request in progress; None: the client waits for us."""
        if self._is_handed_over:
            return None
        if self.flow.write_paused:
            return READER_SECONDS, self.cycle
        if self.cycle is None or self.cycle.response_complete:
            return HEAD_SECONDS, self.cycle
        return (BODY_SECONDS, self.cycle) if self.cycle.more_body else None


def _extend(protocol: object, name: str, action: Callable[[], None]) -> None:
    """Make each call of a method call ``action`` afterwards."""
    method = getattr(protocol, name)

    def call_both(*given: object) -> None:
        method(*given)
        action()

    setattr(protocol, name, call_both)


class BoundedServer(uvicorn.Server):
    """A server that drops connections that are late."""

    def __init__(self, config: uvicorn.Config, connections: Connections) -> None:
        super().__init__(config)
        self._connections = connections

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully, also after a second Ctrl-C: uvicorn would then leave out what the application does at its end."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, and accept connections."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # asyncio has passed AT_ONCE, which also bounds the connections that it accepts in a row

    async def on_tick(self, counter: int) -> bool:
        """Drop connections that are late, and return whether the server has to stop."""
        self._connections.drop_late(asyncio.get_running_loop().time())
        return await super().on_tick(counter)


class ClientShares:
    """Refuses requests beyond those that one client of the proxy may have at once."""

    def __init__(self, app: ASGIApp, shares: Shares) -> None:
        self._app = app
        self._shares = shares

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; those that the proxy's own machine sends are not counted."""
        host = (scope.get("client") or ("",))[0]
        if scope["type"] == "lifespan" or host == ADDRESS:
            await self._app(scope, receive, send)
            return
        with self._shares.one_more(sender(host)) as admitted:
            await (self._app if admitted else PlainTextResponse(FULL, 503, RETRY_AFTER))(scope, receive, send)
