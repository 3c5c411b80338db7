"""The pages of a league's events beside its rounds: entrants, bracket, and the hands when the event is over."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.json import encode
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotBegunError, NotRecordedError
from arena.league.rules.special import SpecialEvent, special_events
from arena.league.special import event_folder
from arena.records import MatchRecord, Result
from arena.reports.describe import REPLAY
from arena.reports.page import assets
from arena.results.stored import StoredRun, stored_run
from arena.runs.plans import kinds
from arena.stats.standings import Details
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.base import details
from arena.web.club import views
from arena.web.club.context import Context
from arena.web.reviewing import reviewed_match
from arena.web.server import CHARTS_AND_FORMS_POLICY, json_response

MATCH_SCRIPTS = (*assets.REPLAY_SCRIPTS, "match.js")
OPEN = "this match is shown when the event is over: a bot that has yet to play its deals could read them"


class EventEntrant(Struct, frozen=True, kw_only=True):
    """A bot that takes part in an event."""

    seed: int
    bot: str
    version: str
    author: str
    place: int | None  # None: the event is not over
    won: int  # matches
    lost: int


class EventPages:
    """The pages of events, without a token."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/events/{name}", self.page),
            Route("/events/{name}/hands", self.hands),
            Route("/events/{name}/matches/{fixture:path}", self.match),
        ]

    async def page(self, request: Request) -> Response:
        """Return the page of an event."""
        event = self._event(request)
        shown = await asyncio.to_thread(_run_values, self._context.path, event)
        entrants = _entrants(event, self._context.authors, shown["matches"])
        response = self._context.page(request, "club_event.html", {**shown, "event": event, "entrants": entrants})
        response.headers["Content-Security-Policy"] = CHARTS_AND_FORMS_POLICY
        return response

    async def match(self, request: Request) -> Response:
        """Return the page of a match, whose hands a script fetches."""
        event, fixture = self._event(request), request.path_params["fixture"]
        record = await asyncio.to_thread(record_of, self._folder(event), fixture)
        hands = f"/events/{quote(event.name)}/hands?{urlencode({'fixture': fixture})}"
        return match_page(self._context, request, "club_event_match.html", hands, {"event": event, "record": record})

    async def hands(self, request: Request) -> Response:
        """Return all hands of a match with their deals; details of a fault only to the bot's author and organisers."""
        event = self._event(request)
        by_version = self._context.authors
        authors = {bot: by_version[version] for bot, version in event.versions.items()}
        return await hands_of(self._context, request, self._folder(event), request.query_params.get("fixture", ""), authors)

    def _folder(self, event: SpecialEvent) -> Folder:
        """Return the folder of an event whose hands are shown. Raises: HTTPException 403, while it is not over."""
        if event.closed is None:
            raise HTTPException(403, OPEN)
        return event_folder(self._context.path, event.name)

    def _event(self, request: Request) -> SpecialEvent:
        """Return the requested event. Raises: HTTPException 404."""
        for event in special_events(self._context.snapshot.events):
            if event.name == request.path_params["name"]:
                return event
        raise HTTPException(404, "event not found")


def _run_values(path: Path, event: SpecialEvent) -> dict[str, Any]:
    """Return the template's values from the run of an event so far; empty ones, if it has not begun."""
    folder = event_folder(path, event.name)
    try:
        with Store(folder.database) as store:
            run = stored_run(folder, store, kinds())
            return _values_of(event, run, store.results())
    except NotBegunError:
        return {"matches": (), "brackets": (), "links": {}, "decided": ""}


def _values_of(event: SpecialEvent, run: StoredRun, results: Sequence[Result]) -> dict[str, Any]:
    found = details(run.spec.format, run.names, lambda: results)
    links: dict[tuple[str, str], str] = {}
    for one in results:
        address = f"/events/{quote(event.name)}/matches/{quote(one.fixture.id)}" if event.closed else "#matches"
        links.setdefault(one.fixture.seats, address)
        links.setdefault(one.fixture.seats[::-1], address)
    shown = found or Details()
    return {"matches": results, "brackets": shown.brackets, "links": links, "decided": shown.decided}


def _entrants(event: SpecialEvent, authors: Mapping[str, str], results: Sequence[Result]) -> list[EventEntrant]:
    """Return the bots of an event, sorted by place, then by seed."""
    places: dict[str, int] = {}
    for place in event.closed.places if event.closed else ():
        places.update(dict.fromkeys(place, len(places) + 1))
    won = [one.fixture.seats[one.winner] for one in results if one.winner is not None]
    lost = [one.fixture.seats[1 - one.winner] for one in results if one.winner is not None]
    found = [
        EventEntrant(
            seed=seed,
            bot=bot,
            version=version,
            author=authors[version],
            place=places.get(version),
            won=won.count(bot),
            lost=lost.count(bot),
        )
        for seed, (bot, version) in enumerate(event.versions.items(), 1)
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
    response = context.page(request, template, {**values, "scripts": MATCH_SCRIPTS, "hands": hands, "shared": {"words": REPLAY}})
    response.headers["Content-Security-Policy"] = CHARTS_AND_FORMS_POLICY
    return response


async def hands_of(context: Context, request: Request, folder: Folder, fixture: str, authors: Mapping[str, str]) -> Response:
    """Return all hands of a match as JSON, with its review; details of a fault only to the bot's author and organisers.

    Raises: HTTPException 404, StoreError.
    """
    record = await asyncio.to_thread(record_of, folder, fixture)
    shown = views.for_reader(record, authors, context.caller(request).token)
    return json_response(encode(await asyncio.to_thread(reviewed_match, folder, shown, kinds())))
