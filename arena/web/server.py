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
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from types import FrameType
from typing import Any, Literal
from urllib.parse import urlsplit

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from arena.errors import InputError
from arena.reports.html_page import render
from arena.reports.page import assets
from arena.signals import handling
from arena.suggestions import capital
from arena.web.connection_limits import RETRY_AFTER, ConnectionLimits, Connections, Shares, sender

ADDRESS = "127.0.0.1"
FIRST_LOOK = 5.0  # seconds, at most, that the first requests wait until each run has been read for the first time
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


# Checks every HTTP request, and adds security headers to its response. A WebSocket is not checked: its application has to ask for
# an ``Authorization`` header, which no page can send with one.
#
# Any page in the same browser can send requests to a server on loopback, also under a name of its own that resolves to 127.0.0.1
# (DNS rebinding). So the Host header must name this server, and a POST must come from its own pages, or from a program: one with an
# ``Authorization`` header, which no page of another origin can send without a permission that this server never gives. Where
# programs have tokens, a POST without one passes too, if no browser can have sent it: the addresses that need a token ask for it.
# The headers forbid other origins to read or embed a response, and forbid pages to load anything from elsewhere.

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)  # the charts use inline styles
CHARTS_AND_FORMS = {"Content-Security-Policy": POLICY.replace("form-action 'none'", "form-action 'self'")}
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
FORMS = {  # with no-referrer, browsers send `Origin: null` with a form
    "Content-Security-Policy": CHARTS_AND_FORMS["Content-Security-Policy"].replace(" 'unsafe-inline'", ""),
    "Referrer-Policy": "same-origin",
}


def hosts(port: int) -> frozenset[str]:
    """Return the Host headers of requests from this machine to a server at ``port``."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


class Guard:
    """Passes requests on that name an allowed host, use an allowed method and post from no other origin; adds ``HEADERS``.

    ``public`` is the origin under which a reverse proxy serves the pages, as ``https://club.example.org``; empty: there is none.
    ``forms`` allows pages with forms. ``tokens``: programs have tokens, and the addresses that need one ask for it.
    """

    def __init__(
        self,
        app: ASGIApp,
        allowed: Collection[str],
        methods: Collection[str] = ("GET", "HEAD"),
        public: str = "",
        *,
        forms: bool = False,
        tokens: bool = False,
    ) -> None:
        self._app = app
        self._origins = {host: f"http://{host}" for host in allowed} | ({urlsplit(public).netloc: public} if public else {})
        self._methods = methods
        self._tokens = tokens
        self._headers = HEADERS | (FORMS if forms else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request. Refusals: 421 for the host, 405 for the method, 403 for the origin."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self._origins:
            return PlainTextResponse(f"unknown host; expected one of {', '.join(sorted(self._origins))}\n", 421)
        if scope["method"] not in self._methods:
            return PlainTextResponse("method not allowed\n", 405)
        if scope["method"] == "POST" and not self._from_program(headers) and headers.get("origin") != self._origins[host]:
            return PlainTextResponse("request from another origin refused\n", 403)
        return None

    def _from_program(self, headers: Headers) -> bool:
        """Tell whether a program must have sent a POST: a browser names the origin of the page that sends it, and adds cookies."""
        return "authorization" in headers or (self._tokens and "origin" not in headers and "cookie" not in headers)


# Numbers in paths, as ``{hand:number}``.


class NumberConvertor(IntegerConvertor):
    """A number of at most nine digits; Starlette's ``int`` has no limit, and Python converts no text of more than 4,300 digits."""

    regex = "[0-9]{1,9}"


register_url_convertor("number", NumberConvertor())


# Server-sent events from one sender to any number of browsers.
#
# An event replaces what the page shows, so only the latest matters: a slow browser skips those in between, and nothing queues up.

KEEPALIVE = 5.0  # seconds without an event until ``ALIVE`` is sent, which also detects a closed connection
ALIVE = b"event: alive\ndata:1\n\n"


class Channel:
    """Sends events to all that listen, in one event loop. Any thread may send."""

    def __init__(self) -> None:
        self._latest: bytes | None = None
        self._sent = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None  # of the listeners; None: there was none yet

    def send(self, event: bytes) -> None:
        """Send an event to all listeners."""
        self._latest = event  # before the loop is read: a first listener, which sets it, then finds the event
        if self._loop:
            with suppress(RuntimeError):  # the loop was closed meanwhile: there is no listener
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._sent.set()
        self._sent = asyncio.Event()

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield the latest event, then each new one, and ``ALIVE`` in pauses; a busy listener gets only the last that it missed."""
        self._loop = asyncio.get_running_loop()
        received: bytes | None = None
        while True:
            if (latest := self._latest) is not None and latest is not received:
                received = latest
                yield latest
                continue
            try:
                async with asyncio.timeout(KEEPALIVE):
                    await self._sent.wait()
            except TimeoutError:
                yield ALIVE


def event(document: bytes) -> bytes:
    """Return a JSON document of one line as an event."""
    return b"data: " + document + b"\n\n"


# Responses that several applications send: files of the pages, event streams, JSON and errors.

STATIC = {  # the files that are served, with their media types: the styles and scripts of the pages; no other file is
    str(path.relative_to(assets.FOLDER)): f"text/{kind}; charset=utf-8"
    for ending, kind in (("css", "css"), ("js", "javascript"))
    for path in assets.FOLDER.rglob(f"*.{ending}")
}
NOTHING_HERE = "there is nothing at this address"
TOO_MANY = "too many live pages are open; this one shows what there is now, and is live again when others are closed"


async def static(request: Request) -> Response:
    """Return a script or style of the pages."""
    kind = STATIC.get(name := request.path_params["name"])
    if kind is None:
        raise HTTPException(404)
    return Response(assets.text(name), media_type=kind)


class EventStream(StreamingResponse):
    """Server-sent events, which are refused where their holder, or all clients together, have too many streams open."""

    def __init__(self, events: AsyncIterator[bytes], shares: Shares, holder: str) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._shares = shares
        self._holder = holder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client goes away; to HEAD only the headers. Raises: HTTPException 503."""
        if scope["method"] == "HEAD":
            await Response(headers=dict(self.headers))(scope, receive, send)
            return
        with self._shares.one_more(self._holder) as admitted:
            if not admitted:
                raise HTTPException(503, TOO_MANY, RETRY_AFTER)
            await super().__call__(scope, receive, send)


def public_stream(channel: Channel, limits: ConnectionLimits, request: Request) -> Response:
    """Return the events of a channel as a public stream, counted by the address of the client."""
    return EventStream(channel.listen(), limits.visitors, sender(request.client.host if request.client else ""))


async def read_body(request: Request, most: int, too_long: str) -> bytes:
    """Return the body of a request. Raises: HTTPException: 413 ``too_long`` above ``most`` bytes, 400 if the client goes away."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise HTTPException(413, too_long)
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed") from None
    return body


def json_response(document: str | bytes, status: int = 200) -> Response:
    """Return a JSON document."""
    return Response(document, status, media_type="application/json")


def problem_handler(home: str | None) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return a handler of HTTP errors for a site with this start page, None: it has no public one."""

    async def problem(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return refusal(request, error.status_code, error.detail, error.headers, home=home)

    return problem


def refusal(
    request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None, home: str | None = "/"
) -> Response:
    """Return the reason why an address shows nothing: as a page to a browser that asks for one, otherwise as a line of text."""
    reason = NOTHING_HERE if detail == HTTPStatus(404).phrase else detail  # the phrase says nothing that the title does not
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(problem_page(status, reason, home), status, headers)
    return PlainTextResponse(f"{reason}\n", status, headers)


def problem_page(status: int, problem: str, home: str | None = "/") -> str:
    """Return the page that says why an address shows nothing; ``home`` is the start page, None: there is none that all may see."""
    title = "Page not found" if status == 404 else "This page cannot be shown"
    return render("problem.html", title=title, problem=f"{capital(problem)}.", home=home)


def small_application(
    routes: Sequence[BaseRoute], allowed: Collection[str], methods: Collection[str] = ("GET", "HEAD"), home: str | None = "/"
) -> Starlette:
    """Return an application with these routes and the files of the pages; ``allowed`` are the Host headers that it accepts."""
    return Starlette(
        routes=[Route("/static/{name:path}", static), *routes],
        middleware=[Middleware(Guard, allowed=allowed, methods=methods)],
        exception_handlers={HTTPException: problem_handler(home)},
    )
