"""What an organiser does: suspend, reinstate, end a season. Each is an event in the chain, with a reason and who did it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.league import membership
from arena.league.jobs import JobQueue
from arena.league.uploads import Upload
from arena.reports.second_legs import second_leg_flags, second_legs_table
from arena.web.club import views
from arena.web.club.context import Context

MOST_ENDED = 30  # uploads with a verdict that are listed


class OrganiserPages:
    """The page behind an organiser's token."""

    def __init__(self, context: Context, jobs: JobQueue) -> None:
        self._context = context
        self._jobs = jobs

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/organiser", self.page),
            Route("/organiser/suspend", self.suspend, methods=["POST"]),
            Route("/organiser/reinstate", self.reinstate, methods=["POST"]),
            Route("/organiser/end-season", self.end_season, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Return the organiser's page."""
        self._context.author_or_sign_in(request)
        self._context.organiser(request)
        snapshot = self._context.snapshot
        uploads = self._jobs.all(Upload)
        values = {
            "waiting": [upload for upload in uploads if upload.ended is None],
            "ended": [upload for upload in reversed(uploads) if upload.ended][:MOST_ENDED],
            "versions": snapshot.field.versions[::-1],
            "calendar": snapshot.calendar,
            "audit": views.audit(snapshot),
            "alike": views.alike(snapshot),
            "flags": second_leg_flags(snapshot.table.second_legs),
            "second_legs": second_legs_table(snapshot.table.second_legs),
            "limits": self._context.terms.limits,
            "field": self._context.spec.limits,
            "details": self._context.problems(),
        }
        return self._context.page(request, "club_organiser.html", values)

    async def suspend(self, request: Request) -> Response:
        """Suspend a version."""
        return await self._act(request, lambda path, found, by: membership.suspend(path, found["version"], found["reason"], by))

    async def reinstate(self, request: Request) -> Response:
        """Reinstate a version."""
        return await self._act(request, lambda path, found, by: membership.reinstate(path, found["version"], found["reason"], by))

    async def end_season(self, request: Request) -> Response:
        """End the season."""
        return await self._act(request, lambda path, found, by: membership.end_season(path, found["reason"], by))

    async def _act(self, request: Request, act: Callable[[Path, dict[str, str], str], object]) -> Response:
        by, found = self._context.organiser(request), await self._context.form(request)
        if not found.get("reason", "").strip():
            raise HTTPException(400, "found no reason; expected one, which is shown in public")
        await self._context.store(lambda: act(self._context.path, {"version": "", **found}, by))
        return RedirectResponse("/organiser", 303)
