"""Operation of a server: the access log without secrets, redaction of paths in responses, health, readiness and metrics.

A line of the log has the path without the secret of a table, and not the query, headers, cookies or body, so it contains no token.
Names in a path are escaped by JSON.
"""

import asyncio
import logging
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.disk import make_folder
from arena.league.leagues import JOBS
from arena.league.redaction import PathRedactor
from arena.league.uploads import Upload
from arena.runs.log_file import LogFile
from arena.text import json_text
from arena.web.club.context import Context
from arena.web.club.rated_tables import AT
from arena.web.responses import json_response

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


# Redacts the paths of the server's folders in every response of a league.
#
# The bytes of a response are searched, so no page and no text can be forgotten: the output of a bot names files of the server.
# Stored texts stay as they were written. Public reasons of arena name no folder (:mod:`arena.league.rules.events`).


class RedactPaths:
    """Redacts paths in the responses of an application. A part of a stream must hold whole lines."""

    def __init__(self, app: ASGIApp, redactor: PathRedactor) -> None:
        self._app = app
        self._redactor = redactor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        start: Message = {}

        async def sending(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # its length is known with the body
                return
            body = self._redactor.redact(message.get("body", b""))
            if start:
                headers = MutableHeaders(scope=start)
                if not message.get("more_body") and "content-length" in headers:
                    headers["content-length"] = str(len(body))
                await send(start)
                start = {}
            await send({**message, "body": body})

        await self._app(scope, receive, sending if scope["type"] == "http" else send)


# For programs: whether the server is alive and ready, and its metrics in the text format of Prometheus.
#
# Source of the format: prometheus.io, "Exposition formats", version 0.0.4. It is a dozen lines, so no library is used for it.

FORMAT = "text/plain; version=0.0.4; charset=utf-8"


class Metric(NamedTuple):
    """One number."""

    name: str
    text: str  # what it is
    value: float

    @property
    def kind(self) -> str:
        """Return its type, which the name tells."""
        return "counter" if self.name.endswith("_total") else "gauge"


class StatusPages:
    """Health, readiness and metrics."""

    def __init__(self, context: Context, traffic: Traffic) -> None:
        self._context = context
        self._traffic = traffic

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [Route("/health", self.health), Route("/ready", self.ready), Route("/metrics", self.metrics)]

    async def health(self, _: Request) -> Response:
        """Return that the server answers."""
        return PlainTextResponse("ok\n")

    async def ready(self, _: Request) -> Response:
        """Return 200 if the server can do all that it should, else 503 with the public part of the reasons."""
        reasons = await asyncio.to_thread(self._reasons)
        return json_response(json_text({"ready": not reasons, "reasons": reasons}), 503 if reasons else 200)

    def _reasons(self) -> list[str]:
        context = self._context
        found = [reason.public for reason in (context.unsafe, context.disk_problem(), context.watch.problem)]
        if context.watch.snapshot is None:
            found.append("the league is still being read")
        if context.jobs and not os.access(context.path / JOBS, os.W_OK):
            found.append("the folder of the jobs is read-only")
        if context.auditions and not context.auditions.alive:
            found.append("nothing tests the uploads")
        if context.hosting and not (context.hosting.alive and not context.hosting.failures):
            found.append(context.hosting.paused.public or "nothing plays")
        return list(dict.fromkeys(filter(None, [*found, *(error.public for error in context.errors())])))

    async def metrics(self, _: Request) -> Response:
        """Return the numbers of the server."""
        found = await asyncio.to_thread(lambda: list(self._metrics()))
        return Response(exposition(found), media_type=FORMAT)

    def _metrics(self) -> Iterator[Metric]:
        context, snapshot = self._context, self._context.watch.snapshot
        if snapshot:
            yield Metric("arena_matches_total", "Matches on record.", snapshot.matches)
            yield Metric("arena_matches_with_faults_total", "Matches in which a bot was at fault.", snapshot.faults)
            yield Metric("arena_matches_per_minute", "Matches played, over the last minutes.", snapshot.pace)
            yield Metric("arena_rounds_closed_total", "Rounds that were closed.", len(snapshot.calendar.closed))
            yield Metric("arena_active_bots", "Versions that play.", len(snapshot.field.active))
            yield Metric("arena_playing", "1 while a process plays the league.", snapshot.running)
        if context.jobs:
            yield Metric("arena_uploads_waiting", "Uploads without a verdict.", len(context.jobs.waiting(Upload)))
        if context.auditions:
            tests = context.auditions
            yield Metric("arena_auditions_total", "Auditions that ended with a verdict.", tests.count)
            yield Metric("arena_intake_errors_total", "Uploads refused because of an error of arena.", tests.errors)
            yield Metric("arena_audition_seconds_total", "Seconds spent on auditions.", tests.total)
            yield Metric("arena_audition_seconds_longest", "Seconds of the longest audition.", tests.longest)
        limits = context.limits
        yield Metric("arena_connections", "Connections that are open.", limits.connections.total)
        yield Metric("arena_connections_most", "Connections that may be open.", limits.capacity.connections)
        yield Metric("arena_connections_refused_total", "Connections without room.", limits.connections.refused)
        yield Metric("arena_connections_dropped_total", "Connections that kept the server waiting.", limits.connections.dropped)
        yield Metric("arena_streams", "Live pages that are open.", limits.visitors.total + limits.members.total)
        yield Metric("arena_streams_refused_total", "Live pages without room.", limits.visitors.refused + limits.members.refused)
        yield Metric("arena_disk_free_bytes", "Free on the league's disk.", shutil.disk_usage(context.path).free)
        yield Metric("arena_requests_total", "Requests that were answered.", self._traffic.requests)
        yield Metric("arena_request_errors_total", "Requests that failed by an error in arena.", self._traffic.errors)


def exposition(metrics: Sequence[Metric]) -> str:
    """Return metrics in the text format."""
    lines = (f"# HELP {one.name} {one.text}\n# TYPE {one.name} {one.kind}\n{one.name} {_number(one.value)}\n" for one in metrics)
    return "".join(lines)


def _number(value: float) -> str:
    """Return a number in full: ``%g`` would round a counter above a million."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
