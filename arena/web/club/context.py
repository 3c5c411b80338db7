"""The state that all pages of a league share: its snapshot, the callers, the jobs of authors and the machine's problems."""

import asyncio
import hmac
import logging
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes, token_urlsafe
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from msgspec import Struct, json
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response

from arena.disk import file_state
from arena.errors import ArenaError, InputError, SandboxError, StoreError
from arena.league import leagues, tokens
from arena.league.jobs import JobQueue, JobRunner, TooManyRequestsError
from arena.league.membership import SuspendedError
from arena.league.rules.events import NO_REASON, Reason
from arena.league.rules.spec import LeagueSpec
from arena.league.tokens import FILE, SESSIONS, Token
from arena.league.uploads import DiskFullError, Upload, UploadDraft, UploadLimits, UploadTooLargeError, receiving
from arena.moments import now
from arena.reports.html_page import render
from arena.runs.session import sandbox_warnings
from arena.web.club.hosting import Hosting, PlayTerms
from arena.web.club.watch import LeagueSnapshot, LeagueWatch
from arena.web.connection_limits import ConnectionLimits
from arena.web.server import Channel, read_body

# Callers: authors and organisers are recognised by a session of the browser, or by a token in a header of a program.
#
# A browser exchanges the token for a session, whose cookie no script can read and no other site can have sent (``HttpOnly``,
# ``SameSite=Strict``). A program sends ``Authorization: Bearer TOKEN`` with each request. At each request the stored token is
# looked up again, so a revoked or expired one ends its sessions at once.
#
# Every form has a value that only our own pages know: an HMAC of the cookie under a key of this league's servers. Another site can
# neither read the cookie nor compute the value.
#
# The key and the sessions, with hashes of the cookies, are kept in a file that only its owner may read, so that a restart, or a
# move to another machine, signs nobody out. A file that is missing or cannot be read costs a new sign-in, nothing else.

LIFETIME = 12 * 3600  # seconds of a session
MOST_SESSIONS = 5000  # the oldest ends when there are more; only holders of tokens can begin one
LONGEST_COOKIE = 100  # characters
KEY_BYTES = 32


class _Session(Struct, frozen=True):
    digest: str  # of the token
    until: float  # Unix time


class _StoredSessions(Struct, frozen=True):
    """The content of the file."""

    key: bytes
    sessions: dict[str, _Session]  # by the SHA-256 of the cookie, the oldest first


class Caller(Struct, frozen=True, kw_only=True):
    """Who has sent a request."""

    token: Token | None  # None: a visitor who only reads
    cookie: str  # of the browser; empty: it has none
    by_header: bool = False  # a program, which has no cookie that another site could misuse


class Callers:
    """The sessions of a server. Use it in the event loop only."""

    def __init__(self, league: Path, *, secure: bool) -> None:
        """``secure``: the pages are served by HTTPS, so browsers must never send the cookie without it."""
        self._league = league
        self._seen: tuple[int, int, int] | None = (0, 0, 0)  # the state of the file of tokens; nothing was read yet
        self._tokens: list[Token] = []
        self._secure = secure
        self._name = "__Host-arena" if secure else "arena"
        stored = leagues.read_small(league / SESSIONS, _StoredSessions)
        self._key = stored.key if stored and len(stored.key) == KEY_BYTES else token_bytes(KEY_BYTES)
        self._sessions = {**stored.sessions} if stored else {}

    def _all_tokens(self) -> list[Token]:
        """Return the stored tokens, read again when the file has changed. Raises: StoreError."""
        seen = file_state(self._league / FILE)
        if seen != self._seen:
            self._tokens = tokens.stored_tokens(self._league)
            self._seen = seen
        return self._tokens

    def of(self, request: Request) -> Caller:
        """Return the caller of a request. Raises: StoreError."""
        header = request.headers.get("authorization")
        if header is not None:
            scheme, _, text = header.partition(" ")
            found = tokens.find_token(self._all_tokens(), text.strip(), now()) if scheme.lower() == "bearer" else None
            return Caller(token=found, cookie="", by_header=True)
        cookie = request.cookies.get(self._name, "")[:LONGEST_COOKIE]
        return Caller(token=self._signed_in(cookie), cookie=cookie)

    def _signed_in(self, cookie: str) -> Token | None:
        session = self._sessions.get(_hash(cookie)) if cookie else None
        if session is None or session.until < time.time():
            return None
        at = now()
        return next((one for one in self._all_tokens() if one.digest == session.digest and one.is_valid(at)), None)

    def sign_in(self, text: str, response: Response) -> Token | None:
        """Begin a session, under a new cookie, and return the token; None: it is not valid. Raises: StoreError."""
        token = tokens.find_token(self._all_tokens(), text.strip(), now())
        if token:
            cookie = self.set_cookie(response)
            self._sessions[_hash(cookie)] = _Session(token.digest, time.time() + LIFETIME)
            if len(self._sessions) > MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._store()
        return token

    def sign_out(self, caller: Caller, response: Response) -> None:
        """End a session."""
        if self._sessions.pop(_hash(caller.cookie), None):
            self._store()
        response.delete_cookie(self._name, secure=self._secure, httponly=True, samesite="strict")

    def _store(self) -> None:
        """Keep the sessions that have not ended for the next server; a full disk signs nobody out here."""
        self._sessions = {cookie: one for cookie, one in self._sessions.items() if one.until > time.time()}
        try:
            leagues.write_private(self._league / SESSIONS, json.encode(_StoredSessions(self._key, self._sessions)).decode())
        except StoreError as error:
            log.warning("sessions are not kept over a restart: %s", error)

    def set_cookie(self, response: Response) -> str:
        """Set a new cookie, which belongs to no session yet, and return it."""
        cookie = token_urlsafe(32)
        response.set_cookie(self._name, cookie, max_age=LIFETIME, secure=self._secure, httponly=True, samesite="strict")
        return cookie

    def form_key(self, cookie: str) -> str:
        """Return the value that a form of this browser must contain."""
        return hmac.new(self._key, cookie.encode("utf-8", "surrogateescape"), sha256).hexdigest()

    def is_own_form(self, caller: Caller, key: str) -> bool:
        """Tell whether a form came from one of our pages in this browser; a program needs no key."""
        if caller.by_header:
            return True
        expected = self.form_key(caller.cookie)
        return bool(caller.cookie) and hmac.compare_digest(expected.encode(), key.encode("utf-8", "surrogateescape"))


def _hash(cookie: str) -> str:
    return sha256(cookie.encode("utf-8", "surrogateescape")).hexdigest()


# Forms: short bodies of names and values, as browsers and `curl -d` send them. A form of a browser must be one of our own.

LARGEST_FORM = 8000  # bytes
MOST_FIELDS = 20
FORM_PATIENCE = 15.0  # seconds that a form may take
FORM_KEY = "form_key"  # the name of the field that only our own pages know


async def form_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form. Raises: HTTPException 413, 400, 408."""
    try:
        async with asyncio.timeout(FORM_PATIENCE):
            body = await read_body(request, LARGEST_FORM, f"the form is larger than {LARGEST_FORM} bytes")
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except TimeoutError:
        raise HTTPException(408, f"the form took more than {FORM_PATIENCE:.0f} seconds") from None
    except ValueError:
        raise HTTPException(400, "the form cannot be read") from None


# Receives an upload: the body of the request is the file, which is written to the disk part by part as it comes.
#
# There is no multipart form, so no parser of one: a page sends the chosen file with ``fetch``, a program with ``curl -T``. A body
# may take a given time in total and a given time without a byte, so slow senders do not collect.

PART = 1 << 16  # bytes that are collected before they are written
MOST_AT_ONCE = 64  # uploads that are received at the same time


class Patience(Struct, frozen=True, kw_only=True):
    """How slow a sender may be."""

    whole: float = 120.0  # seconds for the whole file
    quiet: float = 15.0  # seconds without a byte


class UploadTooSlowError(ArenaError):
    """A sender was too slow."""


class Receiver:
    """Receives uploads into a queue of jobs."""

    def __init__(self, jobs: JobQueue, limits: UploadLimits, patience: Patience) -> None:
        self._jobs = jobs
        self._limits = limits
        self._patience = patience
        self._now = 0  # uploads that are being received

    async def receive(self, request: Request, author: str) -> Upload:
        """Return the upload in a request, whose query has the name of the file, and if wanted that of the bot and its class.

        Raises: InputError, UploadTooLargeError, UploadTooSlowError, TooManyRequestsError, StoreError.
        """
        self._check_length(request)
        if self._now >= MOST_AT_ONCE:
            raise TooManyRequestsError("too many uploads at the same time; try again in a minute")
        self._now += 1
        try:
            query = request.query_params
            file, name = query.get("file", ""), query.get("name") or None
            async with self._receiving(author, file, name, inner=query.get("class", "")) as draft:
                await self._copy(request, draft)
                return await asyncio.to_thread(draft.commit)
        finally:
            self._now -= 1

    def _check_length(self, request: Request) -> None:
        """Raise UploadTooLargeError before anything is received, if the request says how long it is."""
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._limits.size:
            raise UploadTooLargeError(f"the file has {length[:20]} bytes; expected at most {self._limits.size}")

    @asynccontextmanager
    async def _receiving(self, author: str, file: str, name: str | None, inner: str) -> AsyncIterator[UploadDraft]:
        """Yield a draft, as ``receiving``; what touches the disk is done in threads."""
        context = receiving(self._jobs, self._limits, author, file, name, inner)
        draft = await asyncio.to_thread(context.__enter__)
        try:
            yield draft
        finally:
            await asyncio.to_thread(context.__exit__, None, None, None)

    async def _copy(self, request: Request, draft: UploadDraft) -> None:
        """Write the body to a draft. Raises: UploadTooSlowError, StoreError, UploadTooLargeError, InputError."""
        parts = aiter(request.stream())
        collected = bytearray()
        try:
            async with asyncio.timeout(self._patience.whole):
                while part := await self._next(parts):
                    collected += part
                    if len(collected) >= PART:
                        await asyncio.to_thread(draft.write, bytes(collected))
                        collected.clear()
        except TimeoutError:
            raise UploadTooSlowError(f"the file took more than {self._patience.whole:.0f} seconds") from None
        except ClientDisconnect:
            raise InputError("the connection was closed before the whole file had come") from None
        await asyncio.to_thread(draft.write, bytes(collected))

    async def _next(self, parts: AsyncIterator[bytes]) -> bytes:
        """Return the next part of a body; empty: there is no more. Raises: UploadTooSlowError, ClientDisconnect."""
        try:
            async with asyncio.timeout(self._patience.quiet):
                return await anext(parts, b"")
        except TimeoutError:
            raise UploadTooSlowError(f"nothing came for {self._patience.quiet:.0f} seconds") from None


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

    # --- callers

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

    # --- pages

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
