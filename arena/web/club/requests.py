"""The access log: a JSON line for each request, with nothing secret in it.

A line has the path but not the query, headers, cookies or body, so it cannot contain a token. Names in a path are escaped by JSON.
"""

import logging
import time
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.league.places import Places
from arena.text import json_text

MOST_BYTES = 10 << 20  # of a log file, before it becomes FILE.1; five are kept
KEPT = 5
LONGEST = 500  # characters of a path

log = logging.getLogger(__name__)


class Traffic:
    """The numbers of requests, and the file of the log."""

    def __init__(self, path: Path | None) -> None:
        """``path`` is the file; None: nothing is logged."""
        self.requests = 0
        self.errors = 0
        self._file: logging.Handler | None = None
        if path:
            path.parent.mkdir(exist_ok=True)
            self._file = RotatingFileHandler(path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()

    def add(self, line: str) -> None:
        """Write a line; a full disk is no reason to refuse requests."""
        if self._file:
            self._file.handle(logging.LogRecord(__name__, logging.INFO, "", 0, line, None, None))


class AccessLog:
    """Logs each request when it has been answered."""

    def __init__(self, app: ASGIApp, traffic: Traffic) -> None:
        self._app = app
        self._traffic = traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, answered, sent = time.monotonic(), 0, 0

        async def counting(message: Message) -> None:
            nonlocal answered, sent
            if message["type"] == "http.response.start":
                answered = message["status"]
            else:
                sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counting)
        finally:
            self._traffic.requests += 1
            self._traffic.errors += answered >= 500 and answered not in (503, 507)
            self._traffic.add(_line(scope, answered, sent, time.monotonic() - began))


def _line(scope: Scope, status: int, sent: int, seconds: float) -> str:
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    author = scope.get("state", {}).get("author", "")
    values = {
        "at": at,
        "client": (scope.get("client") or ("",))[0],  # behind a proxy, what it has said: see X-Forwarded-For in uvicorn
        "method": scope["method"],
        "path": scope["path"][:LONGEST],
        "status": status,
        "bytes": sent,
        "ms": round(1000 * seconds, 1),
    }
    return json_text(values | ({"author": author} if author else {}))


# Leaves the names of the server's folders out of every response of a league.
#
# The bytes of a response are searched, so no page and no text can be forgotten: what a bot wrote names files of the server. What is
# stored stays as it was written. Reasons and errors of arena name no folder where they are public
# (:mod:`arena.league.rules.events`).


class WithoutPlaces:
    """Leaves places out of the responses of an application. A part of a stream must hold whole lines."""

    def __init__(self, app: ASGIApp, places: Places) -> None:
        self._app = app
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        start: Message = {}

        async def sending(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # its length is known with the body
                return
            body = self._places.left_out(message.get("body", b""))
            if start:
                headers = MutableHeaders(scope=start)
                if not message.get("more_body") and "content-length" in headers:
                    headers["content-length"] = str(len(body))
                await send(start)
                start = {}
            await send({**message, "body": body})

        await self._app(scope, receive, sending if scope["type"] == "http" else send)
