"""What everybody may read: the table, each bot, who has met whom, and the hands of rounds that are over."""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlencode

from msgspec.json import encode
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.league.rounds import pair_of, round_of
from arena.printable import json_text
from arena.records import MatchRecord
from arena.reports.page import assets
from arena.reports.page.rows import replay_values
from arena.reports.played import played, reviewed
from arena.runs.parts import kinds
from arena.runs.stored import stored_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.channel import event
from arena.web.club import reviewing, views
from arena.web.club.context import Context, part, public_text
from arena.web.club.watch import LeagueSnapshot
from arena.web.guard import CHARTS_AND_FORMS_POLICY
from arena.web.streams import json_response, public_stream, refusal, static

PARTS = ("problems", "summary", "standing", "playing")
MOST_LEFT = 12  # matches of the open round that are listed
OPEN = "this match is shown when its round is over: a bot that has yet to play its deals could read them"
MATCH_SCRIPTS = (*assets.REPLAY_SCRIPTS, "match.js")


class PublicPages:
    """The pages without a token."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._front: tuple[LeagueSnapshot, list[str], dict[str, str]] | None = None  # its parts, rendered once for all browsers

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/", self.front),
            Route("/events", self.events),
            Route("/table.json", self.table),
            Route("/static/{name:path}", static),
            Route("/bots/{name}", self.bot),
            Route("/pairs/{one}/{other}", self.pair),
            Route("/matches/{fixture:path}", self.match),
            Route("/hands", self.hands),
        ]

    async def front(self, request: Request) -> Response:
        """Return the front page of the league."""
        snapshot = self._context.snapshot
        return self._context.page(request, "club_front.html", {"parts": self._parts(snapshot), "snapshot": snapshot})

    async def events(self, request: Request) -> Response:
        """Return the updates of the front page, as server-sent events."""
        return public_stream(self._context.front, self._context.crowd, request)

    def update(self, snapshot: LeagueSnapshot) -> bytes:
        """Return the parts of the front page that change, as an event."""
        return event(encode(self._parts(snapshot)))

    def _parts(self, snapshot: LeagueSnapshot) -> dict[str, str]:
        problems = [problem.public for problem in self._context.problems()]
        if self._front is None or self._front[0] is not snapshot or self._front[1] != problems:
            values = {
                "snapshot": snapshot,
                "report": views.report(snapshot),
                "table": views.table(snapshot),
                "rows": snapshot.table.rows,
                "news": views.news(snapshot),
                "left": snapshot.left[:MOST_LEFT],
                "match_count": views.match_count,
                "problems": problems,
            }
            self._front = (snapshot, problems, {name: part(f"club_{name}.html", values) for name in PARTS})
        return self._front[2]

    async def table(self, _: Request) -> Response:
        """Return the table as JSON."""
        return json_response(json_text(self._context.snapshot.table.rows).encode())

    async def bot(self, request: Request) -> Response:
        """Return the page of a bot. Its author sees its faults too."""
        snapshot, name = self._context.snapshot, request.path_params["name"]
        versions = snapshot.field.of(name)[::-1]
        if not versions:
            raise HTTPException(404, "bot not found")
        token = self._context.caller(request).token
        own = token is not None and (token.organiser or versions[0].author == token.holder)
        tally = await asyncio.to_thread(self._context.watch.tally)
        values = views.bot_values(snapshot, tally, self._context.watch.endings, name, own=own)
        values["review"] = await asyncio.to_thread(reviewing.section, self._context.path, snapshot, name)
        values["turn_link"] = reviewing.match_link
        return self._context.page(request, "club_bot.html", {**values, "frame": "club_frame.html", "home": "/", "linked": True})

    async def pair(self, request: Request) -> Response:
        """Return the page of two versions: their total, and each pair of matches."""
        snapshot, one, other = self._context.snapshot, request.path_params["one"], request.path_params["other"]
        if not {one, other} <= {version.id for version in snapshot.field.versions} or one == other:
            raise HTTPException(404, "version not found")
        tally = await asyncio.to_thread(self._context.watch.tally)
        met = other in tally.crosstable.get(one, {})
        values = {
            "one": one,
            "other": other,
            "pairs": views.between(snapshot, one, other),
            "counts": tally.between(one, other) if met else None,
            "closed": len(snapshot.calendar.closed),
            "round_of": round_of,
            "pair_of": pair_of,
        }
        return self._context.page(request, "club_pair.html", values)

    async def match(self, request: Request) -> Response:
        """Return the page of a match, whose hands a script fetches."""
        fixture = request.path_params["fixture"]
        record = await self._record(fixture)
        tally = await asyncio.to_thread(self._context.watch.tally)
        one, other = record.fixture.seats
        values = {
            "record": record,
            "total": tally.between(one, other),
            "scripts": MATCH_SCRIPTS,
            "hands": f"/hands?{urlencode({'fixture': fixture})}",
            "shared": replay_values(self._context.spec.rules),
        }
        response = self._context.page(request, "club_match.html", values)
        response.headers["Content-Security-Policy"] = CHARTS_AND_FORMS_POLICY
        return response

    async def hands(self, request: Request) -> Response:
        """Return all hands of a match with their deals. What its faults say only their authors see."""
        record = await self._record(request.query_params.get("fixture", ""))
        token = self._context.caller(request).token
        authors = {version.id: version.author for version in self._context.snapshot.field.versions}
        mine = {seat for seat in (0, 1) if token and token.holder == authors.get(record.fixture.seats[seat])}
        visible = mine if not (token and token.organiser) else {0, 1}
        faults = tuple(fault if fault.seat in visible else views.without_details(fault) for fault in record.faults)
        return await asyncio.to_thread(self._hands, replace(record, faults=faults))

    def _hands(self, record: MatchRecord) -> Response:
        folder = Folder(self._context.path)
        with Store(folder.database) as store:
            run = stored_run(folder, store, kinds())
            match = played(record, run.spec.rules, run.seed_of(record.fixture.id))
        review = reviewing.review_of(self._context.path, self._context.snapshot)
        return json_response(encode(reviewed(match, review)))

    async def _record(self, fixture: str) -> MatchRecord:
        """Return a match. Raises: HTTPException 404; 403, while its round is open: a bot might read its deals here."""
        snapshot = self._context.snapshot
        known = any(pair_of(pair) == fixture.rpartition("/")[0] for pair in snapshot.history.played)
        if not known:
            raise HTTPException(404, "match not found")
        if views.is_open(snapshot, fixture):
            raise HTTPException(403, OPEN)
        return await asyncio.to_thread(self._read, fixture)

    def _read(self, fixture: str) -> MatchRecord:
        with Store(Folder(self._context.path).database) as store:
            return store.record(fixture)


async def failed(request: Request, error: Exception) -> Response:
    """Return a refusal: as a page to a browser, otherwise in one line."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    detail = public_text(error) if isinstance(error, ArenaError) else str(getattr(error, "detail", ""))
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return refusal(request, status, detail, headers, home=_back(request))


def _back(request: Request) -> str:
    """Return the page on which a form was sent; the front page, if a page was asked for."""
    if request.method != "POST":
        return "/"
    return "/organiser" if request.url.path.startswith("/organiser/") else "/me"
