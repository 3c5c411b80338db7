"""For programs: whether the server is alive and ready, and its metrics in the text format of Prometheus.

Source of the format: prometheus.io, "Exposition formats", version 0.0.4. It is a dozen lines, so no library is used for it.
"""

import asyncio
import os
import shutil
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.league.leagues import JOBS
from arena.league.uploads import Upload
from arena.text import json_text
from arena.web.club.access_log import Traffic
from arena.web.club.context import Context
from arena.web.responses import json_response

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
