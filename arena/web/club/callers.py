"""Callers: authors and organisers are recognised by a session of the browser, or by a token in a header of a program.

A browser exchanges the token for a session, whose cookie no script can read and no other site can have sent (``HttpOnly``,
``SameSite=Strict``). A program sends ``Authorization: Bearer TOKEN`` with each request. At each request the stored token is
looked up again, so a revoked or expired one ends its sessions at once.

Every form has a value that only our own pages know: an HMAC of the cookie under a key of this league's servers. Another site can
neither read the cookie nor compute the value.

The key and the sessions, with hashes of the cookies, are kept in a file that only its owner may read, so that a restart, or a
move to another machine, signs nobody out. A file that is missing or cannot be read costs a new sign-in, nothing else.
"""

import hmac
import logging
import time
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes, token_urlsafe

from msgspec import Struct, json
from starlette.requests import Request
from starlette.responses import Response

from arena.disk import file_state
from arena.errors import StoreError
from arena.league import leagues, tokens
from arena.league.tokens import FILE, SESSIONS, Token
from arena.moments import now

log = logging.getLogger(__name__)

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
