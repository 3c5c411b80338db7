"""The public pages: the table, each bot, who has met whom, and the hands of rounds that are over."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.json import encode
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.league.rules.event_words import describe_to_all
from arena.league.rules.field import Version
from arena.league.rules.likeness import compare
from arena.league.rules.rounds import round_of
from arena.league.rules.side_matches import side_matches
from arena.league.show import ORDER, extent_words
from arena.reports.answer_card import AnswerCard
from arena.reports.answer_pictures import can_draw, png, svg
from arena.reports.html_page import render
from arena.reports.numbers import MISSING, error, share
from arena.review.summary import Review
from arena.store.folder import Folder
from arena.suggestions import did_you_mean
from arena.text import json_text
from arena.web.channels import event, public_stream
from arena.web.club import activity, authors, heat_map, side_by_side, views
from arena.web.club.context import Context, http_error
from arena.web.club.ladder import ladder
from arena.web.club.shown_reviews import match_link, review_of, review_section
from arena.web.club.side_matches import hands_of, match_page, record_of
from arena.web.club.watch import LeagueSnapshot
from arena.web.guard import CHARTS
from arena.web.responses import json_response, refusal, static


def versions_values(snapshot: LeagueSnapshot, old: Version, new: Version, review: Review | None) -> dict[str, Any]:
    """Return the values of the template of two versions side by side."""
    rows = {version.id: snapshot.table.row(version.id) for version in (old, new)}
    priced = review.bots if review else {}
    ratings = [row.rating for row in rows.values() if row and row.rating is not None]
    found = side_by_side.matchups(snapshot, old.id, new.id)
    alike = compare(old, new, snapshot.events)
    differ = alike.asked - alike.same if alike else 0  # of the decisions in the league's positions
    return {
        "old": old,
        "new": new,
        "others": [version for version in snapshot.field.of(new.name)[::-1] if version is not new],
        "rows": rows,
        "prices": {
            name: f"{priced[name].error_rate:z.2f}{error(priced[name].se)} a hand" if name in priced else "" for name in rows
        },
        "nearest": snapshot.nearest,
        "changed": share(differ / alike.asked, 1) if alike else MISSING,
        "differ": f"{differ} of {alike.asked}" if alike else "not known",
        "gain": f"{ratings[1] - ratings[0]:+z,.2f}" if len(ratings) == 2 else MISSING,
        "matchups": found,
        "zero": side_by_side.matchup_zero(found),
    }


PARTS = ("problems", "summary", "standing", "notes", "playing")
MOST_LEFT = 12  # matches of the open round that are listed
OPEN = "this match is shown when its round is over: a bot that has yet to play its deals could read them"
PICTURE = "/answer.png"


class LinkPreview(Struct, frozen=True):
    """The data of a link preview in the front page (Open Graph)."""

    answer: AnswerCard
    picture: str  # its address


class PublicPages:
    """The pages without a token."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/", self.front),
            Route("/events", self.events),
            Route("/table.json", self.table),
            Route(PICTURE, self.picture),
            Route("/static/{name:path}", static),
            Route("/heat", self.heat),
            Route("/authors/{name}", self.author),
            Route("/bots/{name}", self.bot),
            Route("/versions/{old}/{new}", self.versions),
            Route("/pairs", self.compare),
            Route("/pairs/{one}/{other}", self.pair),
            Route("/matches/{fixture:path}", self.match),
            Route("/hands", self.hands),
        ]

    async def front(self, request: Request) -> Response:
        """Return the front page of the league."""
        snapshot = self._context.snapshot
        values = {"parts": self._parts(snapshot), "preview": self._preview(snapshot), "bots": [*snapshot.field.by_id]}
        return self._context.page(request, "club_front.html", values)

    def _preview(self, snapshot: LeagueSnapshot) -> LinkPreview | None:
        """Return the preview of a link to this page; None: no bot is first yet, or no picture can be had."""
        answer, origin = snapshot.table.answer, self._context.terms.public
        return LinkPreview(answer, origin + PICTURE) if answer and origin and can_draw() else None

    async def picture(self, _: Request) -> Response:
        """Return the league's answer as a picture."""
        snapshot = self._context.snapshot
        if snapshot.table.answer is None or not can_draw():
            raise HTTPException(404, "there is no picture of this league")
        drawn = await asyncio.to_thread(_picture, snapshot)
        return Response(drawn, media_type="image/png", headers={"Cache-Control": "max-age=60"})

    async def events(self, request: Request) -> Response:
        """Return the updates of the front page, as server-sent events."""
        return public_stream(self._context.front, self._context.limits, request)

    def update(self, snapshot: LeagueSnapshot) -> bytes:
        """Return the parts of the front page that change, as an event."""
        return event(encode(self._parts(snapshot)))

    def _parts(self, snapshot: LeagueSnapshot) -> dict[str, str]:
        return _rendered_parts(snapshot, tuple(problem.public for problem in self._context.problems()))

    async def author(self, request: Request) -> Response:
        """Return the page of an author: its bots and what has happened to them."""
        snapshot, name = self._context.snapshot, request.path_params["name"]
        found = ladder(snapshot)
        bots = authors.authors_bots(snapshot, found, name)
        if not bots:
            raise HTTPException(404, "author not found")
        mine = {version.id for version in snapshot.field.versions if version.author == name}
        described = [(one.at, describe_to_all(one)) for one in snapshot.events if getattr(one, "version", "") in mine]
        ranked = [one.ladder_row.row for one in bots if one.ladder_row and one.ladder_row.row.rank is not None]
        values = {
            "author": name,
            "bots": bots,
            "ladder": found,
            "best": ranked[0] if ranked else None,
            "ranked": len(snapshot.table.ranking),
            "since": described[0][0] if described else MISSING,
            "events": [one for one in reversed(described) if one[1]][: views.MOST_LINES],
        }
        return self._context.page(request, "club_author.html", values)

    async def heat(self, request: Request) -> Response:
        """Return the matrix of points a hand, of some bots from the rank ``from`` on."""
        snapshot, asked = self._context.snapshot, request.query_params.get("from", "1")
        first = int(asked[:6]) if asked[:6].isdecimal() else 1
        pages = list(range(1, len(snapshot.table.ranking) + 1, heat_map.HEAT))
        values = {"rows": heat_map.heat_map(snapshot, first), "pages": pages, "first": first}
        return self._context.page(request, "club_heat.html", values, headers=CHARTS)

    async def versions(self, request: Request) -> Response:
        """Return the page of two versions of a bot side by side."""
        snapshot = self._context.snapshot
        old, new = (snapshot.field.by_id.get(request.path_params[name]) for name in ("old", "new"))
        if old is None or new is None or old is new or old.name != new.name:
            raise HTTPException(404, "version not found")
        review = await asyncio.to_thread(review_of, self._context.path, snapshot)
        token = self._context.caller(request).token
        values = versions_values(snapshot, old, new, review)
        return self._context.page(
            request, "club_versions.html", {**values, "own": token is not None and token.holder == new.author}
        )

    async def table(self, _: Request) -> Response:
        """Return the table as JSON."""
        return json_response(json_text(self._context.snapshot.table.rows))

    async def bot(self, request: Request) -> Response:
        """Return the page of a bot. Its author and organisers see its faults too."""
        snapshot, name = self._context.snapshot, request.path_params["name"]
        versions = snapshot.field.of(name)[::-1]
        if not versions:
            raise HTTPException(404, "bot not found")
        token = self._context.caller(request).token
        own = token is not None and (token.organiser or versions[0].author == token.holder)
        values = views.bot_values(snapshot, name, own=own)
        values["review"] = await asyncio.to_thread(review_section, self._context.path, snapshot, name)
        values["turn_link"] = match_link
        values["challengers"] = self._challengers(token.holder if token else "", versions[0])
        ranked = versions[0].id in snapshot.table.ranking
        values["offers_rated_match"] = self._context.terms.submit and self._context.spec.people and ranked
        # the template is also that of the copy of the pages as files (``publish``), which has another frame and no links
        return self._context.page(request, "club_bot.html", {**values, "frame": "club_frame.html", "home": "/", "linked": True})

    def _challengers(self, author: str, other: Version) -> list[Version]:
        """Return the active versions of ``author`` that may play against another version."""
        if not self._context.terms.submit or other.state != "active":
            return []
        return [version for version in self._context.snapshot.field.by(author) if version.id != other.id]

    async def compare(self, request: Request) -> Response:
        """Lead to the page of two bots, each given by its name, for its last version, or by a version."""
        one, other = (self._version(request.query_params.get(name, "").strip()) for name in ("one", "other"))
        if one == other:
            raise HTTPException(404, f"found {one} twice; expected two bots")
        return RedirectResponse(f"/pairs/{quote(one, safe='')}/{quote(other, safe='')}", 303)

    def _version(self, name: str) -> str:
        """Return a version by its name, or by its bot's. Raises: HTTPException 404."""
        field = self._context.snapshot.field
        found = [field.by_id[name]] if name in field.by_id else field.of(name)
        if not found:
            raise HTTPException(404, f"no bot {name!r}; {did_you_mean(name, field.by_id)}the ladder lists them")
        return found[-1].id

    async def pair(self, request: Request) -> Response:
        """Return the page of two versions: their total, and each pair of matches."""
        snapshot, one, other = self._context.snapshot, request.path_params["one"], request.path_params["other"]
        if not {one, other} <= snapshot.field.by_id.keys() or one == other:
            raise HTTPException(404, "version not found")
        met = other in snapshot.tally.crosstable.get(one, {})
        values = {
            "one": one,
            "other": other,
            "pairs": views.pairs_between(snapshot, one, other),
            "counts": snapshot.tally.between(one, other) if met else None,
            "half": views.half_between(snapshot, one, other),
            "closed": len(snapshot.calendar.closed),
            "round_of": round_of,
        }
        return self._context.page(request, "club_pair.html", values)

    async def match(self, request: Request) -> Response:
        """Return the page of a match, whose hands a script fetches."""
        fixture = request.path_params["fixture"]
        self._check_shown(fixture)
        record = await asyncio.to_thread(record_of, Folder(self._context.path), fixture)
        values = {"record": record, "total": self._context.snapshot.tally.between(*record.fixture.seats)}
        return match_page(self._context, request, "club_match.html", f"/hands?{urlencode({'fixture': fixture})}", values)

    async def hands(self, request: Request) -> Response:
        """Return all hands of a match with their deals; details of a fault only to the bot's author and organisers."""
        fixture = request.query_params.get("fixture", "")
        self._check_shown(fixture)
        return await hands_of(self._context, request, Folder(self._context.path), fixture, self._context.authors)

    def _check_shown(self, fixture: str) -> None:
        """Check that a match may be shown. Raises: HTTPException 404; 403, while its round is open: a bot might read its deals."""
        snapshot = self._context.snapshot
        known = any(pair.deals == fixture.rpartition("/")[0] for pair in snapshot.history.played)
        if not known:
            raise HTTPException(404, "match not found")
        if views.is_open(snapshot, fixture):
            raise HTTPException(403, OPEN)


@lru_cache(1)
def _rendered_parts(snapshot: LeagueSnapshot, problems: Sequence[str]) -> dict[str, str]:
    """Return the parts of the front page, rendered once for all browsers."""
    values = {
        "snapshot": snapshot,
        "extent": extent_words(snapshot.matches, snapshot.calendar, snapshot.spec.aim),
        "ladder": ladder(snapshot),
        "unit": views.unit(snapshot),
        "order": ORDER,
        "bars": activity.activity(snapshot),
        "news": views.news(snapshot),
        "cups": [*side_matches(snapshot.events, "events").values()][::-1],
        "left": snapshot.left[:MOST_LEFT],
        "match_count": views.match_count,
        "is_open": partial(views.is_open, snapshot),
        "problems": problems,
    }
    return {name: render(f"club_{name}.html", **values) for name in PARTS}


@lru_cache(1)
def _picture(snapshot: LeagueSnapshot) -> bytes:
    """Return the league's answer as a picture, drawn once for all browsers."""
    assert snapshot.table.answer
    return png(svg(snapshot.spec.title, snapshot.table.answer))


async def refuse(request: Request, error: Exception) -> Response:
    """Return a refusal with the status of the error (by default 404 for one of arena): a page to a browser, otherwise one line."""
    if isinstance(error, ArenaError):
        error = http_error(error, 404)
    assert isinstance(error, HTTPException)
    headers = {**(error.headers or {}), **({"WWW-Authenticate": "Bearer"} if error.status_code == 401 else {})}
    return refusal(request, error.status_code, error.detail, headers, home=_back(request))


def _back(request: Request) -> str:
    """Return the page to which a refusal leads: after a form the organiser's or the author's, otherwise the front page."""
    if request.method != "POST":
        return "/"
    return "/organiser" if request.url.path.startswith("/organiser/") else "/me"
