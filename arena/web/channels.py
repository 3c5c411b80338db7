"""Server-sent events from one sender to any number of browsers.

An event replaces what the page shows, so only the latest matters: a slow browser skips those in between, and nothing queues up.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.web.connection_limits import RETRY_AFTER, ConnectionLimits, Shares, sender

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


TOO_MANY = "live updates are off: too many pages are open; close one and reload"


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
