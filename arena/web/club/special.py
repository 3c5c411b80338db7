"""The pages of matches beside a league's rounds: events, challenges and practice matches; and the hands of any match."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.json import encode
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError, NotBegunError, NotRecordedError
from arena.league.jobs import JobQueue
from arena.league.on_request import AskedChallenge, challenge
from arena.league.requests import PracticeMatch
from arena.league.rules.challenges import Challenges
from arena.league.rules.events import Challenged, RoundOpened
from arena.league.rules.request_summary import RequestSummary, summary
from arena.league.rules.rounds import is_requested, request_of
from arena.league.rules.special import SpecialEvent, special_events
from arena.league.special import event_folder
from arena.moments import Moment, now
from arena.records import MatchRecord, Result
from arena.reports.page import assets
from arena.reports.replay_words import REPLAY
from arena.runs.plans import kinds
from arena.runs.stored import StoredRun, stored_run
from arena.stats.pairs import Pair
from arena.stats.standings import Details
from arena.store.folder import Folder
from arena.store.store import Store
from arena.text import json_text
from arena.tournament.formats.base import details
from arena.web.club import views
from arena.web.club.context import Context, http_error
from arena.web.club.watch import LeagueSnapshot, net_points
from arena.web.guard import CHARTS_AND_FORMS
from arena.web.responses import json_response
from arena.web.reviewing import reviewed_match

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
        values = {**shown, "event": event, "entrants": entrants}
        return self._context.page(request, "club_event.html", values, headers=CHARTS_AND_FORMS)

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
    shown = {**values, "scripts": MATCH_SCRIPTS, "hands": hands, "shared": {"words": REPLAY}}
    return context.page(request, template, shown, headers=CHARTS_AND_FORMS)


async def hands_of(context: Context, request: Request, folder: Folder, fixture: str, authors: Mapping[str, str]) -> Response:
    """Return all hands of a match as JSON, with its review; details of a fault only to the bot's author and organisers.

    Raises: HTTPException 404, StoreError.
    """
    record = await asyncio.to_thread(record_of, folder, fixture)
    shown = views.for_reader(record, authors, context.caller(request).token)
    return json_response(await asyncio.to_thread(lambda: encode(reviewed_match(folder, shown, kinds()))))


# Challenges, and the requests for them from a browser or a program.

SHOWN = 50  # challenges that are listed


class ListedChallenge(Struct, frozen=True, kw_only=True):
    """A challenge, its round and its result."""

    place: int  # of its event among all events
    version: str
    opponent: str
    at: Moment
    round: int | None = None  # the round that has taken it; None: it waits
    points_a_hand: float | None = None  # of the bot that asked, net; None: its round is not over, or it has no hands


@lru_cache(1)
def listed_challenges(snapshot: LeagueSnapshot) -> Sequence[ListedChallenge]:
    """Return all challenges, the last one first; computed once for all browsers."""
    pairs = {request_of(pair.deals): pair for pair in snapshot.history.played if is_requested(pair.deals)}
    taken = {one.place: event.round for event in snapshot.events if isinstance(event, RoundOpened) for one in event.requested}
    closed = len(snapshot.calendar.closed)
    known = Challenges(snapshot.events).asked
    return [_entry(place, event, taken.get(place), pairs.get(place), closed) for place, event in reversed(known.items())]


def _entry(place: int, event: Challenged, taken_by: int | None, pair: Pair | None, closed: int) -> ListedChallenge:
    """Return a challenge; ``taken_by``: its round, None: it waits; ``closed``: the number of rounds that are over."""
    points = None
    if pair and pair.hands and taken_by is not None and taken_by <= closed:
        points = net_points(pair, event.version) / pair.hands
    return ListedChallenge(
        place=place, version=event.version, opponent=event.opponent, at=event.at, round=taken_by, points_a_hand=points
    )


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


# The practice matches of an author: asked for by a form, played in the background, and shown to that author alone.

RENEWED = 3  # seconds after which the page of a match that is not over is loaded again


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
        results = await asyncio.to_thread(self._results, one) if one.state == "done" else ()
        points = sum(_points(result, one.names[0]) for result in results)
        values: dict[str, Any] = {
            "practice": one,
            "matches": results,
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
        by_version = self._context.authors
        authors = {name: by_version[version] for name, version in zip(one.names, (one.mine, one.opponent), strict=True)}
        return await hands_of(self._context, request, one.run(self._context.path), request.query_params.get("fixture", ""), authors)

    def _own(self, request: Request) -> PracticeMatch:
        """Return the requested practice match. Raises: HTTPException 404, also for another author's."""
        author = self._context.author(request)
        one = self._jobs.get(PracticeMatch, request.path_params["number"])
        if one is None or one.author != author:
            raise HTTPException(404, "practice match not found")
        return one

    def _results(self, one: PracticeMatch) -> Sequence[Result]:
        with Store(one.run(self._context.path).database) as store:
            return store.results()


def _points(result: Result, name: str) -> int:
    """Return the net points of an entrant in a match."""
    return (result.points[0] - result.points[1]) * (1 if result.fixture.seats[0] == name else -1)
