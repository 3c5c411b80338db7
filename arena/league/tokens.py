"""Tokens, with which authors and organisers sign in: ``tokens.json`` in the league's folder, which only its owner may read.

Only the SHA-256 of a token is stored, so a stolen file does not let a thief sign in. A slow hash is not needed: it makes guessing
expensive where people choose their passwords, but a token has 256 random bits, which cannot be searched. So checking one costs
microseconds, and a flood of wrong tokens does not keep the server busy.

Tokens are not in the chain, because an export must not contain them.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe

from msgspec import Struct, json
from msgspec.structs import replace

from arena.errors import InputError
from arena.league import leagues
from arena.league.leagues import write_private
from arena.moments import Moment, later, now
from arena.records import Hash
from arena.roster.entrant import NAME_PATTERN, Name

FILE = "tokens.json"
SESSIONS = "sessions.json"  # of browsers that have exchanged a token for a cookie (arena.web.club.context)
PREFIX = "arena-"  # lets a scanner for leaked secrets recognise a token
LONGEST = 100  # characters of a sent text that are compared


class Token(Struct, frozen=True, kw_only=True):
    """A token as it is stored."""

    holder: Name
    organiser: bool = False
    digest: Hash  # SHA-256 of the token's text
    made: Moment
    expires: Moment
    revoked: Moment | None = None  # None: it was not

    def is_valid(self, at: Moment) -> bool:
        """Tell whether it can be used at a moment."""
        return self.revoked is None and at < self.expires


class IssuedToken(Struct, frozen=True):
    """A new token with its text, which is not stored."""

    text: str
    token: Token


def issue(path: Path, holder: str, lifetime: timedelta, *, organiser: bool = False) -> IssuedToken:
    """Store a new token of a holder, and return it with its text. Raises: InputError, StoreError, SpecError."""
    with leagues.open_league(path, write=True) as league, league.store.deciding():  # one command at a time changes the file
        return add_token(path, holder, lifetime, organiser=organiser)


def add_token(path: Path, holder: str, lifetime: timedelta, *, organiser: bool = False) -> IssuedToken:
    """Store a new token; the caller ensures that no other process changes the file. Raises: InputError, StoreError."""
    issued = _new(holder, lifetime, organiser=organiser)
    _write(path, [*stored_tokens(path), issued.token])
    return issued


def issue_all(
    path: Path, holders: Iterable[str], lifetime: timedelta, keep: Callable[[Sequence[IssuedToken]], None]
) -> list[IssuedToken]:
    """Make a token for each holder without a valid one, let ``keep`` store their texts, store and return them.

    Raises: InputError, StoreError, SpecError; what ``keep`` raises.
    """
    with leagues.open_league(path, write=True) as league, league.store.deciding():
        before = stored_tokens(path)
        known = {one.holder for one in before if one.is_valid(now())}
        issued = [_new(holder, lifetime) for holder in holders if holder not in known]
        keep(issued)
        _write(path, [*before, *(one.token for one in issued)])
    return issued


def _new(holder: str, lifetime: timedelta, *, organiser: bool = False) -> IssuedToken:
    """Return a new token. Raises: InputError."""
    if not re.match(NAME_PATTERN, holder):
        raise InputError(f"found the name {holder!r}; expected at most 50 letters, digits and _.-")
    text, at = PREFIX + token_urlsafe(32), now()
    return IssuedToken(text, Token(holder=holder, organiser=organiser, digest=_digest(text), made=at, expires=later(at, lifetime)))


def revoke(path: Path, holder: str) -> int:
    """Revoke every token of a holder, and return how many were valid. Raises: InputError, if none was; StoreError, SpecError."""
    if not (changed := revoke_all(path, [holder])):
        raise InputError(f"{holder!r} has no valid token; `arena league tokens {path}` lists all")
    return changed


def revoke_all(path: Path, holders: Collection[str]) -> int:
    """Revoke every token of some holders, and return how many were valid. Raises: StoreError, SpecError."""
    with leagues.open_league(path, write=True) as league, league.store.deciding():
        return revoke_tokens(path, holders)


def revoke_tokens(path: Path, holders: Collection[str]) -> int:
    """Revoke every token of some holders, and return how many were valid; for the caller see ``add_token``. Raises: StoreError."""
    at, before = now(), stored_tokens(path)
    after = [replace(one, revoked=at) if one.holder in holders and one.is_valid(at) else one for one in before]
    _write(path, after)
    return sum(one != other for one, other in zip(before, after, strict=True))


def stored_tokens(path: Path) -> list[Token]:
    """Return the tokens of a league, in the order in which they were made. Raises: StoreError."""
    return leagues.read_json(path / FILE, list[Token], [])


def league_tokens(path: Path) -> list[Token]:
    """Return the tokens of a league. Raises: StoreError, also if the folder is not that of a league; SpecError."""
    with leagues.open_league(path):
        return stored_tokens(path)


def describe(token: Token) -> str:
    """Return a token in one line, without its digest."""
    role = "organiser" if token.organiser else "author"
    state = f"revoked {token.revoked}" if token.revoked else f"valid until {token.expires}"
    return f"{token.holder}  {role}  made {token.made}  {state}"


def find_token(tokens: Iterable[Token], text: str, at: Moment) -> Token | None:
    """Return the valid token with this text; None: there is none.

    Every digest is compared, each in constant time, so that the time says nothing about how close a wrong text came.
    """
    digest, match = _digest(text[:LONGEST]), None
    for token in tokens:
        if compare_digest(token.digest, digest):
            match = token
    return match if match and match.is_valid(at) else None


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _write(path: Path, tokens: list[Token]) -> None:
    write_private(path / FILE, json.format(json.encode(tokens), indent=1).decode() + "\n")
