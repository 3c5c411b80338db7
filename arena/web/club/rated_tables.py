"""Rated matches of people: how one is played, the tables with their clocks, and the pages."""

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router

from arena.errors import ArenaError, RunStoppedError, WorkerLostError
from arena.gin.view import Outcome, View
from arena.human.matches import UnfinishedMatch, remove_unfinished
from arena.human.player import HumanPlayer
from arena.league.rules.events import PersonOpened, Reason
from arena.league.rules.special import PersonMatch, person_matches
from arena.league.special import (
    PEOPLE,
    bot_of,
    close_match,
    fixture_of,
    match_folder,
    matches_of,
    open_match,
    plan_match,
    void_match,
)
from arena.records import MatchRecord
from arena.referee.job import contest
from arena.referee.referee import Referee
from arena.reports.html_page import render
from arena.runs import session
from arena.runs.background import GRACE
from arena.runs.play import OpenRun, with_luck
from arena.sdk.wording import Move
from arena.store.folder import Folder
from arena.text import json_text
from arena.tournament.plan import Plan, check_sandbox
from arena.web.club.context import Context, http_error
from arena.web.club.special import hands_of, match_page
from arena.web.connection_limits import ConnectionLimits
from arena.web.guard import CHARTS_AND_FORMS
from arena.web.person import LEAVE, SentMove, WebPlayer
from arena.web.responses import json_response
from arena.web.reviewing import ReviewState, ReviewTask, ask_review, review_state
from arena.web.table import PersonsPlace

# Plays a person's rated match of a league, or what is left of it, and stores it in the league's chain.


def play_rated(path: Path, number: int, person: HumanPlayer) -> None:
    """Play the rest of an open match, and close it. It may be called in any thread.

    Raises: RunStoppedError, if the player was stopped; then the same call continues the match. StoreError, SpecError, RosterError,
    SandboxError, WorkerLostError.
    """
    planned = plan_match(path, number)
    with session.open_run(planned.folder) as store:
        start = session.decide(planned, store)
        plan = session.begin(start, store, check_sandbox(planned.plan))
        if not store.results():
            store.add(with_luck(_play(planned.folder, plan, person), plan))
        if not start.is_over:
            store.finish()
        close_match(path, number, OpenRun(plan, planned.folder, store))
    planned.folder.mark_reported()
    remove_unfinished(planned.folder)


def _play(folder: Folder, plan: Plan, person: HumanPlayer) -> MatchRecord:
    """Play the match, with the bot confined as at any table."""
    (fixture,) = plan.spec.format.fixtures(plan.names, ())
    job, unfinished = plan.job(fixture), UnfinishedMatch(folder, plan.seed or "")
    players, deals = (person, job.player(1)), contest(fixture, job.rules, job.seed)
    referee = Referee(fixture, job.rules, deals, players, job.faults, so_far=unfinished.read(), keep=unfinished.keep)
    return referee.play()


# The tables at which people play rated matches: each match in a thread of its own, with a clock and without hints.

log = logging.getLogger(__name__)

MOVE_SECONDS = 120.0  # that a person has for a move, also with the page closed
READ_SECONDS = 30.0  # that a person has to read the result of the last hand
MOST_TABLES = 8  # at once
MOST_KEPT = 64  # finished tables whose page is still shown
ATTEMPTS = 3  # to play a match after which it is void, if the machine lost the bot's process
AT = "/people/at"  # below it is each table, by its secret


class RatedPlayer(WebPlayer):
    """A person who plays for a rating."""

    def __init__(self, opponent: str, show: Callable[[dict[str, Any]], None], hands: int) -> None:
        super().__init__(opponent, show, helped=False)
        self._hands = hands

    def choose(self, view: View) -> Move | None:
        """Return the move that the browser sends; None: the person left, made no move in time, or the server stops."""
        clock = threading.Timer(MOVE_SECONDS, self.receive, [SentMove(state=0, move=LEAVE)])  # in any state
        clock.daemon = True
        clock.start()
        try:
            return super().choose(view)
        finally:
            clock.cancel()

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards; after the last hand, wait for the person, at most ``READ_SECONDS``."""
        super().hand_over(outcome)
        if outcome.game + 1 == self._hands:
            self._has_read.wait(READ_SECONDS)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Send nothing: :meth:`finish` does, when the result is stored."""

    def finish(self, text: str, link: str) -> None:
        """Show that there is nothing more to play."""
        self._send({"kind": "match_over", "text": text, "link": link})

    def _replace(self, state: dict[str, Any]) -> None:
        """Show a state with the number of the hand in place of the score."""
        shown = dict(state)
        if "standing" in shown and self._named:
            shown["standing"] = f"rated: hand {self._named[0] + 1} of {self._hands}, {MOVE_SECONDS:.0f} seconds for a move"
        super()._replace(shown)


class RatedPlace(PersonsPlace):
    """The person's side of the table of a rated match."""

    def __init__(self, opened: PersonOpened, limits: ConnectionLimits) -> None:
        bot = bot_of(opened.version, opened.person)
        super().__init__(opened.person, bot, limits, on_presence=lambda _: None, on_move=lambda *_: None)
        # one player under two names: only ``rated`` has the type with the clock
        self.person = self.rated = RatedPlayer(bot, self._show, opened.hands)
        self.number = opened.match
        self.over = False

    @property
    def address(self) -> str:
        """Return where the person plays."""
        return f"{AT}/{self.key}/"

    async def _page(self, _: Request) -> Response:
        text = render("table.html", opponent=self.person.opponent, rated=True)
        return HTMLResponse(text, headers=CHARTS_AND_FORMS)


class RatedTables:
    """The rated matches that are being played. Use it in the event loop."""

    def __init__(
        self, league: Path, limits: ConnectionLimits, why_not_now: Callable[[], Reason], renew: Callable[[], None]
    ) -> None:
        """``why_not_now`` returns why no bot may run now; empty: they may. ``renew`` waits until the pages show what is stored."""
        self.router = Router()
        self._league = league
        self._limits = limits
        self._why_not_now = why_not_now
        self._renew = renew
        self._places: dict[int, RatedPlace] = {}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Continue the matches that an earlier server has left open, unless no bot may run now."""
        if self._why_not_now():
            return
        for match in matches_of(self._league):
            if match.closed is None:
                self.sit(match.opened)

    def stop(self) -> None:
        """Stop all matches; they continue when the server is started again."""
        for place in self._places.values():
            place.person.receive(None)
        for thread in self._threads:
            thread.join(GRACE)

    @property
    def full(self) -> bool:
        """Tell whether no other match can be played now."""
        return sum(not place.over for place in self._places.values()) >= MOST_TABLES

    def of(self, person: str) -> RatedPlace | None:
        """Return the table at which a person plays; None: there is none."""
        return next((place for place in self._places.values() if place.name == person and not place.over), None)

    def sit(self, opened: PersonOpened) -> RatedPlace:
        """Begin or continue a match, and return its table."""
        place = self._places[opened.match] = RatedPlace(opened, self._limits)
        for number in [one.number for one in self._places.values() if one.over][:-MOST_KEPT]:
            del self._places[number]
        self.router.routes = [route for one in self._places.values() for route in one.routes()]
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(threading.Thread(target=self._play, args=(place,), name=f"people/{place.number}", daemon=True))
        self._threads[-1].start()
        return place

    # --- in the thread of a match

    def _play(self, place: RatedPlace) -> None:
        try:
            self._play_fairly(place)
        except RunStoppedError:
            return
        except Exception:  # our bug, a lost copy or a damaged file: the match is void, and the others are played
            log.exception("people/%d: cannot be played", place.number)
            self._void_match(place)
        else:
            self._renew()  # before the link leads there
            place.rated.finish("The match is over, and counts.", f"/people/matches/{place.number}")
        place.over = True

    def _play_fairly(self, place: RatedPlace) -> None:
        """Play a match, and continue it if the machine lost the bot's process. Raises: as ``play_rated``."""
        for _ in range(ATTEMPTS - 1):
            try:
                play_rated(self._league, place.number, place.rated)
            except WorkerLostError as error:
                log.warning("people/%d: %s", place.number, error)
            else:
                return
        play_rated(self._league, place.number, place.rated)

    def _void_match(self, place: RatedPlace) -> None:
        text = "The server could not play this match; it does not count."
        try:
            void_match(self._league, place.number, "the server could not play it")
        except ArenaError:
            log.exception("people/%d: stays open until the server is started again", place.number)
            text = "The server cannot play this match now; it continues when the server is started again."
        place.rated.finish(text, "/people")


# The pages of people: their ratings, each person's rated matches with replays, and the form that begins one.


class PeoplePages:
    """The pages of people; on a server that takes no submissions they only show what was played."""

    def __init__(self, context: Context, tables: RatedTables | None) -> None:
        self._context = context
        self._tables = tables
        self._jobs = context.jobs if tables else None
        self._beginning = asyncio.Lock()  # so that no more than MOST_TABLES begin at the same moment

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes."""
        shown = [
            Route("/people", self.page),
            Route("/people.json", self.document),
            Route("/people/of/{name}", self.person),
            Route("/people/matches/{number:number}", self.match),
            Route("/people/matches/{number:number}/hands", self.hands),
        ]
        if not self._tables:
            return shown
        return [
            *shown,
            Route("/people", self.begin, methods=["POST"]),
            Route("/people/matches/{number:number}/review", self.review, methods=["POST"]),
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
        matches = [one for one in person_matches(snapshot.events).values() if one.opened.person == name]
        if not matches:
            raise HTTPException(404, "person not found")
        row = next((row for row in snapshot.table.people if row.person == name), None)
        return self._context.page(request, "club_person.html", {"person": name, "row": row, "matches": matches[::-1]})

    async def match(self, request: Request) -> Response:
        """Return the page of a match, whose hands a script fetches."""
        one = self._shown_match(request)
        token = self._context.caller(request).token
        values = {
            "match": one,
            "own": bool(self._jobs and token and token.holder == one.opened.person),
            "review": await asyncio.to_thread(self._review_state, one),
        }
        return match_page(self._context, request, "club_person_match.html", f"/people/matches/{one.opened.match}/hands", values)

    async def hands(self, request: Request) -> Response:
        """Return all hands of a match with their deals; details of a fault only to the bot's author and organisers."""
        one = self._shown_match(request)
        opened, folder = one.opened, match_folder(self._context.path, one.opened.match)
        author = self._context.snapshot.field.version(opened.version).author
        authors = {opened.person: opened.person, bot_of(opened.version, opened.person): author}
        return await hands_of(self._context, request, folder, fixture_of(one.opened), authors)

    async def review(self, request: Request) -> Response:
        """Request a review of a match, for the person who played it. Raises: HTTPException 401, 403, 404; TooManyRequestsError."""
        person = self._context.author(request)
        await self._context.form(request)
        one = self._shown_match(request)
        if self._jobs is None or one.opened.person != person:
            raise HTTPException(403, "only the person who has played it may do this")
        await asyncio.to_thread(ask_review, self._jobs, _task(one), person)
        if self._context.requests:
            self._context.requests.wake()
        return RedirectResponse(f"/people/matches/{one.opened.match}", 303)

    def _review_state(self, one: PersonMatch) -> ReviewState | None:
        return review_state(self._jobs, _task(one)) if self._jobs else None

    def _shown_match(self, request: Request) -> PersonMatch:
        """Return the requested match, if its hands are shown. Raises: HTTPException 403, 404."""
        one = person_matches(self._context.snapshot.events).get(request.path_params["number"])
        if one is None or (one.closed and one.closed.void):
            raise HTTPException(404, "match not found")
        if one.closed is None:
            raise HTTPException(403, "this match is shown when it is over")
        return one


def _task(one: PersonMatch) -> ReviewTask:
    return ReviewTask(run=f"{PEOPLE}/{one.opened.match}", fixture=fixture_of(one.opened), hand="")
