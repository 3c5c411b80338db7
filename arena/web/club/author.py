"""An author's own page: bots, uploads and what is to do; retiring and reinstating versions."""

import asyncio
from collections.abc import Iterable, Sequence

from msgspec.json import encode
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.league import membership, positions
from arena.league.jobs import JobQueue
from arena.league.requests import PracticeMatch
from arena.league.rules.events import Reinstated, Retired
from arena.league.uploads import Upload
from arena.reports.html_page import render
from arena.web.channels import EventStream, event
from arena.web.club import advice, views
from arena.web.club.context import Context
from arena.web.club.shown_reviews import review_section
from arena.web.club.watch import LeagueSnapshot

SHOWN = 10  # uploads on the page


class AuthorPages:
    """The page of the author who has signed in."""

    def __init__(self, context: Context, jobs: JobQueue) -> None:
        self._context = context
        self._jobs = jobs

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/me", self.page),
            Route("/me/events", self.events),
            Route("/me/retire", self.retire, methods=["POST"]),
            Route("/me/reinstate", self.reinstate, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Return the caller's page."""
        author = self._context.author_or_sign_in(request)
        snapshot, uploads = self._context.snapshot, self._jobs.of(Upload, author)
        names = dict.fromkeys(version.name for version in snapshot.field.versions if version.author == author)
        mine = [snapshot.field.of(name)[::-1] for name in names]
        refusals = [one for one in snapshot.field.refusals if one.version.author == author]
        reviewed = await asyncio.to_thread(self._with_review, snapshot, names)
        known = await asyncio.to_thread(positions.load, self._context.path, snapshot.spec.rules)
        values = {
            "author": author,
            "practice": self._jobs.of(PracticeMatch, author),
            "opponents": [version.id for version in snapshot.field.active],
            "auditions": {upload.version: upload for upload in uploads if upload.state == "joined"},
            "advice": lambda version, costs: advice.bot_advice(version, refusals, costs),
            "others": lambda version: advice.other_decisions(snapshot, version, known),
            "reviewed": reviewed,
            "uploads": uploads[:SHOWN],
            "waiting": [upload.id for upload in self._jobs.waiting(Upload)],
            "bots": mine,
            "row": snapshot.table.row,
            "next_match": lambda version: views.next_match(snapshot, version),
            "rank_range": lambda version: views.rank_range(snapshot.table.row(version.id)),
            "costly": lambda version: [one for one in views.meetings(snapshot, version.id) if one.points < 0][: views.COSTLY],
            "endings": lambda version: snapshot.endings.get(version.id, []),
            "limits": self._context.terms.limits,
            "field": self._context.spec.limits,
            "events": "/me/events",
        }
        return self._context.page(request, "club_me.html", values)

    def _with_review(self, snapshot: LeagueSnapshot, names: Iterable[str]) -> set[str]:
        """Return the bots with reviewed decisions."""
        return {name for name in names if review_section(self._context.path, snapshot, name)}

    async def events(self, request: Request) -> Response:
        """Return the updates of the caller's page, as server-sent events."""
        author = self._context.author(request)
        self.update(author)  # a channel keeps its last event, with which the new page begins
        return EventStream(self._context.channel(author).listen(), self._context.limits.members, author)

    def update(self, author: str) -> None:
        """Send the state of an author's uploads to its pages."""
        waiting = [upload.id for upload in self._jobs.waiting(Upload)]
        shown = render("club_uploads.html", uploads=self._jobs.of(Upload, author)[:SHOWN], waiting=waiting)
        self._context.channel(author).send(event(encode({"uploads": shown})))

    async def retire(self, request: Request) -> Response:
        """Retire a version of the caller's, but not a suspended one."""
        return await self._change(request, Retired)

    async def reinstate(self, request: Request) -> Response:
        """Reinstate a version of the caller's, but not a suspended one, which only an organiser can."""
        return await self._change(request, Reinstated)

    async def _change(self, request: Request, kind: type[Retired | Reinstated]) -> Response:
        author, found = self._context.author(request), await self._context.form(request)
        version = self._context.own_version(found.get("version", ""), author).id
        await self._context.store(lambda: membership.change_own(self._context.path, version, author, kind))
        return RedirectResponse("/me", 303)
