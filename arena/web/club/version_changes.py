"""What changed between two versions of an author's bot: the page, and the request for a comparison."""

import asyncio
from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.league.jobs import JobQueue
from arena.league.requests import COMPARED_HANDS, ask_comparison, find_comparison
from arena.reports.page.assets import step
from arena.runs.audition_steps import BOT
from arena.runs.difference_words import summary
from arena.runs.differences import KIND_NAMES, debug_command
from arena.web.club.context import RENEWED, Context


class VersionChangePages:
    """Comparisons of an author's versions."""

    def __init__(self, context: Context, jobs: JobQueue) -> None:
        self._context = context
        self._jobs = jobs

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/me/changes", self.compare, methods=["POST"]),
            Route("/me/changes/{old}/{new}", self.changes),
        ]

    async def changes(self, request: Request) -> Response:
        """Return the page of what changed between two versions of the caller's."""
        author = self._context.author(request)
        old, new = (self._context.own_version(request.path_params[name], author) for name in ("old", "new"))
        found = await asyncio.to_thread(find_comparison, self._jobs, old, new)
        command = debug_command(BOT, self._context.spec.rules, self._context.spec.time, name=BOT)
        values = {
            "old": old,
            "new": new,
            "found": found,
            "summary": summary,
            "kinds": KIND_NAMES,
            "hands": COMPARED_HANDS,
            "again": lambda position: command.of(position.hand, position.seat, position.seed),
            "bot": BOT,
            "renewed": RENEWED if found and found.ended is None else 0,
        }
        return self._context.page(request, "club_changes.html", values)

    async def compare(self, request: Request) -> Response:
        """Request a comparison of two versions of the caller's."""
        author, fields = self._context.author(request), await self._context.form(request)
        old, new = (self._context.own_version(fields.get(name, ""), author) for name in ("old", "new"))
        if old is new:
            raise HTTPException(400, "found the same version twice; expected two")
        if problem := self._context.why_not_now():
            raise HTTPException(503, problem.public)
        await asyncio.to_thread(ask_comparison, self._jobs, author, old, new)
        if self._context.requests:
            self._context.requests.wake()
        return RedirectResponse(f"/me/changes/{step(old.id)}/{step(new.id)}", 303)
