"""The pages of people: their ratings, each person's rated matches with replays, and the form that begins one."""

import asyncio
from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from arena.errors import ArenaError
from arena.league.person_matches import bot_of, fixture_of, match_folder, open_match
from arena.league.rules.people import PersonMatch, person_matches
from arena.text import json_text
from arena.web.club.context import Context, own_form_fields, public_text
from arena.web.club.rated_tables import AT, MOVE_SECONDS, RatedTables
from arena.web.club.special import hands_of, match_page
from arena.web.reviewing import Reviewing, ReviewState, ReviewTask, TooManyReviewsError
from arena.web.server import json_response


class PeoplePages:
    """The pages of people; on a server that takes no submissions they only show what was played."""

    def __init__(self, context: Context, tables: RatedTables | None, reviewing: Reviewing | None) -> None:
        self._context = context
        self._tables = tables
        self._reviewing = reviewing

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes."""
        shown = [
            Route("/people", self.page),
            Route("/people.json", self.document),
            Route("/people/of/{name}", self.person),
            Route("/people/matches/{number:int}", self.match),
            Route("/people/matches/{number:int}/hands", self.hands),
        ]
        if not self._tables:
            return shown
        return [
            *shown,
            Route("/people", self.begin, methods=["POST"]),
            Route("/people/matches/{number:int}/review", self.review, methods=["POST"]),
            Mount(AT, self._tables.router),
        ]

    async def page(self, request: Request) -> Response:
        """Return the page of all people, with the form that begins a match."""
        snapshot, token = self._context.snapshot, self._context.caller(request).token
        mine = token.holder if token else ""
        versions = {version.id: version for version in snapshot.field.active}
        place = self._tables.of(mine) if self._tables else None
        values = {
            "people": snapshot.table.people,
            "terms": self._context.spec.people if self._tables else None,
            "seconds": MOVE_SECONDS,
            "bots": [name for name in snapshot.table.ranking if name in versions and versions[name].author != mine],
            "chosen": request.query_params.get("version", ""),
            "at": place.address if place else "",
        }
        return self._context.page(request, "club_people.html", values)

    async def document(self, _: Request) -> Response:
        """Return the people as JSON."""
        return json_response(json_text(self._context.snapshot.table.people).encode())

    async def begin(self, request: Request) -> Response:
        """Begin a match, and lead to its table. Raises: HTTPException 401, 404, 409, 503."""
        caller, person = self._context.author(request)
        fields = await own_form_fields(request, self._context.callers, caller)
        if self._tables is None:
            raise HTTPException(404)
        if problem := self._context.hindrance():
            raise HTTPException(503, problem.public)
        if self._tables.full:
            raise HTTPException(503, "all tables are taken; try again later")
        try:
            match = await asyncio.to_thread(open_match, self._context.path, person, fields.get("version", ""))
        except ArenaError as error:
            raise HTTPException(409, public_text(error)) from None
        return RedirectResponse(self._tables.sit(match.opened).address, 303)

    async def person(self, request: Request) -> Response:
        """Return the page of a person: its rating and its matches, the last one first."""
        snapshot, name = self._context.snapshot, request.path_params["name"]
        matches = [one for one in person_matches(snapshot.events).values() if one.opened.person == name]
        if not matches:
            raise HTTPException(404, "person not found")
        row = next((row for row in snapshot.table.people if row.person == name), None)
        return self._context.page(request, "club_person.html", {"person": name, "row": row, "matches": matches[::-1]})

    async def match(self, request: Request) -> Response:
        """Return the page of a match, whose hands a script fetches."""
        one = self._over(request)
        token = self._context.caller(request).token
        values = {
            "match": one,
            "own": bool(self._reviewing and token and token.holder == one.opened.person),
            "review": self._review_state(one),
        }
        return match_page(self._context, request, "club_person_match.html", f"/people/matches/{one.opened.match}/hands", values)

    async def hands(self, request: Request) -> Response:
        """Return all hands of a match with their deals. What a fault of the bot says is its author's."""
        one = self._over(request)
        opened, folder = one.opened, match_folder(self._context.path, one.opened.match)
        author = self._context.snapshot.field.version(opened.version).author
        authors = {opened.person: opened.person, bot_of(opened.version, opened.person): author}
        return await hands_of(self._context, request, folder, fixture_of(one.opened), authors)

    async def review(self, request: Request) -> Response:
        """Have a match reviewed in the background, for the person who has played it. Raises: HTTPException 401, 403, 404, 429."""
        caller, person = self._context.author(request)
        await own_form_fields(request, self._context.callers, caller)
        one = self._over(request)
        if self._reviewing is None or one.opened.person != person:
            raise HTTPException(403, "only the person who has played it may do this")
        try:
            self._reviewing.ask(self._task(one))
        except TooManyReviewsError as error:
            raise HTTPException(429, str(error)) from None
        return RedirectResponse(f"/people/matches/{one.opened.match}", 303)

    def _review_state(self, one: PersonMatch) -> ReviewState | None:
        return self._reviewing.state(self._task(one)) if self._reviewing else None

    def _task(self, one: PersonMatch) -> ReviewTask:
        return ReviewTask(folder=match_folder(self._context.path, one.opened.match).path, fixture=fixture_of(one.opened), hand="")

    def _over(self, request: Request) -> PersonMatch:
        """Return the requested match, if its hands are shown. Raises: HTTPException 403, 404."""
        one = person_matches(self._context.snapshot.events).get(request.path_params["number"])
        if one is None or (one.closed and one.closed.void):
            raise HTTPException(404, "match not found")
        if one.closed is None:
            raise HTTPException(403, "this match is shown when it is over")
        return one
