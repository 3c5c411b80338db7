"""Who is asking: an author or organiser with a token, by a session of the browser or by a header of a program.

A browser exchanges the token for a session, whose cookie no script can read and no other site can have sent (``HttpOnly``,
``SameSite=Strict``). A program sends ``Authorization: Bearer TOKEN`` with each request. At each request the stored token is looked
up again, so a revoked or expired one ends its sessions at once.

Every form has a value that only our own pages know: an HMAC of the cookie under a key of this process. Another site can neither
read the cookie nor compute the value. Sessions are in memory: a restart asks everybody to sign in again.
"""

import hmac
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes, token_urlsafe
from typing import NamedTuple

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.runs.leagues import tokens
from arena.runs.leagues.moments import now
from arena.runs.leagues.tokens import FILE, Token

LIFETIME = 12 * 3600  # seconds of a session
MOST_SESSIONS = 5000  # the oldest ends when there are more; only holders of tokens can begin one
LONGEST_COOKIE = 100  # characters


class _Session(NamedTuple):
    digest: str  # of the token
    until: float  # by the monotonic clock


class Caller(Struct, frozen=True, kw_only=True):
    """Who has sent a request."""

    token: Token | None  # None: somebody who only reads
    cookie: str  # of the browser; empty: it has none
    by_header: bool = False  # a program, which has no cookie that another site could misuse


class TokenFile:
    """The stored tokens, read again when the file has changed."""

    def __init__(self, league: Path) -> None:
        self._league = league
        self._seen: tuple[int, ...] = ()
        self._tokens: list[Token] = []

    def all(self) -> list[Token]:
        """Return the tokens. Raises: StoreError."""
        seen: tuple[int, ...] = ()
        with suppress(FileNotFoundError):
            status = (self._league / FILE).stat()
            seen = (status.st_mtime_ns, status.st_size, status.st_ino)
        if seen != self._seen:
            self._tokens = tokens.stored(self._league)
            self._seen = seen
        return self._tokens


class Callers:
    """The sessions of a server. Use it in the event loop only."""

    def __init__(self, league: Path, *, secure: bool) -> None:
        """``secure``: browsers come by HTTPS, so they must never send the cookie without it."""
        self._file = TokenFile(league)
        self._secure = secure
        self._name = "__Host-arena" if secure else "arena"
        self._key = token_bytes(32)
        self._sessions: dict[str, _Session] = {}  # by the SHA-256 of the cookie, the oldest first

    def of(self, request: Request) -> Caller:
        """Return who has sent a request. Raises: StoreError."""
        header = request.headers.get("authorization")
        if header is not None:
            scheme, _, text = header.partition(" ")
            found = tokens.found(self._file.all(), text.strip(), now()) if scheme.lower() == "bearer" else None
            return Caller(token=found, cookie="", by_header=True)
        cookie = request.cookies.get(self._name, "")[:LONGEST_COOKIE]
        return Caller(token=self._signed_in(cookie), cookie=cookie)

    def _signed_in(self, cookie: str) -> Token | None:
        session = self._sessions.get(_hashed(cookie)) if cookie else None
        if session is None or session.until < time.monotonic():
            return None
        at = now()
        return next((one for one in self._file.all() if one.digest == session.digest and one.is_valid(at)), None)

    def sign_in(self, text: str, response: Response) -> Token | None:
        """Begin a session, under a new cookie, and return the token; None: it is not valid. Raises: StoreError."""
        token = tokens.found(self._file.all(), text.strip(), now())
        if token:
            cookie = self.set_cookie(response)
            self._sessions[_hashed(cookie)] = _Session(token.digest, time.monotonic() + LIFETIME)
            if len(self._sessions) > MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        return token

    def sign_out(self, caller: Caller, response: Response) -> None:
        """End a session."""
        self._sessions.pop(_hashed(caller.cookie), None)
        response.delete_cookie(self._name, secure=self._secure, httponly=True, samesite="strict")

    def set_cookie(self, response: Response) -> str:
        """Set a new cookie, which belongs to nobody yet, and return it."""
        cookie = token_urlsafe(32)
        response.set_cookie(self._name, cookie, max_age=LIFETIME, secure=self._secure, httponly=True, samesite="strict")
        return cookie

    def form_key(self, cookie: str) -> str:
        """Return the value that a form of this browser must contain."""
        return hmac.new(self._key, cookie.encode("utf-8", "surrogateescape"), sha256).hexdigest()

    def is_own_form(self, caller: Caller, key: str) -> bool:
        """Return whether a form came from one of our pages in this browser; a program needs none."""
        if caller.by_header:
            return True
        expected = self.form_key(caller.cookie)
        return bool(caller.cookie) and hmac.compare_digest(expected.encode(), key.encode("utf-8", "surrogateescape"))


def _hashed(cookie: str) -> str:
    return sha256(cookie.encode("utf-8", "surrogateescape")).hexdigest()
