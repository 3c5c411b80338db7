"""The application of ``arena serve``: live pages for a folder of runs. It changes no run, but reviews hands for readers of replays.

One ``Watch`` thread reads the databases for all browsers and reports each change; the event loop keeps the newest snapshot of
each run and sends it to the browsers. A request names a run, never a path: only runs that the watch has found are served. What
takes time (rendering, reading the database) is done in threads, so that the event loop stays responsive.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

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
from arena.records import MatchRecord
from arena.reports.page import values
from arena.reports.report import Report
from arena.reports.text import CsvFile, JsonFile
from arena.store.folder import Folder
from arena.store.store import Store
from arena.system import real
from arena.tournament import spec as specs
from arena.web.crowd import RETRY_AFTER, Crowd
from arena.web.pages import Channel, index_event, index_page, run_event, run_page
from arena.web.reviewing import Reviewing, ReviewTask, TooManyReviewsError, reviewed_match
from arena.web.server import FIRST_LOOK, Guard, json_response, problem_handler, public_stream, refusal, static
from arena.web.watcher import Snapshot, Watch

if TYPE_CHECKING:
    from arena.web.remote_seats import RemoteSeats

HANDS_WITHHELD = (
    "This run is not finished and its bots have network access: a bot that has yet to play a deal could read its cards here."
    " The hands are shown when the run is finished."
)
RUN_NOT_FOUND = "run not found"
DATABASE_WITHHELD = "the database contains the seed of the deals; it can be downloaded when the run is finished"


class Site:
    """The pages, events and downloads for a watched folder."""

    def __init__(self, root: Path, kinds: specs.Kinds, seats: "RemoteSeats | None" = None) -> None:
        """Show the runs in ``root``; ``seats``: for bots that play from elsewhere, None: there are none."""
        self.crowd = Crowd()
        self._seats = seats
        self._kinds = kinds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._snapshots: dict[str, Snapshot] = {}  # by run; used only in the event loop, as are the channels
        self._index = Channel()
        self._channels: dict[str, Channel] = {}
        self._pages: dict[str, tuple[Snapshot, str]] = {}  # by run: its rendered page
        self._lists: dict[str, tuple[Report, bytes]] = {}  # by run: all matches as JSON
        self._reviewing = Reviewing()
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
            routes=[*routes, *(self._seats.routes() if self._seats else ())],
            middleware=middleware,
            lifespan=self._life,
            exception_handlers={ArenaError: self._unreadable, HTTPException: problem_handler("/")},
        )

    # --- the life of the server

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self._index.send(index_event([]))
        for one in (self.watch, self._reviewing):
            one.start()
        await asyncio.to_thread(self.watch.looked.wait, FIRST_LOOK)  # so that the first page shows all runs
        async with self._seats.life() if self._seats else nullcontext():
            yield
        self.watch.stop()
        await asyncio.to_thread(self._reviewing.stop)

    # --- called in the watch's thread, continued in the event loop

    def _on_change(self, snapshot: Snapshot) -> None:
        event = run_event(snapshot, snapshot.report) if snapshot.report else b""
        self._call_in_loop(lambda: self._show(snapshot, event))

    def _on_removal(self, run: str) -> None:
        self._call_in_loop(lambda: self._drop(run))

    def _call_in_loop(self, action: Callable[[], None]) -> None:
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(action)

    def _show(self, snapshot: Snapshot, event: bytes) -> None:
        self._snapshots[snapshot.name] = snapshot
        self._index.send(index_event(list(self._snapshots.values())))
        if event:
            self._channel(snapshot.name).send(event)

    def _drop(self, run: str) -> None:
        for by_run in (self._snapshots, self._pages, self._lists):
            by_run.pop(run, None)
        self._index.send(index_event(list(self._snapshots.values())))

    def _channel(self, run: str) -> Channel:
        return self._channels.setdefault(run, Channel())

    # --- pages

    async def index(self, _: Request) -> Response:
        """Return the list of runs."""
        return HTMLResponse(index_page(list(self._snapshots.values())))

    async def index_events(self, request: Request) -> Response:
        """Return the updates of the list of runs, as server-sent events."""
        return public_stream(self._index, self.crowd, request)

    async def run(self, request: Request) -> Response:
        """Return the page of a run."""
        snapshot, report = self._find_run(request)
        cached = self._pages.get(snapshot.name)
        if cached is None or cached[0] is not snapshot:  # rendered once for all browsers
            text = await asyncio.to_thread(run_page, snapshot, report, self._shown_path(snapshot))
            cached = self._pages[snapshot.name] = (snapshot, text)
        return HTMLResponse(cached[1])

    async def run_events(self, request: Request) -> Response:
        """Return the updates of the page of a run, as server-sent events."""
        snapshot, _ = self._find_run(request)
        return public_stream(self._channel(snapshot.name), self.crowd, request)

    async def results(self, request: Request) -> Response:
        """Return the report as JSON."""
        _, report = self._find_run(request)
        text = await asyncio.to_thread(JsonFile().render, report)
        return Response(text, media_type="application/json", headers=_download(request, "results.json"))

    async def standings(self, request: Request) -> Response:
        """Return the standings as CSV."""
        _, report = self._find_run(request)
        return Response(CsvFile().render(report), media_type="text/csv", headers=_download(request, "standings.csv"))

    def _shown_path(self, snapshot: Snapshot) -> str | None:
        """Return the path of a run below the working directory; None for one elsewhere, whose path visitors must not see."""
        path, here = self._folder(snapshot).path, real(Path.cwd())
        return str(path.relative_to(here)) if path.is_relative_to(here) else None

    def _folder(self, snapshot: Snapshot) -> Folder:
        """Return the folder of a run. Raises: HTTPException 404, if it was removed and the event loop does not know yet."""
        watched = self.watch.runs.get(snapshot.name)
        if watched is None:
            raise HTTPException(404, RUN_NOT_FOUND)
        return watched.folder

    def _find_run(self, request: Request) -> tuple[Snapshot, Report]:
        """Return the requested run and its report. Raises: HTTPException: 404, 503 while there is no report."""
        snapshot = self._snapshots.get(request.path_params["run"])
        if snapshot is None:
            raise HTTPException(404, RUN_NOT_FOUND)
        if snapshot.report is None:
            raise HTTPException(503, snapshot.problem or "this run is still being read; reload the page")
        return snapshot, snapshot.report

    # --- read from the database, each in its own thread

    async def matches(self, request: Request) -> Response:
        """Return a row for each match."""
        snapshot, report = self._find_run(request)
        return await asyncio.to_thread(self._matches, snapshot, report)

    def _matches(self, snapshot: Snapshot, report: Report) -> Response:
        cached = self._lists.get(snapshot.name)
        if cached is None or cached[0] is not report:  # read once for all browsers
            field = [row.entrant for row in report.standings]
            with self._store(snapshot) as store:
                cached = self._lists[snapshot.name] = (report, encode(values.result_rows(store.results(), field)))
        return json_response(cached[1])

    async def match(self, request: Request) -> Response:
        """Return all hands of a match with their deals."""
        snapshot = self._find_shown(request)
        return await asyncio.to_thread(self._match, snapshot, request.query_params.get("fixture", ""))

    def _find_shown(self, request: Request) -> Snapshot:
        """Return the requested run if its hands may be shown. Raises: HTTPException: 403 if not, 404, 503."""
        snapshot, report = self._find_run(request)
        if snapshot.state != "finished" and not report.isolation.isolated:
            raise HTTPException(403, HANDS_WITHHELD)
        return snapshot

    def _match(self, snapshot: Snapshot, fixture: str) -> Response:
        record = self._record(snapshot, fixture)
        return json_response(encode(reviewed_match(self._folder(snapshot), record, self._kinds)))

    async def review(self, request: Request) -> Response:
        """Review the requested hand, or all of a match, in the background; return the state of the review."""
        task = await self._task(request)
        try:
            self._reviewing.ask(task)
        except TooManyReviewsError as error:
            return PlainTextResponse(f"{error}\n", 429, RETRY_AFTER)
        return json_response(encode(self._reviewing.state(task)))

    async def review_state(self, request: Request) -> Response:
        """Return the state of the review of a hand, or of a match."""
        found = self._reviewing.state(await self._task(request))
        if found is None:
            raise HTTPException(404, "this hand was not asked for")
        return json_response(encode(found))

    async def _task(self, request: Request) -> ReviewTask:
        """Return the review task for the hand or match that a request names. Raises: HTTPException, StoreError."""
        snapshot = self._find_shown(request)
        fixture, hand = (request.query_params.get(name, "") for name in ("fixture", "hand"))
        record = await asyncio.to_thread(self._record, snapshot, fixture)
        if hand and hand not in {f"{one.game}.{one.hand}" for one in record.hands}:
            raise HTTPException(404, "hand not found")
        return ReviewTask(folder=self._folder(snapshot).path, fixture=fixture, hand=hand)

    def _record(self, snapshot: Snapshot, fixture: str) -> MatchRecord:
        with self._store(snapshot) as store:
            return store.record(fixture)

    async def database(self, request: Request) -> Response:
        """Return the database; it contains the seed, so only that of a finished run."""
        snapshot, _ = self._find_run(request)
        if snapshot.state != "finished":
            return PlainTextResponse(DATABASE_WITHHELD, 403)
        copy = await asyncio.to_thread(self._copy, snapshot)
        return TemporaryFile(copy, headers=_download(request, "arena.sqlite"))

    def _copy(self, snapshot: Snapshot) -> Path:
        with self._store(snapshot) as store, tempfile.NamedTemporaryFile(suffix=".sqlite", delete=False) as file:
            copy = Path(file.name)
            try:
                store.copy(copy)
            except StoreError:
                copy.unlink()
                raise
        return copy

    def _store(self, snapshot: Snapshot) -> Store:
        return Store(self._folder(snapshot).database)

    async def _unreadable(self, request: Request, error: Exception) -> Response:
        """Return 404 and the error, whose paths begin with the watched folder: visitors must not see where that is."""
        return refusal(request, 404, str(error).replace(f"{self.watch.root.parent}/", ""))


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
