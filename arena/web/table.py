"""The application of ``arena play --web``: one person plays against bots in a browser, or two people play against each other.

The address of each person has a secret: without it any other program on the machine, or the other person, could play in its
place. A page that is opened again shows what it showed before, so a person who closed it can come back.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from concurrent import futures
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from msgspec.json import decode, encode
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.errors import MALFORMED
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.human.error_trend import MatchErrors, earlier_matches
from arena.human.table_reviews import TableReviews
from arena.plugins.manager import installed_kinds
from arena.referee.job import Job
from arena.reports.describe import match_words
from arena.reports.html_page import page, render
from arena.reports.page import assets, page_values
from arena.reports.played import PlayedMatch
from arena.reports.replay_words import REPLAY
from arena.reports.report import Report
from arena.review.summary import ReviewedHand
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.channels import Channel, EventStream, event
from arena.web.connection_limits import ConnectionLimits
from arena.web.person import AGAIN, DONE, LEAVE, SentMove, WebPlayer
from arena.web.responses import json_response, read_body, small_application
from arena.web.reviewing import reviewed_match

LARGEST_MESSAGE = 1000  # bytes, from the browser


class PersonsPlace:
    """A person's side of the table: its page, its events, and the moves that it sends."""

    def __init__(
        self,
        name: str,
        opponent: str,
        limits: ConnectionLimits,
        on_presence: Callable[["PersonsPlace"], None],
        on_move: Callable[["PersonsPlace", str], None],
        invitation: str = "",
        *,
        is_between_people: bool = False,
    ) -> None:
        self.key = secrets.token_urlsafe(16)
        self.name = name
        self.person = WebPlayer(opponent, self._show, helped=not is_between_people)
        self._report: Callable[[], Report] | None = None  # returns that of the last match, with the prices known so far
        self.reviews: TableReviews | None = None  # of the current match; between two matches, of the last one
        self._invitation = invitation  # the match in words, shown before the table to a guest; empty: the person is the host
        self._limits = limits
        self.folder: Folder | None = None  # of the last match; None: one is being played
        self.earlier: tuple[MatchErrors, ...] = ()  # the person's matches before it; known after its end
        self._on_presence = on_presence  # called when the person has come or gone
        self._on_move = on_move  # called after every move, a legal one or not
        self._pages = 0  # that are open
        self._channel = Channel()

    def routes(self) -> list[BaseRoute]:
        """Return the addresses of this place, which all have its secret."""
        return [
            Route(f"/{self.key}/", self._invite if self._invitation else self._page),
            Route(f"/{self.key}/table", self._page),
            Route(f"/{self.key}/events", self._events),
            Route(f"/{self.key}/report", self._report_page),
            Route(f"/{self.key}/replay", self._replay),
            Route(f"/{self.key}/hands", self._hands),
            Route(f"/{self.key}/hint/{{state:number}}", self._hint),
            Route(f"/{self.key}/act", self._receive, methods=["POST"]),
        ]

    def keep_report(self, report: Report) -> None:
        """Keep the report of a match that is over, with its reviews."""
        self._report = partial(self.reviews.add_to, report) if self.reviews else lambda: report

    @property
    def may_see_review(self) -> bool:
        """Tell whether a review is shown now: between two people, of a match that is over and stored."""
        return self.person.helped or self.folder is not None

    @property
    def present(self) -> bool:
        """Tell whether the person has the page open."""
        return self._pages > 0

    def count_page(self, change: int) -> None:
        """Count a page that was opened, 1, or closed, -1."""
        self._pages += change
        self._on_presence(self)

    def _show(self, state: dict[str, Any]) -> None:
        self._channel.send(event(encode(state)))

    async def _invite(self, _: Request) -> Response:
        return HTMLResponse(render("invitation.html", host=self.person.opponent, name=self.name, text=self._invitation))

    async def _page(self, _: Request) -> Response:
        return HTMLResponse(render("table.html", opponent=self.person.opponent))

    async def _report_page(self, _: Request) -> Response:
        if self._report is None:
            raise HTTPException(404, "no match has been played yet")
        report = self._report()
        return HTMLResponse(page(report, page_values.document(report), {"links": assets.REPORT_SCRIPTS}))

    async def _replay(self, request: Request) -> Response:
        run = request.query_params.get("run", "")
        if run:
            self._earlier_folder(run)
        else:
            self._require_reviews()
        hands = f"hands?{urlencode({'run': run})}" if run else "hands"
        scripts = (*assets.REPLAY_SCRIPTS, "match.js")
        return HTMLResponse(render("table_hands.html", hands=hands, shared={"words": REPLAY}, scripts=scripts))

    async def _hands(self, request: Request) -> Response:
        run = request.query_params.get("run", "")
        match = (lambda: self._earlier_match(run)) if run else self._require_reviews().match
        return json_response(encode(await asyncio.to_thread(match)))

    def _earlier_folder(self, run: str) -> Folder:
        """Return the folder of one of the person's earlier matches. Raises: HTTPException 404."""
        if self.folder is None or run not in {one.run for one in self.earlier}:
            raise HTTPException(404, "match not found")
        return Folder(self.folder.path.parent / run)

    def _earlier_match(self, run: str) -> PlayedMatch:
        """Return the hands of an earlier match with their review. Raises: HTTPException 404."""
        folder = self._earlier_folder(run)
        with Store(folder.database) as store:
            record = next(iter(store.records()))
        return reviewed_match(folder, record, installed_kinds())

    async def _hint(self, request: Request) -> Response:
        found = await asyncio.to_thread(self.person.advise, request.path_params["state"])
        if found is None:
            raise HTTPException(404, "this turn is over")
        return json_response(encode(found))

    def _require_reviews(self) -> TableReviews:
        if self.reviews is None:
            raise HTTPException(404, "no match has begun yet")
        if not self.may_see_review:
            raise HTTPException(403, "the match is not over")
        return self.reviews

    async def _events(self, _: Request) -> Response:
        return EventStream(self._listen(), self._limits.members, self.name)

    async def _listen(self) -> AsyncIterator[bytes]:
        self.count_page(1)
        try:
            async for message in self._channel.listen():
                yield message
        finally:
            self.count_page(-1)

    async def _receive(self, request: Request) -> Response:
        body = await read_body(request, LARGEST_MESSAGE, f"message longer than {LARGEST_MESSAGE} bytes")
        try:
            sent = decode(body, type=SentMove)
        except MALFORMED as error:
            return PlainTextResponse(f"expected a state and a move: {error}", 400)
        self.person.receive(sent)
        self._on_move(self, sent.move)
        return Response(status_code=204)


class TableServer:
    """A table with a place for each person: one, who plays against bots, or two, who play against each other."""

    def __init__(self, names: Sequence[str], people: int, rules: Rules) -> None:
        """Set the table for two players; ``people`` is the number of persons, 1 or 2. The first player invites the second."""
        self.limits = ConnectionLimits()
        self.places = [
            PersonsPlace(
                names[seat],
                opponent=names[1 - seat],
                limits=self.limits,
                on_presence=self._tell_presence,
                on_move=self._tell_move,
                invitation=match_words(rules) if seat else "",
                is_between_people=people == 2,
            )
            for seat in range(people)
        ]
        self._is_rematch_offered = False
        for place in self.places:
            place.person.run_clock(runs=False)
        for place in self.places if people == 2 else ():
            other = place.person.opponent
            place.person.tell_away(f"{other} has not come yet: the terminal shows the link for {other}.")

    def app(self, allowed: Collection[str]) -> Starlette:
        """Return the application; ``allowed`` are the Host headers that it accepts."""
        routes = [route for place in self.places for route in place.routes()]
        # a start page would show all visitors the people's links
        return small_application(routes, allowed, methods=("GET", "HEAD", "POST"), home=None)

    def stop(self) -> None:
        """Stop the match, which is kept, for all people at the table."""
        for place in self.places:
            place.person.receive(None)

    def begin(self, job: Job, pool: futures.Executor) -> TableReviews:
        """Begin a match, whose hands are reviewed in ``pool``."""
        reviews = TableReviews(pool, job, range(len(self.places)), self._tell_review)
        for place in self.places:
            place.reviews, place.person.rules, place.earlier, place.folder = reviews, job.rules, (), None
        return reviews

    def keep_reviews(self, folder: Folder, commitment: str) -> None:
        """Store the reviews of the finished match in ``folder``, and show them with the person's earlier matches.

        ``commitment`` is that of the run, by which they are known to be of it.
        """
        for place in self.places:
            place.folder, place.earlier = folder, earlier_matches(folder, place.name)
        if reviews := self.places[0].reviews:
            reviews.keep_in(folder, commitment)

    def _tell_review(self, reviews: TableReviews, seat: Seat, hands: Sequence[ReviewedHand]) -> None:
        """Show a person the review of its hands if it may see it now, unless the next match has begun."""
        place = self.places[seat]
        if place.reviews is reviews and place.may_see_review:
            place.person.show_review(hands, place.earlier)

    def play_again(self, report: Report, saved: str, bots: Sequence[str]) -> str | None:
        """Show a match that was stored, with its report, and return the opponent of the next one; None: there is none.

        Two people play again only if both want to; one person is offered ``bots``.
        """
        replay = f"report#/match/{quote(report.results[0].fixture.id, safe='')}"
        self._is_rematch_offered = True
        for place in self.places:
            place.keep_report(report)
            place.person.offer(saved, replay, self._opponents(place, bots))
        chosen = [place.person.choose_opponent(self._opponents(place, bots)) for place in self.places]
        self._is_rematch_offered = False
        if None in chosen:
            for place in self.places:
                place.person.close_table()
            return None
        for place, opponent in zip(self.places, chosen, strict=True):
            place.person.meet(opponent or "")
        return chosen[0]

    def _opponents(self, place: PersonsPlace, bots: Sequence[str]) -> Sequence[str]:
        return bots if len(self.places) == 1 else [place.person.opponent]

    def _tell_presence(self, place: PersonsPlace) -> None:
        """Tell the other person, if there is one, whether the person is at the table; a clock runs only while all are."""
        for each in self.places:
            each.person.run_clock(runs=all(one.present for one in self.places))
        away = f"{place.name} has closed the page; the match waits until {place.name}'s link is opened again."
        for other in self._others(place):
            other.person.tell_away("" if place.present else away)

    def _tell_move(self, place: PersonsPlace, move: str) -> None:
        """Tell the other person, if there is one, of a move that concerns more than the hand."""
        for other in self._others(place):
            if self._is_rematch_offered and move in (DONE, LEAVE):
                other.person.receive(None)
            elif move == LEAVE:
                other.person.tell(f"{place.name} has left the match, and loses it.")
            elif move.startswith(AGAIN) and self._is_rematch_offered:
                other.person.tell(f"{place.name} asks for a rematch.")
                place.person.tell(f"{other.name} is asked for a rematch.")

    def _others(self, place: PersonsPlace) -> list[PersonsPlace]:
        return [other for other in self.places if other is not place]
