"""The application of ``arena serve``: live pages for a folder of runs. It changes no run, but reviews hands for readers of replays.

One ``Watch`` thread reads the databases for all browsers, keeps the newest snapshot of each run and sends each change to the
browsers. A request names a run, never a path: only runs that the watch has found are served. What takes time (rendering, reading
the database) is done in threads, so that the event loop stays responsive.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.json import encode
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from arena.errors import ArenaError, StoreError
from arena.league.jobs import JobQueue, JobRunner, TooManyRequestsError
from arena.records import MatchRecord
from arena.reports.csv_file import CsvFile
from arena.reports.json_file import JsonFile
from arena.reports.page import page_values
from arena.reports.report import Report
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.spec import Kinds
from arena.web.channels import Channel, public_stream
from arena.web.connection_limits import RETRY_AFTER, ConnectionLimits
from arena.web.guard import Guard
from arena.web.responses import json_response, problem_handler, refusal, static
from arena.web.reviewing import REVIEWS, ReviewJob, ReviewTask, ask_review, review_state, reviewed_match
from arena.web.run_pages import index_event, index_page, run_event, run_page
from arena.web.server import FIRST_READ
from arena.web.watched_run import Snapshot, shown_path
from arena.web.watcher import Watch

HANDS_WITHHELD = (
    "This run is not finished and its bots have network access: a bot that has yet to play a deal could read its cards here."
    " The hands are shown when the run is finished."
)
DATABASE_WITHHELD = "the database contains the seed of the deals; it can be downloaded when the run is finished"


class RequestedRun(Struct, frozen=True):
    """A run at the moment of a request."""

    folder: Folder
    snapshot: Snapshot
    report: Report


class SiteAddition(Protocol):
    """What a plugin's command serves beside the pages of a site."""

    def routes(self) -> Sequence[BaseRoute]:
        """Return its addresses."""

    def life(self) -> AbstractAsyncContextManager[None]:
        """Return what is entered when the server starts, and left when it ends."""


class Site:
    """The pages, events and downloads for a watched folder."""

    def __init__(self, root: Path, kinds: Kinds, addition: SiteAddition | None = None) -> None:
        """Show the runs in ``root``, beside what an ``addition`` serves."""
        self.limits = ConnectionLimits()
        self._addition = addition
        self._kinds = kinds
        self._index = Channel()
        self._channels: dict[str, Channel] = {}
        self._pages: dict[str, tuple[Snapshot, str]] = {}  # by run: its rendered page
        self._lists: dict[str, tuple[Report, bytes]] = {}  # by run: all matches as JSON
        self._jobs = JobQueue({ReviewJob: REVIEWS})
        self._reviewing = JobRunner("reviews", self._jobs, (ReviewJob,))
        self.watch = Watch(root, kinds, self._on_change, self._on_removal)

    def app(self, allowed: Collection[str], public: str = "") -> Starlette:
        """Return the application; ``allowed`` are the Host headers that it accepts, ``public`` the origin of a reverse proxy."""
        routes: list[BaseRoute] = [
            Route("/", self.index),
            Route("/events", self.index_events),
            Route("/static/{name:path}", static),
            Route("/runs/{run}/", self.run),
            Route("/runs/{run}/events", self.run_events),
            Route("/runs/{run}/matches.json", self.matches),
            Route("/runs/{run}/match.json", self.match),
            Route("/runs/{run}/review", self.review_state),
            Route("/runs/{run}/review", self.review, methods=["POST"]),
            Route("/runs/{run}/results.json", self.results),
            Route("/runs/{run}/standings.csv", self.standings),
            Route("/runs/{run}/arena.sqlite", self.database),
        ]
        middleware = [
            Middleware(Guard, allowed=allowed, methods=("GET", "HEAD", "POST"), public=public),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=1),
        ]
        return Starlette(
            routes=[*routes, *(self._addition.routes() if self._addition else ())],
            middleware=middleware,
            lifespan=self._life,
            exception_handlers={ArenaError: self._unreadable, HTTPException: problem_handler("/")},
        )

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self._index.send(index_event([]))
        for one in (self.watch, self._reviewing):
            one.start()
        await asyncio.to_thread(self.watch.first_read.wait, FIRST_READ)  # so that the first page shows all runs
        async with self._addition.life() if self._addition else nullcontext():
            yield
        self.watch.stop()
        await asyncio.to_thread(self._reviewing.stop)

    def _on_change(self, snapshot: Snapshot) -> None:
        """Update pages; called in the thread of the watch."""
        self._index.send(index_event(self._snapshots()))
        if snapshot.report:
            self._channel(snapshot.name).send(run_event(snapshot, snapshot.report))

    def _on_removal(self, run: str) -> None:
        """Forget a run; called in the thread of the watch."""
        for by_run in (self._pages, self._lists):
            by_run.pop(run, None)
        self._index.send(index_event(self._snapshots()))

    def _channel(self, run: str) -> Channel:
        return self._channels.setdefault(run, Channel())

    def _snapshots(self) -> list[Snapshot]:
        return [run.snapshot for run in self.watch.runs.values()]

    async def index(self, _: Request) -> Response:
        """Return the list of runs."""
        return HTMLResponse(index_page(self._snapshots()))

    async def index_events(self, request: Request) -> Response:
        """Return the updates of the list of runs, as server-sent events."""
        return public_stream(self._index, self.limits, request)

    async def run(self, request: Request) -> Response:
        """Return the page of a run."""
        run = self._find_run(request)
        cached = self._pages.get(run.snapshot.name)
        if cached is None or cached[0] is not run.snapshot:  # rendered once for all browsers
            text = await asyncio.to_thread(run_page, run.snapshot, run.report, shown_path(run.folder.path))
            cached = self._pages[run.snapshot.name] = (run.snapshot, text)
        return HTMLResponse(cached[1])

    async def run_events(self, request: Request) -> Response:
        """Return the updates of the page of a run, as server-sent events."""
        return public_stream(self._channel(self._find_run(request).snapshot.name), self.limits, request)

    async def results(self, request: Request) -> Response:
        """Return the report as JSON."""
        text = await asyncio.to_thread(JsonFile().render, self._find_run(request).report)
        return Response(text, media_type="application/json", headers=_download(request, "results.json"))

    async def standings(self, request: Request) -> Response:
        """Return the standings as CSV."""
        report = self._find_run(request).report
        return Response(CsvFile().render(report), media_type="text/csv", headers=_download(request, "standings.csv"))

    def _find_run(self, request: Request) -> RequestedRun:
        """Return the requested run. Raises: HTTPException: 404, 503 while there is no report."""
        run = self.watch.runs.get(request.path_params["run"])
        if run is None:
            raise HTTPException(404, "run not found")
        snapshot = run.snapshot
        if snapshot.report is None:
            raise HTTPException(503, snapshot.problem or "this run is still being read; reload the page")
        return RequestedRun(run.folder, snapshot, snapshot.report)

    async def matches(self, request: Request) -> Response:
        """Return a row for each match."""
        return await asyncio.to_thread(self._matches, self._find_run(request))

    def _matches(self, run: RequestedRun) -> Response:
        cached = self._lists.get(run.snapshot.name)
        if cached is None or cached[0] is not run.report:  # read once for all browsers
            field = [row.entrant for row in run.report.standings]
            with Store(run.folder.database) as store:
                cached = self._lists[run.snapshot.name] = (run.report, encode(page_values.result_rows(store.results(), field)))
        return json_response(cached[1])

    async def match(self, request: Request) -> Response:
        """Return all hands of a match with their deals."""
        folder = self._find_shown(request)
        return await asyncio.to_thread(self._match, folder, request.query_params.get("fixture", ""))

    def _find_shown(self, request: Request) -> Folder:
        """Return the folder of the requested run if its hands may be shown. Raises: HTTPException: 403 if not, 404, 503."""
        run = self._find_run(request)
        if run.snapshot.state != "finished" and not run.report.isolation.isolated:
            raise HTTPException(403, HANDS_WITHHELD)
        return run.folder

    def _match(self, folder: Folder, fixture: str) -> Response:
        return json_response(encode(reviewed_match(folder, _record(folder, fixture), self._kinds)))

    async def review(self, request: Request) -> Response:
        """Review the requested hand, or all of a match, in the background; return the state of the review."""
        task = await self._task(request)
        try:
            ask_review(self._jobs, task)
        except TooManyRequestsError as error:
            return PlainTextResponse(f"{error}\n", 429, RETRY_AFTER)
        self._reviewing.wake()
        return json_response(encode(review_state(self._jobs, task)))

    async def review_state(self, request: Request) -> Response:
        """Return the state of the review of a hand, or of a match."""
        found = review_state(self._jobs, await self._task(request))
        if found is None:
            raise HTTPException(404, "this hand was not asked for")
        return json_response(encode(found))

    async def _task(self, request: Request) -> ReviewTask:
        """Return the review task for the hand or match that a request names. Raises: HTTPException, StoreError."""
        folder = self._find_shown(request)
        fixture, hand = (request.query_params.get(name, "") for name in ("fixture", "hand"))
        record = await asyncio.to_thread(_record, folder, fixture)
        if hand and hand not in {f"{one.game}.{one.hand}" for one in record.hands}:
            raise HTTPException(404, "hand not found")
        return ReviewTask(run=str(folder.path), fixture=fixture, hand=hand)

    async def database(self, request: Request) -> Response:
        """Return the database; it contains the seed, so only that of a finished run."""
        run = self._find_run(request)
        if run.snapshot.state != "finished":
            return PlainTextResponse(DATABASE_WITHHELD, 403)
        copy = await asyncio.to_thread(_copy_database, run.folder)
        return TemporaryFile(copy, headers=_download(request, "arena.sqlite"))

    async def _unreadable(self, request: Request, error: Exception) -> Response:
        """Return 404 and the error, whose paths begin with the watched folder: visitors must not see where that is."""
        return refusal(request, 404, str(error).replace(f"{self.watch.root.parent}/", ""))


def _record(folder: Folder, fixture: str) -> MatchRecord:
    with Store(folder.database) as store:
        return store.record(fixture)


def _copy_database(folder: Folder) -> Path:
    with Store(folder.database) as store, tempfile.NamedTemporaryFile(suffix=".sqlite", delete=False) as file:
        copy = Path(file.name)
        try:
            store.copy(copy)
        except StoreError:
            copy.unlink()
            raise
    return copy


class TemporaryFile(FileResponse):
    """A file that is removed after the response, also if that is cut off, or refuses the requested range.

    A background task of the response would not run then.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink()  # noqa: ASYNC240 - at once, also if this task was cancelled


def _download(request: Request, name: str) -> dict[str, str]:
    """Return the header that names a download after its run, whose folder's name may have any characters."""
    run = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "-" for char in request.path_params["run"])
    return {"Content-Disposition": f'attachment; filename="{run}-{name}"'}
