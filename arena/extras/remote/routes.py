"""The routes for bots that play from elsewhere: a WebSocket, and long polls where a network lets no WebSocket through."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import monotonic

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.errors import StoreError
from arena.extras.remote.game_server import PAUSE, GameServer, NoEntryError
from arena.extras.remote.session import FloodError, WaitingMessage, WelcomeMessage, control_frame
from arena.extras.remote.socket_player import SeatLink
from arena.web.responses import read_body

log = logging.getLogger(__name__)

TICK = 0.2  # seconds between two calls of the server's ``tick``
POLL_SECONDS = 20.0  # that a poll waits for a frame, at most
LARGEST_POLL = 1 << 16  # bytes
MOST_CONTROL = 1000  # control frames (those with the number 0) that wait for their reader
REPLACED = 4000  # close code of a connection that another one has replaced, or whose session has ended


class FrameQueue:
    """The frames to be sent over one connection of a link. Use it in the event loop only; any thread may call ``SeatLink.wake``."""

    def __init__(self, link: SeatLink, received: int) -> None:
        """Take the link over from an older connection; ``received`` is the number of the last frame that the client has."""
        self._link = link
        self._sent = received
        self._control: list[str] = []
        self._ready = asyncio.Event()
        self._ready.set()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop was closed: the server stops
                loop.call_soon_threadsafe(self._ready.set)

        self._wake = wake
        link.attach(self._wake)
        link.connect(received)

    @property
    def is_replaced(self) -> bool:
        """Tell whether another connection has taken the place of this one, or the session has ended."""
        return self._link.wake is not self._wake

    def add_control(self, frame: str) -> None:
        """Add a control frame. Raises: FloodError, for a client that does not read them."""
        if len(self._control) >= MOST_CONTROL:
            raise FloodError(f"more than {MOST_CONTROL} frames without reading the answers to them")
        self._control.append(frame)
        self._ready.set()

    async def next(self) -> list[str]:
        """Wait until there are frames, and return them; an empty list: the connection is replaced, or its session has ended."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            if self.is_replaced:
                return []
            if frames := self.take():
                return frames

    def take(self) -> list[str]:
        """Return the frames that are ready, and count them as sent."""
        control, self._control = self._control, []
        with self._link.changed:
            found = list(self._link.session.frames(self._sent))
        self._sent = max([self._sent, *(number for number, _ in found)])
        return control + [text for _, text in found]

    def receive(self, frame: str) -> None:
        """Pass a client's frame to the link, and answer one that is dropped; ignore all if replaced. Raises: FloodError."""
        if self.is_replaced:
            return
        sought_before = self._link.seeking
        dropped = self._link.receive(frame)
        if dropped:
            self.add_control(control_frame(dropped))
        elif sought_before is None and self._link.seeking is not None:  # the frame has asked for a game
            self.add_control(control_frame(WaitingMessage()))

    def close(self) -> None:
        """Note that the connection was lost, unless another one has replaced it."""
        if not self.is_replaced:
            self._link.disconnect()


class RemoteSeats:
    """The routes of a server, and the task that calls its ``tick``."""

    def __init__(self, server: GameServer) -> None:
        self._server = server
        self._polled: dict[str, float] = {}  # monotonic time of the last poll of a session, by its secret

    def routes(self) -> list[BaseRoute]:
        """Return the addresses."""
        return [WebSocketRoute("/remote/socket", self._socket), Route("/remote/poll", self._poll, methods=["POST"])]

    @asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        """Call ``tick`` of the server while the server runs; stop the games at its end."""
        ticking = asyncio.create_task(self._tick())
        try:
            yield
        finally:
            ticking.cancel()
            await asyncio.to_thread(self._server.stop)

    async def _tick(self) -> None:
        while True:
            try:
                self._server.tick()
            except Exception:  # of the disk, or our bug: it is logged, and a later call may succeed
                log.exception("%s: no new games for %.0f s", self._server.folder.path, PAUSE)
                await asyncio.sleep(PAUSE)
            oldest = monotonic() - self._server.terms.clock.away
            for secret in [secret for secret, seen in self._polled.items() if seen < oldest]:
                del self._polled[secret]
                if link := self._server.links.get(secret):
                    link.disconnect()
            await asyncio.sleep(TICK)

    async def _enter(self, request: HTTPConnection) -> tuple[FrameQueue, str]:
        """Return the queue of a client's connection, and the secret of its session. Raises: NoEntryError."""
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        query = request.query_params
        try:
            token = await asyncio.to_thread(self._server.check_token, text if scheme.lower() == "bearer" else "")
        except StoreError as error:
            log.error("%s", error)  # noqa: TRY400 - the file of the tokens, not our bug
            raise NoEntryError(503, "the tokens cannot be read at the moment; try again later") from None
        secret, link = self._server.enter(token.holder, query.get("bot", ""), query.get("session", ""), query.get("key", ""))
        link.token = token.digest
        received = query.get("received", "0")
        queue = FrameQueue(link, int(received) if received.isascii() and received.isdigit() and len(received) < 10 else 0)
        queue.add_control(control_frame(WelcomeMessage(secret, link.session.bot)))
        return queue, secret

    async def _socket(self, socket: WebSocket) -> None:
        try:
            queue, secret = await self._enter(socket)
            self._polled.pop(secret, None)
        except NoEntryError as refused:
            await socket.send_denial_response(PlainTextResponse(f"{refused}\n", refused.status))
            return
        try:
            await socket.accept()
            sending = asyncio.create_task(_send(socket, queue))
            try:
                while True:
                    queue.receive(await socket.receive_text())
            finally:
                sending.cancel()
        except FloodError as error:
            with suppress(WebSocketDisconnect, RuntimeError):
                await socket.close(1008, str(error))
        except (WebSocketDisconnect, KeyError, RuntimeError):  # the client is gone, has sent bytes, or was replaced
            pass
        finally:
            queue.close()

    async def _poll(self, request: Request) -> Response:
        body = await read_body(request, LARGEST_POLL, f"more than {LARGEST_POLL} bytes")
        try:
            queue, secret = await self._enter(request)
            self._polled[secret] = monotonic()
            for frame in filter(None, re.split("\r?\n", body.decode())):  # not ``splitlines``: an answer may have a U+2028
                queue.receive(frame)
        except NoEntryError as refused:
            return PlainTextResponse(f"{refused}\n", refused.status)
        except FloodError as error:
            return PlainTextResponse(f"{error}\n", 429)
        except UnicodeDecodeError:
            return PlainTextResponse("expected UTF-8\n", 400)
        frames = queue.take()
        if len(frames) == 1 and request.query_params.get("session"):  # the welcome alone, which a new client gets at once
            with suppress(TimeoutError):
                frames += await asyncio.wait_for(queue.next(), POLL_SECONDS)
        return PlainTextResponse("".join(f"{frame}\n" for frame in frames))


async def _send(socket: WebSocket, queue: FrameQueue) -> None:
    """Send frames until the connection is replaced or its session has ended, and close it then."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while frames := await queue.next():
            for frame in frames:
                await socket.send_text(frame)
        await socket.close(REPLACED, "another connection has taken the session over, or it has ended")
