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

from arena.disk import make_folder
from arena.errors import ArenaError
from arena.league import jobs, leagues
from arena.league.exported import BOTS
from arena.league.jobs import JobLimits, JobQueue, JobRunner, ServerJob
from arena.league.redaction import PathRedactor
from arena.league.requests import COMPARISONS, PRACTICE, PracticeMatch, VersionChange
from arena.league.rules.spec import LeagueSpec
from arena.league.uploads import Upload
from arena.plugins.manager import installed_kinds
from arena.reports.html_page import render, turn_link
from arena.results.publish import publish
from arena.review.summary import ListedDecision
from arena.runs.stored import stored_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.club import shown_reviews, views
from arena.web.club.author import AuthorPages
from arena.web.club.context import ClubTerms, Context
from arena.web.club.hosting import Hosting
from arena.web.club.on_request import ChallengePages, PracticePages
from arena.web.club.organiser import OrganiserPages
from arena.web.club.people import PeoplePages
from arena.web.club.public import PublicPages, refuse
from arena.web.club.rated_tables import RatedTables
from arena.web.club.requests import AccessLog, RedactPaths, StatusPages, Traffic
from arena.web.club.side_matches import SideMatchPages
from arena.web.club.watch import LeagueSnapshot, LeagueWatch
from arena.web.guard import Guard
from arena.web.reviewing import REVIEWS, ReviewJob
from arena.web.server import FIRST_LOOK

log = logging.getLogger(__name__)

ACCESS_LOG = "access.jsonl"  # in the league's folder of logs
REQUESTS = (VersionChange, PracticeMatch, ReviewJob)  # done one after another; auditions do not wait for them


class Club:
    """A league's server. Make it by :func:`open_club`."""

    def __init__(self, path: Path, spec: LeagueSpec, terms: ClubTerms, queue: JobQueue | None) -> None:
        self.context = context = Context(path, spec, terms, queue, self._on_change)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._public = PublicPages(context)
        self._author = AuthorPages(context, queue, self._on_upload) if queue else None
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
                *self._author.routes(),
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
        await asyncio.to_thread(self.context.watch.looked.wait, FIRST_LOOK)  # so that the first pages have something to show
        yield
        await asyncio.gather(*(asyncio.to_thread(one.stop) for one in working))

    # --- called in other threads, continued in the event loop

    def _on_change(self, snapshot: LeagueSnapshot) -> None:
        self._call_in_loop(lambda: self.context.front.send(self._public.update(snapshot)))

    def _audition_changed(self, upload: ServerJob) -> None:
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


# The static site of a league: what `arena league export` writes beside the table, for any web server.
#
# A page for each bot, with its versions, rating curve, opponents and endings, and the reports that the specs of the league and
# its events name: ``report.html`` has the matches with replays of their hands. All of it is made from the exported databases,
# which have nothing secret.


def write(out: Path) -> int:
    """Write the pages for an exported league, and return how many bots have one. Raises: StoreError, SpecError."""
    folder = Folder(out)
    for run in (folder, *map(Folder, sorted((out / "events").glob("*")))):
        with Store(run.database) as store:
            publish(run, store, stored_run(run, store, installed_kinds()))
    link = _report_link if (out / "report.html").exists() else None
    snapshot, pages = LeagueWatch(out, lambda _: None).read_once(), Folder(out / BOTS)
    make_folder(out, BOTS)
    names = dict.fromkeys(version.name for version in snapshot.field.versions)
    for name in names:
        pages.write(f"{name}.html", _page(snapshot, out, name, link))
    return len(names)


def _report_link(one: ListedDecision) -> str:
    return f"../report.html{turn_link(one)}"


def _page(snapshot: LeagueSnapshot, out: Path, name: str, link: Callable[[ListedDecision], str] | None) -> str:
    values = views.bot_values(snapshot, name, own=False)
    shown = {"frame": "static_frame.html", "home": "../index.html", "linked": False, "title": snapshot.spec.title}
    shown |= {"review": shown_reviews.review_section(out, snapshot, name), "turn_link": link}
    return render("club_bot.html", **values, **shown)
