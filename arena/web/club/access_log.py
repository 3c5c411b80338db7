"""The access log of a server, without secrets.

A line of the log has the path without the secret of a table, and not the query, headers, cookies or body, so it contains no token.
Names in a path are escaped by JSON.
"""

import logging
import re
import time
from datetime import UTC, datetime
from pathlib import Path

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.disk import make_folder
from arena.runs.log_file import LogFile
from arena.text import json_text
from arena.web.club.rated_tables import AT

MOST_BYTES = 10 << 20  # of a log file, before it becomes FILE.1; five are kept
KEPT = 5
LONGEST = 500  # characters of a path
SECRET = re.compile(rf"(?<={AT}/)[^/]+")  # of a table, by which anyone can play there


class Traffic:
    """The number of requests and of errors, and the file of the access log."""

    def __init__(self, path: Path | None) -> None:
        """``path`` is the file; None: nothing is logged."""
        self.requests = 0
        self.errors = 0
        self._file: logging.Handler | None = None
        if path:
            make_folder(path.parents[1], path.parent.name)
            self._file = LogFile(path, MOST_BYTES, KEPT, delay=True)

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
        began, answered, sent, failed = time.monotonic(), 0, 0, False

        async def counting(message: Message) -> None:
            nonlocal answered, sent
            if message["type"] == "http.response.start":
                answered = message["status"]
            else:
                sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counting)
        except ClientDisconnect:
            raise
        except Exception:
            failed, answered = True, answered or 500  # which the application's outermost layer sends, unless a response has begun
            raise
        finally:
            self._traffic.requests += 1
            # 503 and 507: the server lacks something at the moment, which is no error in arena
            self._traffic.errors += failed or (answered >= 500 and answered not in (503, 507))
            self._traffic.add(_line(scope, answered, sent, time.monotonic() - began))


def _line(scope: Scope, status: int, sent: int, seconds: float) -> str:
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    author = scope.get("state", {}).get("author", "")
    values = {
        "at": at,
        "client": (scope.get("client") or ("",))[0],  # behind a proxy, from its X-Forwarded-For
        "method": scope["method"],
        "path": SECRET.sub("…", scope["path"])[:LONGEST],
        "status": status,
        "bytes": sent,
        "ms": round(1000 * seconds, 1),
    }
    return json_text(values | ({"author": author} if author else {}))
