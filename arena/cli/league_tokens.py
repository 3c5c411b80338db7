"""The commands of ``arena league`` for tokens: issue one or those of a course, revoke them, and list them."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct, convert

from arena.cli.csv_text import csv_text
from arena.cli.league_options import Dir
from arena.cli.option_groups import AsJson
from arena.cli.terminal import print_result
from arena.errors import InputError
from arena.league import entries, tokens
from arena.league.leagues import write_private
from arena.league.tokens import IssuedToken
from arena.moments import Moment, duration
from arena.reports.numbers import count


class NewToken(Struct, frozen=True, kw_only=True):
    """A new token, or the number of revoked ones."""

    holder: str
    organiser: bool = False
    token: str | None = None
    expires: Moment | None = None
    revoked: int = 0


class NewTokens(Struct, frozen=True, kw_only=True):
    """The authors of a course with new tokens, or the number of revoked ones."""

    authors: Sequence[str] = ()
    unchanged: Sequence[str] = ()  # authors who already had a valid token, and got no new one
    file: str = ""  # with the tokens
    revoked: int = 0


class TokenRow(Struct, frozen=True, kw_only=True):
    """A token, without its text and digest."""

    holder: str
    organiser: bool
    made: Moment
    expires: Moment
    revoked: Moment | None  # None: it was not


class Tokens(Struct, frozen=True, kw_only=True):
    """The tokens of a league."""

    tokens: Sequence[TokenRow]


def token(
    league: Dir,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The author or organiser who receives it.")] = None,
    *,
    authors: Annotated[
        Path | None,
        typer.Option("--from", metavar="CSV", help="A CSV file with the column author: each gets a token, unless one is valid."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="With --from: the new CSV file with the tokens, which only you may read.")
    ] = None,
    expires: Annotated[str, typer.Option(metavar="TIME", help="How long it is valid, as 90d or 12w.")] = "180d",
    organiser: Annotated[
        bool, typer.Option("--organiser", help="Its holder may also suspend and reinstate bots and end seasons.")
    ] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Make every token of this name, or of all in --from, invalid instead.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Print a new token, with which an author submits bots to `arena serve --submit`. It is shown once.

    Example: arena league token friday ann --expires 90d

    For a course: arena league token friday --from authors.csv --out tokens.csv
    """
    lifetime = duration(expires)
    if (name is None) == (authors is None):
        raise InputError("expected either NAME, or --from authors.csv")
    if authors is not None:
        if organiser:
            raise InputError("found --organiser with --from; expected one token at a time for organisers")
        _course_tokens(league, authors, out, lifetime, revoke=revoke, json=json)
    elif out is not None:
        raise InputError("found --out without --from; a single token is printed")
    elif name:
        _token(league, name, lifetime, organiser=organiser, revoke=revoke, json=json)


def _token(league: Path, name: str, lifetime: timedelta, *, organiser: bool, revoke: bool, json: bool) -> None:
    if revoke:
        revoked = tokens.revoke(league, name)
        done = f"revoked {count(revoked, 'token')} of {name}"
        print_result("league-token", NewToken(holder=name, revoked=revoked), [done], json=json)
        return
    issued = tokens.issue(league, name, lifetime, organiser=organiser)
    document = NewToken(holder=name, organiser=organiser, token=issued.text, expires=issued.token.expires)
    print_result("league-token", document, [issued.text], json=json)
    if not json:
        role = "organiser" if organiser else "author"
        typer.echo(f"a token of {role} {name}, valid until {issued.token.expires}; it cannot be shown again", err=True)


def _course_tokens(league: Path, table: Path, out: Path | None, lifetime: timedelta, *, revoke: bool, json: bool) -> None:
    """Give every author in a table a token, or revoke all of theirs."""
    names = entries.course_authors(table)
    if revoke:
        done = NewTokens(revoked=tokens.revoke_all(league, names))
        lines = [f"revoked {count(done.revoked, 'token')} of the authors in {table}"]
    else:
        if out is None or out.exists():
            raise InputError(f"--out {out or ''}: expected the name of a new file for the tokens, which are shown once")
        new = tokens.issue_all(league, names, lifetime, lambda issued: write_private(out, _token_table(issued)))
        has = {one.token.holder for one in new}
        done = NewTokens(authors=sorted(has), unchanged=[name for name in names if name not in has], file=str(out))
        lines = [f"{out}: {count(len(has), 'token')}, shown only there"]
        lines += [f"no new token, because the one before is valid: {', '.join(done.unchanged)}"] if done.unchanged else []
    print_result("league-course-tokens", done, lines, json=json)


def _token_table(issued: Sequence[IssuedToken]) -> str:
    return csv_text([("author", "token", "expires"), *((one.token.holder, one.text, one.token.expires) for one in issued)])


def list_tokens(league: Dir, *, json: AsJson = False) -> None:
    """List the tokens of a league: holder, role, and until when each is valid.

    Example: arena league tokens friday
    """
    found = tokens.league_tokens(league)
    rows = convert(found, list[TokenRow], from_attributes=True)
    print_result("league-tokens", Tokens(tokens=rows), map(tokens.describe, found), json=json)
