"""The pages of matches that authors ask for: challenges, for all, and practice matches, for their author alone."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.league.jobs import JobQueue
from arena.league.on_request import AskedChallenge, challenge
from arena.league.requests import PracticeMatch
from arena.league.rules.challenges import Challenges
from arena.league.rules.events import Challenged, RoundOpened
from arena.league.rules.request_summary import RequestSummary, summary
from arena.league.rules.rounds import is_requested, request_of
from arena.moments import Moment, now
from arena.records import Result
from arena.reports.pair_words import pair_ended
from arena.stats.pairs import Pair, pairs
from arena.store.store import Store
from arena.text import json_text
from arena.web.club.context import RENEWED, Context, http_error
from arena.web.club.side_matches import hands_of, match_page, record_of
from arena.web.club.watch import LeagueSnapshot, net_points
from arena.web.responses import json_response

SHOWN = 50  # challenges that are listed


class ListedChallenge(Struct, frozen=True, kw_only=True):
    """A challenge, its round and its result."""

    place: int  # of its event among all events
    version: str
    opponent: str
    at: Moment
    round: int | None = None  # the round that has taken it; None: it waits
    points_a_hand: float | None = None  # of the bot that asked, net; None: its round is not over, or it has no hands
    outcome: str = ""  # who won, in words; empty: its round is not over
    fixtures: Sequence[str] = ()  # its matches; empty likewise


@lru_cache(1)
def listed_challenges(snapshot: LeagueSnapshot) -> Sequence[ListedChallenge]:
    """Return all challenges, the last one first; computed once for all browsers."""
    played = {request_of(pair.deals): pair for pair in snapshot.history.played if is_requested(pair.deals)}
    taken = {one.place: event.round for event in snapshot.events if isinstance(event, RoundOpened) for one in event.requested}
    closed = len(snapshot.calendar.closed)
    known = Challenges(snapshot.events).asked
    return [_entry(place, event, taken.get(place), played.get(place), closed) for place, event in reversed(known.items())]


def _entry(place: int, event: Challenged, taken_by: int | None, pair: Pair | None, closed: int) -> ListedChallenge:
    """Return a challenge; ``taken_by``: its round, None: it waits; ``closed``: the number of rounds that are over."""
    waiting = ListedChallenge(place=place, version=event.version, opponent=event.opponent, at=event.at, round=taken_by)
    if pair is None or taken_by is None or taken_by > closed:
        return waiting
    points = net_points(pair, event.version) / pair.hands if pair.hands else None
    fixtures = [f"{pair.deals}/{leg}" for leg in range(pair.legs)]
    return replace(waiting, points_a_hand=points, outcome=pair_ended(pair), fixtures=fixtures)


@lru_cache(1)
def _summary(snapshot: LeagueSnapshot) -> RequestSummary | None:
    return summary(snapshot.events, snapshot.history.played)


class ChallengePages:
    """The pages of matches on request."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the routes; a server that takes no submissions only shows the requests."""
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
        snapshot, terms = self._context.snapshot, self._context.spec.challenges
        values = {"terms": terms, "summary": _summary(snapshot), "rated": listed_challenges(snapshot)[:SHOWN]}
        return self._context.page(request, "club_challenges.html", values)

    async def document(self, _: Request) -> Response:
        """Return all challenges as JSON, the last one first."""
        return json_response(json_text(listed_challenges(self._context.snapshot)))

    async def ask_by_form(self, request: Request) -> Response:
        """Ask for a match, and return to the page of challenges."""
        await self._ask(request)
        return RedirectResponse("/challenges", 303)

    async def ask_by_program(self, request: Request) -> Response:
        """Ask for a match, and return it as JSON."""
        return json_response(json_text(await self._ask(request)), 201)

    async def _ask(self, request: Request) -> AskedChallenge:
        """Store the challenge in a form, and return it. Raises: HTTPException 400, 401, 403, 408, 409, 413, 503."""
        author, found = self._context.author(request), await self._context.form(request)
        return await self._context.store(
            lambda: challenge(self._context.path, found.get("version", ""), found.get("opponent", ""), author)
        )


class PracticePages:
    """The pages of practice matches, behind an author's token."""

    def __init__(self, context: Context, jobs: JobQueue) -> None:
        self._context = context
        self._jobs = jobs

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/me/practice", self.ask, methods=["POST"]),
            Route("/me/practice/{number}", self.page),
            Route("/me/practice/{number}/hands", self.hands),
            Route("/me/practice/{number}/matches/{fixture:path}", self.match),
        ]

    async def ask(self, request: Request) -> Response:
        """Request a practice match of one of the caller's versions against an active version."""
        author, fields = self._context.author(request), await self._context.form(request)
        versions = self._context.snapshot.field.by_id
        mine, opponent = versions.get(fields.get("version", "")), versions.get(fields.get("opponent", ""))
        if mine is None or mine.author != author or opponent is None or opponent.state != "active" or mine is opponent:
            raise HTTPException(404, "version not found")
        if problem := self._context.why_not_now():
            raise HTTPException(503, problem.public)
        try:
            asked = await asyncio.to_thread(
                self._jobs.ask, PracticeMatch(author=author, at=now(), mine=mine.id, opponent=opponent.id)
            )
        except ArenaError as error:
            raise http_error(error, 507) from None
        if self._context.requests:
            self._context.requests.wake()
        return RedirectResponse(f"/me/practice/{asked.id}", 303)

    async def page(self, request: Request) -> Response:
        """Return the page of a practice match."""
        one = self._own(request)
        results, ended = await asyncio.to_thread(self._results, one) if one.state == "done" else ((), "")
        points = sum(_points(result, next(iter(one.entrants))) for result in results)
        values: dict[str, Any] = {
            "practice": one,
            "matches": results,
            "ended": ended,
            "points": points,
            "hands": sum(result.hands for result in results),
            "renewed": RENEWED if one.ended is None else 0,
        }
        return self._context.page(request, "club_practice.html", values)

    async def match(self, request: Request) -> Response:
        """Return the page of one of its matches, whose hands a script fetches."""
        one, fixture = self._own(request), request.path_params["fixture"]
        record = await asyncio.to_thread(record_of, one.run(self._context.path), fixture)
        hands = f"/me/practice/{one.id}/hands?{urlencode({'fixture': fixture})}"
        return match_page(self._context, request, "club_practice_match.html", hands, {"practice": one, "record": record})

    async def hands(self, request: Request) -> Response:
        """Return all hands of one of its matches; details of a fault only to the bot's author and organisers."""
        one = self._own(request)
        authors = {name: self._context.authors[version] for name, version in one.entrants.items()}
        return await hands_of(self._context, request, one.run(self._context.path), request.query_params.get("fixture", ""), authors)

    def _own(self, request: Request) -> PracticeMatch:
        """Return the requested practice match. Raises: HTTPException 404, also for another author's."""
        author = self._context.author(request)
        one = self._jobs.get(PracticeMatch, request.path_params["number"])
        if one is None or one.author != author:
            raise HTTPException(404, "practice match not found")
        return one

    def _results(self, one: PracticeMatch) -> tuple[Sequence[Result], str]:
        """Return the results of its matches, and how it ended, in words."""
        with Store(one.run(self._context.path).database) as store:
            return store.results(), "; ".join(map(pair_ended, pairs(store.records())))


def _points(result: Result, name: str) -> int:
    """Return the net points of an entrant in a match."""
    return (result.points[0] - result.points[1]) * (1 if result.fixture.seats[0] == name else -1)
