"""The application of ``arena serve DIR`` for the folder of a league: its pages, and, if that is asked for, uploads and play."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, nullcontext
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from arena.errors import ArenaError
from arena.league import jobs, leagues
from arena.league.jobs import JobLimits, JobQueue, JobRunner, ServerJob
from arena.league.redaction import PathRedactor
from arena.league.requests import COMPARISONS, PRACTICE, PracticeMatch, VersionChange
from arena.league.rules.spec import LeagueSpec
from arena.league.uploads import Upload
from arena.web.club.access_log import AccessLog, Traffic
from arena.web.club.author import AuthorPages
from arena.web.club.context import ClubTerms, Context
from arena.web.club.hosting import Hosting
from arena.web.club.metrics import StatusPages
from arena.web.club.on_request import ChallengePages, PracticePages
from arena.web.club.organiser import OrganiserPages
from arena.web.club.own_files import OwnFiles
from arena.web.club.path_redaction import RedactPaths
from arena.web.club.people import PeoplePages
from arena.web.club.public import PublicPages, refuse
from arena.web.club.rated_tables import RatedTables
from arena.web.club.side_matches import SideMatchPages
from arena.web.club.sign_in import SignInPages
from arena.web.club.upload_pages import UploadPages
from arena.web.club.version_changes import VersionChangePages
from arena.web.club.watch import LeagueSnapshot
from arena.web.guard import Guard
from arena.web.reviewing import REVIEWS, ReviewJob
from arena.web.server import FIRST_READ

log = logging.getLogger(__name__)

ACCESS_LOG = "access.jsonl"  # in the league's folder of logs
REQUESTS = (VersionChange, PracticeMatch, ReviewJob)  # done one after another; auditions do not wait for them


class Club:
    """A league's server. Make it by :func:`open_club`."""

    def __init__(self, path: Path, spec: LeagueSpec, terms: ClubTerms, queue: JobQueue | None) -> None:
        self.context = context = Context(path, spec, terms, queue, self._on_change)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._public = PublicPages(context)
        self._author = AuthorPages(context, queue) if queue else None
        people = queue and spec.people
        self.tables = RatedTables(path, context.limits, context.why_not_now, context.watch.renew) if people else None
        self.traffic = Traffic(path / "logs" / ACCESS_LOG if queue else None)
        if queue:
            context.auditions = JobRunner("auditions", queue, (Upload,), context.why_not_now, self._audition_changed)
            context.requests = JobRunner("requests", queue, REQUESTS, context.why_not_now)
        if terms.play:
            context.hosting = Hosting(path, terms.play, context.why_not_now)

    def app(self, allowed: Collection[str]) -> Starlette:
        """Return the application; ``allowed`` are the Host headers that it accepts, beside that of the proxy."""
        status = StatusPages(self.context, self.traffic)
        people = PeoplePages(self.context, self.tables)
        routes = [*people.routes(), *self._public.routes(), *SideMatchPages(self.context).routes()]
        routes += [*ChallengePages(self.context).routes(), *status.routes()]
        if self._author and (queue := self.context.jobs):
            routes += [
                *SignInPages(self.context).routes(),
                *self._author.routes(),
                *UploadPages(self.context, queue, self._on_upload).routes(),
                *VersionChangePages(self.context, queue).routes(),
                *OwnFiles(self.context).routes(),
                *PracticePages(self.context, queue).routes(),
                *OrganiserPages(self.context, queue).routes(),
            ]
        methods = ("GET", "HEAD", "POST") if self._author else ("GET", "HEAD")
        middleware = [
            Middleware(AccessLog, traffic=self.traffic),
            Middleware(Guard, allowed=allowed, methods=methods, public=self.context.terms.public, forms=True, tokens=True),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=1),
            Middleware(RedactPaths, redactor=PathRedactor(self.context.path)),
        ]
        return Starlette(
            routes=routes,
            middleware=middleware,
            lifespan=self._life,
            exception_handlers={ArenaError: refuse, HTTPException: refuse},
        )

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        if why_not_now := await asyncio.to_thread(self.context.why_not_now):  # it proves the sandbox, once
            log.warning("%s", why_not_now)
        own = (self.context.watch, self.context.auditions, self.context.requests, self.context.hosting, self.tables)
        working = [one for one in own if one]
        for one in working:
            one.start()
        await asyncio.to_thread(self.context.watch.first_read.wait, FIRST_READ)  # so that the first pages have something to show
        yield
        await asyncio.gather(*(asyncio.to_thread(one.stop) for one in working))

    def _on_change(self, snapshot: LeagueSnapshot) -> None:
        """Update the front page; called in the thread of the watch."""
        self._call_in_loop(lambda: self.context.front.send(self._public.update(snapshot)))

    def _audition_changed(self, upload: ServerJob) -> None:
        """Update the author's page; called in the thread of auditions."""

        def update() -> None:
            if self._author:
                self._author.update(upload.author)
            if upload.state == "joined" and self.context.hosting:
                self.context.hosting.wake()

        self._call_in_loop(update)

    def _on_upload(self, upload: Upload) -> None:
        """Receive a new upload, in the event loop."""
        if self.context.auditions:
            self.context.auditions.wake()
        self._audition_changed(upload)

    def _call_in_loop(self, action: Callable[[], None]) -> None:
        """Continue in the event loop. Thread-safe."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(action)


def job_limits(terms: ClubTerms) -> dict[type[ServerJob], JobLimits]:
    """Return the limits of each kind of jobs that a server takes."""
    uploads = terms.limits.of_jobs(terms.audition_seconds)
    return {Upload: uploads, VersionChange: COMPARISONS, PracticeMatch: PRACTICE, ReviewJob: REVIEWS}


@contextmanager
def open_club(path: Path, terms: ClubTerms) -> Iterator[Club]:
    """Open the server of the league in a folder.

    Raises: StoreError, SpecError; BusyError, if another server takes submissions for it.
    """
    with leagues.open_league(path) as league:
        spec = league.spec
    path = path.absolute()  # messages name files by it, and ``PathRedactor`` finds absolute paths
    with jobs.open_jobs(path, job_limits(terms)) if terms.submit else nullcontext() as queue:
        club = Club(path, spec, terms, queue)
        with closing(club.traffic):
            yield club
