"""The state that all pages of a league share: its snapshot, the callers, the jobs of authors and the machine's problems."""

import asyncio
import logging
import shutil
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.errors import ArenaError, InputError, SandboxError
from arena.league.jobs import JobQueue, JobRunner, TooManyRequestsError
from arena.league.membership import SuspendedError
from arena.league.rules.events import NO_REASON, Reason
from arena.league.rules.field import Version
from arena.league.rules.spec import LeagueSpec
from arena.league.tokens import Token
from arena.league.uploads import DiskFullError, UploadLimits, UploadTooLargeError
from arena.reports.html_page import render
from arena.runs.starts import sandbox_warnings
from arena.web.channels import Channel
from arena.web.club.callers import Caller, Callers
from arena.web.club.forms import FORM_KEY, form_fields
from arena.web.club.hosting import Hosting, PlayTerms
from arena.web.club.receiving import Patience, UploadTooSlowError
from arena.web.club.watch import LeagueSnapshot, LeagueWatch
from arena.web.connection_limits import ConnectionLimits

log = logging.getLogger(__name__)


UNSAFE = "bots cannot be isolated on this machine, so none is tested or played"
IN_SERVER = "the server cannot do this at the moment; its log says why"
STATUS: Mapping[type[ArenaError], int] = {  # of the answer to a request that fails so; of other errors the handler chooses it
    SuspendedError: 403,
    UploadTooSlowError: 408,
    UploadTooLargeError: 413,
    TooManyRequestsError: 429,
}
ABOUT_REQUESTS = (InputError, UploadTooLargeError, TooManyRequestsError, UploadTooSlowError, DiskFullError)
MOST_CHANNELS = 2000  # authors whose pages are updated
RENEWED = 3  # seconds after which a page of something that is not over is loaded again
Changed = TypeVar("Changed")


class ClubTerms(Struct, frozen=True, kw_only=True):
    """What a server of a league allows."""

    submit: bool = False
    public: str = ""  # the origin of the reverse proxy, as https://club.example.org; empty: there is none
    limits: UploadLimits = UploadLimits()
    patience: Patience = Patience()
    audition_seconds: float = 600.0
    play: PlayTerms | None = None  # None: it does not play

    @property
    def runs_bots(self) -> bool:
        """Tell whether it runs bots, and writes; else it only shows the league."""
        return self.submit or self.play is not None


class Context:
    """The objects that the handlers of a league's server share. Use it in the event loop, unless a method says otherwise."""

    def __init__(
        self, path: Path, spec: LeagueSpec, terms: ClubTerms, jobs: JobQueue | None, changed: Callable[[LeagueSnapshot], None]
    ) -> None:
        self.path = path
        self.spec = spec
        self.terms = terms
        self.jobs = jobs
        self.limits = ConnectionLimits()
        self.callers = Callers(path, secure=terms.public.startswith("https:"))
        self.watch = LeagueWatch(path, changed)
        self.front = Channel()
        self.personal: dict[str, Channel] = {}  # by author
        self.auditions: JobRunner | None = None
        self.requests: JobRunner | None = None
        self.hosting: Hosting | None = None

    @property
    def snapshot(self) -> LeagueSnapshot:
        """Return the last snapshot. Raises: HTTPException 503, before there is one."""
        if self.watch.snapshot is None:
            raise HTTPException(503, self.watch.problem.public or "the league is still being read; reload the page")
        return self.watch.snapshot

    @property
    def authors(self) -> dict[str, str]:
        """Return the author of each version. Raises: HTTPException 503."""
        return {version.id: version.author for version in self.snapshot.field.versions}

    @cached_property
    def unsafe(self) -> Reason:
        """Return why bots of strangers must not run on this machine; empty: they may, or this server runs none.

        It may start processes once, to find out.
        """
        if not self.terms.runs_bots:
            return NO_REASON
        try:
            found = "; ".join(sandbox_warnings(self.spec.sandbox.assurance()))
        except SandboxError as error:
            found = str(error)
        return Reason(UNSAFE, found) if found else NO_REASON

    def disk_problem(self) -> Reason:
        """Return that the disk is full; empty: it is not, or this server writes nothing. Thread-safe."""
        if not self.terms.runs_bots:
            return NO_REASON
        free = shutil.disk_usage(self.path).free
        return NO_REASON if free >= self.terms.limits.free else Reason(f"the disk is full: {free >> 20} MiB are free")

    def why_not_now(self) -> Reason:
        """Return why no bot may run now; empty: they may. Thread-safe."""
        return self.unsafe or self.disk_problem()

    def problems(self) -> list[Reason]:
        """Return all reasons why bots are not tested or played, or the table is not updated."""
        known = [self.unsafe, self.disk_problem(), self.watch.problem]
        if self.hosting:
            known.append(self.hosting.paused)
        known += [runner.problem for runner in (self.auditions, self.requests) if runner]
        return list(dict.fromkeys(filter(None, [*known, *self.errors()])))

    def errors(self) -> list[Reason]:
        """Return the errors of arena in the threads for auditions, play and requests. Thread-safe."""
        working = (self.auditions, self.hosting, self.requests)
        return [Reason(one.error) for one in working if one and one.error]

    def caller(self, request: Request) -> Caller:
        """Return who has sent a request. Raises: HTTPException 503, if the tokens cannot be read."""
        try:
            return self.callers.of(request)
        except ArenaError as error:
            raise HTTPException(503, public_text(error)) from None

    def author(self, request: Request) -> str:
        """Return the name of the caller. Raises: HTTPException 401, without a valid token; 503."""
        return self._token(request).holder

    def _token(self, request: Request) -> Token:
        """Return the caller's token. Raises: as ``author``."""
        token = self.caller(request).token
        if token is None:
            raise HTTPException(401, "no valid token; sign in, or send the header Authorization: Bearer TOKEN")
        request.state.author = token.holder  # for the access log
        return token

    def author_or_sign_in(self, request: Request) -> str:
        """Return the name of the caller. Raises: HTTPException 303, to the page on which one signs in; 503."""
        if self.caller(request).token is None:
            raise HTTPException(303, "sign in", {"Location": "/sign-in"})
        return self.author(request)

    def own_version(self, version: str, author: str) -> Version:
        """Return a version of an author. Raises: HTTPException 404, also for another author's."""
        found = self.snapshot.field.by_id.get(version)
        if found is None or found.author != author:
            raise HTTPException(404, "version not found")
        return found

    def organiser(self, request: Request) -> str:
        """Return the name of the caller. Raises: HTTPException 401, 403, 503."""
        token = self._token(request)
        if not token.organiser:
            raise HTTPException(403, "only an organiser may do this")
        return token.holder

    async def form(self, request: Request) -> dict[str, str]:
        """Return the fields of a form from one of our pages, or from a program. Raises: HTTPException 400, 403, 408, 413, 503."""
        caller, found = self.caller(request), await form_fields(request)
        self._check_form_key(caller, found.pop(FORM_KEY, ""))
        return found

    def check_own_page(self, request: Request) -> None:
        """Raise HTTPException 403, if a request that is no form does not have the key of our own pages in its header."""
        self._check_form_key(self.caller(request), request.headers.get("x-form-key", ""))

    def _check_form_key(self, caller: Caller, key: str) -> None:
        if not self.callers.is_own_form(caller, key):
            raise HTTPException(403, "this form is not from this browser, or it is too old; reload the page and send it again")

    async def store(self, change: Callable[[], Changed]) -> Changed:
        """Make a change to the league in a thread, wait until pages show it, and return its result.

        Raises: HTTPException 403 for a suspended version, else 409.
        """
        try:
            changed = await asyncio.to_thread(change)
        except ArenaError as error:
            raise http_error(error, 409) from None
        await asyncio.to_thread(self.watch.renew)
        return changed

    def channel(self, author: str) -> Channel:
        """Return the channel of an author's page."""
        if author not in self.personal and len(self.personal) >= MOST_CHANNELS:
            del self.personal[next(iter(self.personal))]
        return self.personal.setdefault(author, Channel())

    def page(
        self,
        request: Request,
        template: str,
        values: Mapping[str, Any],
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return a page. On a server that takes submissions, a browser without a cookie receives one, for the forms."""
        caller = self.caller(request)
        response = HTMLResponse("", status, headers)
        cookie = caller.cookie or (self.callers.set_cookie(response) if self.terms.submit and not caller.by_header else "")
        shared = {
            "me": caller.token,
            "submit": self.terms.submit,
            "form_key": self.callers.form_key(cookie),
            "problems": [problem.public for problem in self.problems()],
            "title": self.spec.title,
        }
        response.body = response.render(render(template, **{**shared, **values}))
        response.headers["content-length"] = str(len(response.body))
        return response


def http_error(error: ArenaError, otherwise: int) -> HTTPException:
    """Return the refusal of a request that failed, with the status of the error; ``otherwise``: that of any other error."""
    return HTTPException(STATUS.get(type(error), otherwise), public_text(error))


def public_text(error: ArenaError) -> str:
    """Return the public text of an error: its message if it is about the request, otherwise a fixed text; the rest is logged."""
    if isinstance(error, ABOUT_REQUESTS):
        return str(error)
    log.warning("%s", error)
    return IN_SERVER
