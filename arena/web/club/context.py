"""What all pages of a league share: its snapshot, who is asking, the inbox of uploads and what is wrong with the machine."""

import logging
import shutil
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.errors import ArenaError, InputError, SandboxError
from arena.league.reasons import NO_REASON, Reason
from arena.league.spec import LeagueSpec
from arena.reports.page import assets
from arena.runs.leagues.uploads import DiskFullError, Inbox, TooManyUploadsError, UploadLimits, UploadTooLargeError
from arena.runs.leagues.version_changes import TooManyComparisonsError, VersionChanges
from arena.runs.session import sandbox_warnings
from arena.web.channel import Channel
from arena.web.club.callers import Caller, Callers
from arena.web.club.hosting import Hosting, PlayTerms
from arena.web.club.receiving import Patience, UploadTooSlowError
from arena.web.club.watch import LeagueSnapshot, LeagueWatch
from arena.web.crowd import Crowd

if TYPE_CHECKING:
    from arena.runs.leagues.auditions import Auditions

log = logging.getLogger(__name__)

UNSAFE = "bots cannot be isolated on this machine, so none is tested or played"
IN_SERVER = "the server cannot do this at the moment; its log says why"
ABOUT_REQUESTS = (InputError, UploadTooLargeError, TooManyUploadsError, UploadTooSlowError, DiskFullError, TooManyComparisonsError)
MOST_CHANNELS = 2000  # authors whose pages are updated


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
        """Return whether it runs bots, and writes; else it only shows the league."""
        return self.submit or self.play is not None


class Context:
    """Everything that the handlers of a league's server use. Use it in the event loop, except where a method says otherwise."""

    def __init__(
        self, path: Path, spec: LeagueSpec, terms: ClubTerms, inbox: Inbox | None, changed: Callable[[LeagueSnapshot], None]
    ) -> None:
        self.path = path
        self.spec = spec
        self.terms = terms
        self.inbox = inbox
        self.crowd = Crowd()
        self.callers = Callers(path, secure=terms.public.startswith("https:"))
        self.watch = LeagueWatch(path, changed)
        self.front = Channel()
        self.personal: dict[str, Channel] = {}  # by author
        self.auditions: Auditions | None = None
        self.hosting: Hosting | None = None
        self.comparisons = VersionChanges(path, self.hindrance)

    @property
    def snapshot(self) -> LeagueSnapshot:
        """Return the last snapshot. Raises: HTTPException 503, before there is one."""
        if self.watch.snapshot is None:
            raise HTTPException(503, self.watch.problem.public or "the league is still being read; reload the page")
        return self.watch.snapshot

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

    def hindrance(self) -> Reason:
        """Return why no bot may run now; empty: they may. Thread-safe."""
        return self.unsafe or self.disk_problem()

    def problems(self) -> list[Reason]:
        """Return why nothing is tested, or why the table stands still."""
        known = [self.unsafe, self.disk_problem(), self.watch.problem]
        if self.hosting:
            known.append(self.hosting.paused)
        if self.auditions:
            known.append(self.auditions.problem)
        return list(dict.fromkeys(filter(None, [*known, *self.errors()])))

    def errors(self) -> list[Reason]:
        """Return the errors of arena in what works in the background."""
        return [Reason(one.error) for one in (self.auditions, self.hosting, self.comparisons) if one and one.error]

    # --- callers

    def caller(self, request: Request) -> Caller:
        """Return who has sent a request."""
        try:
            return self.callers.of(request)
        except ArenaError as error:
            raise HTTPException(503, public_text(error)) from None

    def author(self, request: Request) -> tuple[Caller, str]:
        """Return the caller and its name. Raises: HTTPException 401, without a valid token."""
        caller = self.caller(request)
        if caller.token is None:
            raise HTTPException(401, "no valid token; sign in, or send the header Authorization: Bearer TOKEN")
        request.state.author = caller.token.holder  # for the access log
        return caller, caller.token.holder

    def author_or_sign_in(self, request: Request) -> tuple[Caller, str]:
        """Return the caller and its name. Raises: HTTPException 303 to the page on which one signs in."""
        if self.caller(request).token is None:
            raise HTTPException(303, "sign in", {"Location": "/sign-in"})
        return self.author(request)

    def organiser(self, request: Request) -> tuple[Caller, str]:
        """Return the caller and its name. Raises: HTTPException 401, 403."""
        caller, name = self.author(request)
        if caller.token is None or not caller.token.organiser:
            raise HTTPException(403, "only an organiser may do this")
        return caller, name

    def channel(self, author: str) -> Channel:
        """Return the channel of an author's page."""
        if author not in self.personal and len(self.personal) >= MOST_CHANNELS:
            del self.personal[next(iter(self.personal))]
        return self.personal.setdefault(author, Channel())

    # --- pages

    def page(self, request: Request, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
        """Return a page; a browser without a cookie receives one, for the forms on the page."""
        caller = self.caller(request)
        response = HTMLResponse("", status)
        cookie = caller.cookie or (self.callers.set_cookie(response) if self.terms.submit and not caller.by_header else "")
        shared = {
            "me": caller.token,
            "submit": self.terms.submit,
            "form_key": self.callers.form_key(cookie),
            "problems": [problem.public for problem in self.problems()],
            "title": self.spec.title,
            "hosting": self.hosting,
        }
        text = part(template, {**shared, **values})
        response.body = response.render(text)
        response.headers["content-length"] = str(len(response.body))
        return response


def public_text(error: ArenaError) -> str:
    """Return what anybody may read of an error: all of it where it is about what they have asked for, nothing of the machine."""
    if isinstance(error, ABOUT_REQUESTS):
        return str(error)
    log.warning("%s", error)
    return IN_SERVER


def part(template: str, values: Mapping[str, Any]) -> str:
    """Return a rendered template."""
    return assets.environment().get_template(template).render(values)
