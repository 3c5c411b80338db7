"""The page of challenges, and the requests by which authors ask for matches from a browser or a program."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.league.challenge import AskedChallenge, ask
from arena.league.rules.challenges import Challenges, RequestSummary, summary
from arena.league.rules.events import Challenged, RoundOpened
from arena.league.rules.rounds import is_requested, request_of
from arena.moments import Moment
from arena.stats.pairs import Pair
from arena.text import json_text
from arena.web.club.context import Context, own_form_fields, public_text
from arena.web.club.watch import LeagueSnapshot
from arena.web.server import json_response

SHOWN = 50  # rated matches that are listed


class RatedRequest(Struct, frozen=True, kw_only=True):
    """A rated match that was asked for."""

    place: int  # of its event among all events
    version: str
    opponent: str
    at: Moment
    round: int | None = None  # that has taken it; None: it waits
    points_a_hand: float | None = None  # of the bot that asked, net; None: its round is not over


def rated_requests(snapshot: LeagueSnapshot) -> list[RatedRequest]:
    """Return the rated matches that were asked for, the last one first."""
    pairs = {request_of(pair.deals): pair for pair in snapshot.history.played if is_requested(pair.deals)}
    taken = {one.place: event.round for event in snapshot.events if isinstance(event, RoundOpened) for one in event.requested}
    closed = len(snapshot.calendar.closed)
    known = Challenges(snapshot.events).asked
    return [_request(place, event, taken.get(place), pairs.get(place), closed) for place, event in reversed(known.items())]


def _request(place: int, event: Challenged, number: int | None, pair: Pair | None, closed: int) -> RatedRequest:
    points = None
    if pair and pair.hands and number is not None and number <= closed:
        sign = 1 if pair.entrant == event.version else -1
        points = sign * (pair.points[0] - pair.points[1]) / pair.hands
    return RatedRequest(
        place=place, version=event.version, opponent=event.opponent, at=event.at, round=number, points_a_hand=points
    )


class ChallengePages:
    """The pages of matches on request."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._shown: tuple[LeagueSnapshot, RequestSummary | None, list[RatedRequest]] | None = None  # computed once for all readers

    def routes(self) -> Sequence[Route]:
        """Return the routes; a server that takes no submissions only shows what was asked for."""
        shown = [Route("/challenges", self.page), Route("/api/challenges", self.document)]
        if not self._context.terms.submit:
            return shown
        return [
            *shown,
            Route("/challenges", self.ask_by_form, methods=["POST"]),
            Route("/api/challenges", self.ask_by_program, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Return the page of all challenges."""
        found, rated = self._requests()
        values = {"terms": self._context.spec.challenges, "summary": found, "rated": rated[:SHOWN]}
        return self._context.page(request, "club_challenges.html", values)

    def _requests(self) -> tuple[RequestSummary | None, list[RatedRequest]]:
        """Return the summary of what was asked for, and all of it, which change only with the snapshot."""
        snapshot = self._context.snapshot
        if self._shown is None or self._shown[0] is not snapshot:
            self._shown = (snapshot, summary(snapshot.events, snapshot.history.played), rated_requests(snapshot))
        return self._shown[1:]

    async def document(self, request: Request) -> Response:
        """Return the rated matches that were asked for as JSON, the last one first."""
        del request
        return json_response(json_text(self._requests()[1]).encode())

    async def ask_by_form(self, request: Request) -> Response:
        """Ask for a match, and return to the page of challenges."""
        await self._ask(request)
        return RedirectResponse("/challenges", 303)

    async def ask_by_program(self, request: Request) -> Response:
        """Ask for a match, and return it as JSON."""
        response = json_response(json_text(await self._ask(request)).encode())
        response.status_code = 201
        return response

    async def _ask(self, request: Request) -> AskedChallenge:
        """Return the match that a form asks for. Raises: HTTPException 400, 409, 503."""
        caller, author = self._context.author(request)
        found = await own_form_fields(request, self._context.callers, caller)
        try:
            asked = await asyncio.to_thread(ask, self._context.path, found.get("version", ""), found.get("opponent", ""), author)
        except ArenaError as error:
            raise HTTPException(409, public_text(error)) from None
        await asyncio.to_thread(self._context.watch.renew)
        return asked
