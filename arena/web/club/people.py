"""The pages of people: their ratings, the matches of each, and the form that begins one."""

import asyncio
from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from arena.errors import ArenaError
from arena.league.rules.side_matches import side_matches
from arena.league.side_matches import open_match
from arena.text import json_text
from arena.web.club.context import Context, http_error
from arena.web.club.rated_tables import AT, MOVE_SECONDS, RatedTables
from arena.web.responses import json_response


class PeoplePages:
    """The pages of people; on a server that takes no submissions they only show what was played."""

    def __init__(self, context: Context, tables: RatedTables | None) -> None:
        self._context = context
        self._tables = tables
        self._beginning = asyncio.Lock()  # so that no more than MOST_TABLES begin at the same moment

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes."""
        shown = [
            Route("/people", self.page),
            Route("/people.json", self.document),
            Route("/people/of/{name}", self.person),
        ]
        if not self._tables:
            return shown
        return [*shown, Route("/people", self.begin, methods=["POST"]), Mount(AT, self._tables.router)]

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
        return json_response(json_text(self._context.snapshot.table.people))

    async def begin(self, request: Request) -> Response:
        """Begin a match, and lead to its table. Raises: HTTPException 400, 401, 403, 404, 408, 409, 413, 503."""
        person, fields = self._context.author(request), await self._context.form(request)
        if self._tables is None:
            raise HTTPException(404)
        if problem := self._context.why_not_now():
            raise HTTPException(503, problem.public)
        async with self._beginning:
            if self._tables.full:
                raise HTTPException(503, "all tables are taken; try again later")
            try:
                match = await asyncio.to_thread(open_match, self._context.path, person, fields.get("version", ""))
            except ArenaError as error:
                raise http_error(error, 409) from None
            return RedirectResponse(self._tables.sit(match.opened).address, 303)

    async def person(self, request: Request) -> Response:
        """Return the page of a person: its rating and its matches, the last one first."""
        snapshot, name = self._context.snapshot, request.path_params["name"]
        matches = [one for one in side_matches(snapshot.events, "people").values() if one.opened.person == name]
        if not matches:
            raise HTTPException(404, "person not found")
        row = next((row for row in snapshot.table.people if row.person == name), None)
        return self._context.page(request, "club_person.html", {"person": name, "row": row, "matches": matches[::-1]})
