"""The live page over a folder of runs. It reads, and writes nothing; it knows runs by the names that the watch has found."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.json import encode
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.errors import ArenaError, StoreError
from arena.reports.csv_file import CsvFile
from arena.reports.json_file import JsonFile
from arena.reports.page import assets, rows
from arena.reports.played import played
from arena.reports.report import Report
from arena.store.store import Store
from arena.tournament import spec as specs
from arena.web.channel import Channel
from arena.web.guard import Guard
from arena.web.pages import STATIC, index_event, index_page, run_event, run_page
from arena.web.watch import Watch
from arena.web.watched import Snapshot

SEALED = (
    "The bots of this run are not kept from the network, and the run is not over: what is shown of a hand could be read by a bot"
    " that has yet to play the same deal. Hands can be seen when the run is finished."
)


class Site:
    """What is shown of a watched folder."""

    def __init__(self, root: Path, kinds: specs.Kinds) -> None:
        self._kinds = kinds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._snapshots: dict[str, Snapshot] = {}  # used from the event loop alone, as the channels are
        self._index = Channel()
        self._channels: dict[str, Channel] = {}
        self._pages: dict[str, tuple[Snapshot, str]] = {}  # by run: its page, as it is sent
        self._lists: dict[str, tuple[Report, bytes]] = {}  # by run: every match, as it is sent
        self.watch = Watch(root, kinds, self._told, self._gone)

    def app(self, allowed: Collection[str]) -> Starlette:
        """Return the application; ``allowed`` are the hosts that it answers to."""
        routes = [
            Route("/", self.index),
            Route("/events", self.index_events),
            Route("/static/{name:path}", static),
            Route("/runs/{run}/", self.run),
            Route("/runs/{run}/events", self.run_events),
            Route("/runs/{run}/matches.json", self.matches),
            Route("/runs/{run}/match.json", self.match),
            Route("/runs/{run}/results.json", self.results),
            Route("/runs/{run}/standings.csv", self.standings),
            Route("/runs/{run}/arena.sqlite", self.database),
        ]
        middleware = [Middleware(Guard, allowed=allowed), Middleware(GZipMiddleware, minimum_size=2000, compresslevel=1)]
        return Starlette(routes=routes, middleware=middleware, lifespan=self._life, exception_handlers={ArenaError: _told_plainly})

    # --- from the watch's thread to the event loop

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self._index.say(index_event([]))
        self.watch.start()
        yield
        self.watch.stop()

    def _told(self, snapshot: Snapshot) -> None:
        said = run_event(snapshot, snapshot.report) if snapshot.report else b""
        self._soon(lambda: self._show(snapshot, said))

    def _gone(self, run: str) -> None:
        self._soon(lambda: self._drop(run))

    def _soon(self, act: Callable[[], None]) -> None:
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act)

    def _show(self, snapshot: Snapshot, said: bytes) -> None:
        self._snapshots[snapshot.name] = snapshot
        self._index.say(index_event(list(self._snapshots.values())))
        if said:
            self._channel(snapshot.name).say(said)

    def _drop(self, run: str) -> None:
        for kept in (self._snapshots, self._pages, self._lists):
            kept.pop(run, None)
        self._index.say(index_event(list(self._snapshots.values())))

    def _channel(self, run: str) -> Channel:
        return self._channels.setdefault(run, Channel())

    # --- pages

    async def index(self, _: Request) -> Response:
        """Return the page of all runs."""
        return HTMLResponse(index_page(list(self._snapshots.values())))

    async def index_events(self, _: Request) -> Response:
        """Return what moves on it."""
        return _stream(self._index)

    async def run(self, request: Request) -> Response:
        """Return the page of a run."""
        snapshot, report = self._known(request)
        made = self._pages.get(snapshot.name)
        if made is None or made[0] is not snapshot:  # made once for all browsers
            made = self._pages[snapshot.name] = (snapshot, await asyncio.to_thread(run_page, snapshot, report))
        return HTMLResponse(made[1])

    async def run_events(self, request: Request) -> Response:
        """Return what moves on it."""
        snapshot, _ = self._known(request)
        return _stream(self._channel(snapshot.name))

    async def results(self, request: Request) -> Response:
        """Return the report for programs."""
        _, report = self._known(request)
        text = await asyncio.to_thread(JsonFile().render, report)
        return Response(text, media_type="application/json", headers=_named(request, "results.json"))

    async def standings(self, request: Request) -> Response:
        """Return the standings for a spreadsheet."""
        _, report = self._known(request)
        return Response(CsvFile().render(report), media_type="text/csv", headers=_named(request, "standings.csv"))

    def _known(self, request: Request) -> tuple[Snapshot, Report]:
        """Return the run that is asked for. Raises: HTTPException."""
        snapshot = self._snapshots.get(request.path_params["run"])
        if snapshot is None:
            raise HTTPException(404, "there is no such run")
        if snapshot.report is None:
            raise HTTPException(503, snapshot.problem or "this run is still being read")
        return snapshot, snapshot.report

    # --- from the database, each in a thread of its own

    async def matches(self, request: Request) -> Response:
        """Return a row for every match."""
        snapshot, report = self._known(request)
        return await asyncio.to_thread(self._matches, snapshot, report)

    def _matches(self, snapshot: Snapshot, report: Report) -> Response:
        filed = self._lists.get(snapshot.name)
        if filed is None or filed[0] is not report:  # read once for all browsers
            field = [row.entrant for row in report.standings]
            with self._store(snapshot) as store:
                filed = self._lists[snapshot.name] = (report, encode(rows.packed(store.results(), field)))
        return _json(filed[1])

    async def match(self, request: Request) -> Response:
        """Return every hand of a match, with its deal."""
        snapshot, report = self._known(request)
        if snapshot.state != "finished" and not report.walls.isolated:
            return PlainTextResponse(SEALED, 403)
        return await asyncio.to_thread(self._match, snapshot, request.query_params.get("fixture", ""))

    def _match(self, snapshot: Snapshot, fixture: str) -> Response:
        with self._store(snapshot) as store:
            facts = store.facts()
            rules = specs.parse(facts["spec"], self._kinds, "spec.yaml").rules
            return _json(encode(played(store.record(fixture), rules, facts["seed"])))

    async def database(self, request: Request) -> Response:
        """Return the database, once the seed in it is a secret no longer."""
        snapshot, _ = self._known(request)
        if snapshot.state != "finished":
            return PlainTextResponse("the database holds the seed of the deals: it is served when the run is finished", 403)
        copy = await asyncio.to_thread(self._copy, snapshot)
        return FileResponse(copy, headers=_named(request, "arena.sqlite"), background=BackgroundTask(copy.unlink))

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
        return Store(self.watch.runs[snapshot.name].folder.database)


async def static(request: Request) -> Response:
    """Return one of the files that pages are made of."""
    kind = STATIC.get(name := request.path_params["name"])
    if kind is None:
        raise HTTPException(404)
    return Response(assets.text(name), media_type=kind)


def _stream(channel: Channel) -> Response:
    return StreamingResponse(channel.listen(), media_type="text/event-stream")


def _json(document: bytes) -> Response:
    return Response(document, media_type="application/json")


def _named(request: Request, name: str) -> dict[str, str]:
    """Return the header by which a browser saves a download under the run's name, which is a folder's and may hold anything."""
    run = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "-" for sign in request.path_params["run"])
    return {"Content-Disposition": f'attachment; filename="{run}-{name}"'}


async def _told_plainly(_: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", 404)
