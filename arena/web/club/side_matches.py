"""The pages of matches beside a league's rounds, cups and those of people; and the hands of any match."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.json import encode
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import NotBegunError, NotRecordedError
from arena.league.rules.side_matches import SideMatch, side_matches
from arena.league.side_matches import run_folder
from arena.plugins.manager import installed_kinds
from arena.records import MatchRecord, Result
from arena.reports.page import assets
from arena.reports.replay_words import REPLAY
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import stored_run
from arena.stats.format_details import Details
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.base import details
from arena.tournament.formats.round_robin import Single
from arena.web.club import views
from arena.web.club.context import Context
from arena.web.guard import CHARTS
from arena.web.responses import json_response
from arena.web.reviewing import ReviewTask, ask_review, review_state, reviewed_match

MATCH_SCRIPTS = (*assets.REPLAY_SCRIPTS, "match.js")
OPEN = "this match is shown when all of them are over: a bot that has yet to play its deals could read them"


class CupEntrant(Struct, frozen=True, kw_only=True):
    """A bot that takes part in a cup."""

    seed: int
    bot: str
    version: str
    author: str
    place: int | None  # None: the cup is not over
    won: int  # matches
    lost: int


class SideMatchPages:
    """The pages of cups and of their matches, and those of the matches of people, whose reviews they ask for."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        shown = [
            Route("/cups/{name}", self.cup),
            Route("/cups/{name}/hands", self.hands),
            Route("/cups/{name}/matches/{fixture:path}", self.match),
            Route("/people/matches/{name}", self.match),
            Route("/people/matches/{name}/hands", self.hands),
        ]
        if not (self._context.jobs and self._context.spec.people):
            return shown
        return [*shown, Route("/people/matches/{name}/review", self.review, methods=["POST"])]

    async def cup(self, request: Request) -> Response:
        """Return the page of a cup."""
        cup = self._find(request)
        shown = await asyncio.to_thread(_run_values, self._context.path, cup)
        entrants = _entrants(cup, self._context.authors, shown["matches"])
        values = {**shown, "cup": cup, "entrants": entrants}
        return self._context.page(request, "club_cup.html", values, headers=CHARTS)

    async def match(self, request: Request) -> Response:
        """Return the page of a match, whose hands a script fetches."""
        one = self._find_over(request)
        fixture, jobs = _fixture(one, request.path_params.get("fixture", "")), self._context.jobs
        token = self._context.caller(request).token
        values = {
            "match": one,
            "record": await asyncio.to_thread(record_of, self._folder(one), fixture),
            "own": bool(jobs and token and token.holder == one.opened.person),
            "review": await asyncio.to_thread(review_state, jobs, _task(one)) if jobs else None,
        }
        template = "club_person_match.html" if one.opened.person else "club_cup_match.html"
        return match_page(self._context, request, template, f"{_address(one)}/hands?{urlencode({'fixture': fixture})}", values)

    async def hands(self, request: Request) -> Response:
        """Return all hands of a match with their deals; details of a fault only to the bot's author and organisers."""
        one = self._find_over(request)
        authors = {name: self._context.authors.get(entrant, entrant) for name, entrant in one.entrants.items()}
        fixture = _fixture(one, request.query_params.get("fixture", ""))
        return await hands_of(self._context, request, self._folder(one), fixture, authors)

    async def review(self, request: Request) -> Response:
        """Request a review of a match, for the person who played it. Raises: HTTPException 401, 403, 404; TooManyRequestsError."""
        person = self._context.author(request)
        await self._context.form(request)
        one = self._find_over(request)
        if self._context.jobs is None or one.opened.person != person:
            raise HTTPException(403, "only the person who has played it may do this")
        await asyncio.to_thread(ask_review, self._context.jobs, _task(one), person)
        if self._context.requests:
            self._context.requests.wake()
        return RedirectResponse(_address(one), 303)

    def _folder(self, one: SideMatch) -> Folder:
        return run_folder(self._context.path, one.opened)

    def _find(self, request: Request) -> SideMatch:
        """Return the requested match or cup. Raises: HTTPException 404, also for one that is void."""
        is_cup = request.url.path.startswith("/cups/")
        one = side_matches(self._context.snapshot.events).get(f"{'events' if is_cup else 'people'}/{request.path_params['name']}")
        if one is None or (one.closed and one.closed.void):
            raise HTTPException(404, "cup not found" if is_cup else "match not found")
        return one

    def _find_over(self, request: Request) -> SideMatch:
        """Return the requested one, whose hands are shown. Raises: HTTPException 403, while it is not over; 404."""
        one = self._find(request)
        if one.closed is None:
            raise HTTPException(403, OPEN)
        return one


def _address(one: SideMatch) -> str:
    """Return the address of its page."""
    return f"/people/matches/{one.opened.name}" if one.opened.person else f"/cups/{quote(one.opened.name)}"


def _fixture(one: SideMatch, asked: str) -> str:
    """Return the id of the only fixture of a person's match, or of the one that is ``asked`` for."""
    return next(iter(Single().fixtures(tuple(one.entrants), ()))).id if one.opened.person else asked


def _task(one: SideMatch) -> ReviewTask:
    return ReviewTask(run=one.opened.run, fixture=_fixture(one, ""), hand="")


def _run_values(path: Path, cup: SideMatch) -> dict[str, Any]:
    """Return the template's values from the run of a cup so far; empty ones, if it has not begun."""
    folder = run_folder(path, cup.opened)
    try:
        with Store(folder.database) as store:
            run = stored_run(folder, store, installed_kinds())
            return _values_of(cup, run, store.results())
    except NotBegunError:
        return {"matches": (), "brackets": (), "links": {}, "decided": ""}


def _values_of(cup: SideMatch, run: StoredRun, results: Sequence[Result]) -> dict[str, Any]:
    found = details(run.spec.format, run.names, lambda: results)
    links: dict[tuple[str, str], str] = {}
    for one in results:
        address = f"{_address(cup)}/matches/{quote(one.fixture.id)}" if cup.closed else "#matches"
        links.setdefault(one.fixture.seats, address)
        links.setdefault(one.fixture.seats[::-1], address)
    shown = found or Details()
    return {"matches": results, "brackets": shown.brackets, "links": links, "decided": shown.decided}


def _entrants(cup: SideMatch, authors: Mapping[str, str], results: Sequence[Result]) -> list[CupEntrant]:
    """Return the bots of a cup, sorted by place, then by seed."""
    places: dict[str, int] = {}
    for place in cup.closed.places if cup.closed else ():
        places.update(dict.fromkeys(place, len(places) + 1))
    won = [one.fixture.seats[one.winner] for one in results if one.winner is not None]
    lost = [one.fixture.seats[1 - one.winner] for one in results if one.winner is not None]
    found = [
        CupEntrant(
            seed=seed,
            bot=bot,
            version=version,
            author=authors[version],
            place=places.get(version),
            won=won.count(bot),
            lost=lost.count(bot),
        )
        for seed, (bot, version) in enumerate(cup.entrants.items(), 1)
    ]
    return sorted(found, key=lambda one: (one.place or 0, one.seed))


def record_of(folder: Folder, fixture: str) -> MatchRecord:
    """Return a match of a run. Raises: HTTPException 404, if there is none; StoreError."""
    try:
        with Store(folder.database) as store:
            return store.record(fixture)
    except (NotBegunError, NotRecordedError):
        raise HTTPException(404, "match not found") from None


def match_page(context: Context, request: Request, template: str, hands: str, values: Mapping[str, Any]) -> Response:
    """Return the page of a match, whose hands a script fetches from an address."""
    shown = {**values, "scripts": MATCH_SCRIPTS, "hands": hands, "shared": {"words": REPLAY}}
    return context.page(request, template, shown, headers=CHARTS)


async def hands_of(context: Context, request: Request, folder: Folder, fixture: str, authors: Mapping[str, str]) -> Response:
    """Return all hands of a match as JSON, with its review; details of a fault only to the bot's author and organisers.

    Raises: HTTPException 404, StoreError.
    """
    record = await asyncio.to_thread(record_of, folder, fixture)
    shown = views.for_reader(record, authors, context.caller(request).token)
    return json_response(await asyncio.to_thread(lambda: encode(reviewed_match(folder, shown, installed_kinds()))))
