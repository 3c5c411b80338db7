"""The practice matches of an author: asked for by a form, played in the background, and shown to that author alone."""

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.league.jobs import TooManyRequestsError
from arena.league.practice import PracticeMatch, PracticeMatches
from arena.records import Result
from arena.store.store import Store
from arena.web.club.context import Context, own_form_fields, public_text
from arena.web.club.special import hands_of, match_page, record_of

RENEWED = 3  # seconds after which a page is loaded again that waits for a match


class PracticePages:
    """The pages of practice matches, behind an author's token."""

    def __init__(self, context: Context, practice: PracticeMatches) -> None:
        self._context = context
        self._practice = practice

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/me/practice", self.ask, methods=["POST"]),
            Route("/me/practice/{number}", self.page),
            Route("/me/practice/{number}/hands", self.hands),
            Route("/me/practice/{number}/matches/{fixture:path}", self.match),
        ]

    async def ask(self, request: Request) -> Response:
        """Have a practice match played: of a version of the caller's against an active one."""
        caller, author = self._context.author(request)
        fields = await own_form_fields(request, self._context.callers, caller)
        versions = {version.id: version for version in self._context.snapshot.field.versions}
        mine, opponent = versions.get(fields.get("version", "")), versions.get(fields.get("opponent", ""))
        if mine is None or mine.author != author or opponent is None or opponent.state != "active" or mine is opponent:
            raise HTTPException(404, "version not found")
        if problem := self._context.hindrance():
            raise HTTPException(503, problem.public)
        try:
            asked = await asyncio.to_thread(self._practice.ask, author, mine, opponent)
        except TooManyRequestsError as error:
            raise HTTPException(429, str(error)) from None
        except ArenaError as error:
            raise HTTPException(507, public_text(error)) from None
        return RedirectResponse(f"/me/practice/{asked.id}", 303)

    async def page(self, request: Request) -> Response:
        """Return the page of a practice match."""
        one = self._own(request)
        results = await asyncio.to_thread(self._results, one) if one.state == "done" else ()
        points = sum(_points(result, one.names[0]) for result in results)
        values: dict[str, Any] = {
            "practice": one,
            "matches": results,
            "points": points,
            "hands": sum(result.hands for result in results),
            "renewed": RENEWED if one.state in ("waiting", "running") else 0,
        }
        return self._context.page(request, "club_practice.html", values)

    async def match(self, request: Request) -> Response:
        """Return the page of one of its matches, whose hands a script fetches."""
        one, fixture = self._own(request), request.path_params["fixture"]
        record = await asyncio.to_thread(record_of, self._practice.run_of(one.id), fixture)
        hands = f"/me/practice/{one.id}/hands?{urlencode({'fixture': fixture})}"
        return match_page(self._context, request, "club_practice_match.html", hands, {"practice": one, "record": record})

    async def hands(self, request: Request) -> Response:
        """Return all hands of one of its matches. What a fault of the opponent says is its author's."""
        one, folder = self._own(request), self._practice.run_of(request.path_params["number"])
        by_version = {version.id: version.author for version in self._context.snapshot.field.versions}
        authors = {name: by_version[version] for name, version in zip(one.names, (one.mine, one.opponent), strict=True)}
        return await hands_of(self._context, request, folder, request.query_params.get("fixture", ""), authors)

    def _own(self, request: Request) -> PracticeMatch:
        """Return the requested practice match. Raises: HTTPException 404, also for another author's."""
        _, author = self._context.author(request)
        one = self._practice.get(request.path_params["number"])
        if one is None or one.author != author:
            raise HTTPException(404, "practice match not found")
        return one

    def _results(self, one: PracticeMatch) -> Sequence[Result]:
        with Store(self._practice.run_of(one.id).database) as store:
            return store.results()


def _points(result: Result, name: str) -> int:
    """Return the net points of an entrant in a match."""
    return (result.points[0] - result.points[1]) * (1 if result.fixture.seats[0] == name else -1)
