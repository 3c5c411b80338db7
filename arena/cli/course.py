"""The commands of ``arena league`` for courses: submit all bots of a class, issue tokens, grade, and look for copies."""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct, convert
from msgspec.structs import asdict

from arena.cli import progress
from arena.cli.option_groups import AsJson
from arena.cli.terminal import print_error, print_json, print_lines, print_result
from arena.errors import InputError, RunStoppedError
from arena.league import course, entries, grading, tokens
from arena.league.course import BulkOutcome, BulkSubmission
from arena.league.grading import Grade
from arena.league.leagues import write_private
from arena.league.suspects import likeness_report
from arena.league.tokens import IssuedToken
from arena.moments import Moment, duration, moment, now
from arena.reports.html_page import render
from arena.reports.numbers import MISSING, count
from arena.reports.text import table_lines
from arena.reports.text_table import TextTable
from arena.text import in_one_line
from arena.tournament.core_use import cores

League = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the league.")]


def submit_all(league: Path, source: Path, author_from: str, workers: int | None, *, quiet: bool, json: bool) -> None:
    """Submit all bots of a class, and print a table of the outcomes. Exit code 1: some did not join.

    Raises: RunStoppedError, if the user stops it after the first outcome.
    """
    tested, tell = False, progress.teller(quiet=quiet)

    def show(number: int, count: int, outcome: BulkOutcome) -> None:
        nonlocal tested
        tested = True
        tell(in_one_line(f"{number} of {count}: {outcome.entry}: {outcome.state}"))

    try:
        done = course.submit_all(league, source, author_from, workers or len(cores()), show)
    except KeyboardInterrupt:
        if not tested:
            raise
        raise RunStoppedError("stopped; the outcomes so far are kept, and the same command tests the others") from None
    print_result("league-submissions", done, _submission_lines(done), json=json)
    if not json:
        for name in done.missing:
            print_error(f"{name} is in the table of authors, but was not handed in")
    if done.counts["refused"] or done.counts["untested"]:
        raise typer.Exit(1)


def _submission_lines(done: BulkSubmission) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [(one.entry, one.author or MISSING, one.state, one.bot or MISSING) for one in done.entries]
    yield from table_lines(TextTable("", ("entry", "author", "outcome", "bot"), rows, left=(0, 1, 2, 3)))
    yield from (f"{one.entry} is {one.state}: {one.reason}" for one in done.entries if one.reason)
    warned: dict[str, list[str]] = {}  # what is wrong with a template is so in many entries
    for one in done.entries:
        for line in dict.fromkeys(one.warnings):
            warned.setdefault(line, []).append(one.entry)
    yield from (f"{', '.join(names)}: {line}" for line, names in warned.items())
    yield ", ".join(f"{count} {state}" for state, count in done.counts.items() if count)


# --- tokens


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
    known: Sequence[str] = ()  # authors who already had a valid token, and got no new one
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
    league: League,
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
        done = NewTokens(authors=sorted(has), known=[name for name in names if name not in has], file=str(out))
        lines = [f"{out}: {count(len(has), 'token')}, shown only there"]
        lines += [f"no new token, because the one before is valid: {', '.join(done.known)}"] if done.known else []
    print_result("league-course-tokens", done, lines, json=json)


def _token_table(issued: Sequence[IssuedToken]) -> str:
    return _csv([("author", "token", "expires"), *((one.token.holder, one.text, one.token.expires) for one in issued)])


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def list_tokens(league: League, *, json: AsJson = False) -> None:
    """List the tokens of a league: holder, role, and until when each is valid.

    Example: arena league tokens friday
    """
    found = tokens.league_tokens(league)
    rows = convert(found, list[TokenRow], from_attributes=True)
    print_result("league-tokens", Tokens(tokens=rows), map(tokens.describe, found), json=json)


# --- grades

MOST_SEASONS = 1_000_000
SHOWN = ("author", "bot", "points", "confidence", "rank", "faults")  # columns on a terminal


def grades(
    league: League,
    *,
    scheme: Annotated[Path, typer.Option(help="The YAML file that says what is worth how many points.")],
    authors: Annotated[
        Path | None,
        typer.Option("--from", metavar="CSV", help="A CSV file with the column author: only they, and all of them, are graded."),
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="By the table as it was then.")] = None,
    season: Annotated[
        int | None, typer.Option(min=1, max=MOST_SEASONS, help="By the table as it was at the end of this season.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    json: AsJson = False,
) -> None:
    """Grade the authors of a league: for joining, for beating a baseline, by rank and by faults.

    Example: arena league grades friday --scheme scheme.yaml --csv

    The grades are those of the rounds that are over. Ratings and faults are of all seasons until then. The author of the scheme's
    baseline is graded only if the CSV file names it.
    """
    if at is not None and season is not None:
        raise InputError("found --at with --season; expected one of them")
    then = None if at is None else moment(at, now())
    found = grading.grades(league, scheme, entries.course_authors(authors) if authors else (), then, season)
    if json:
        print_json("league-grades", found)
    elif as_csv:
        sys.stdout.write(_csv([Grade.__struct_fields__, *([*_cells(one).values()] for one in found.grades)]))
    else:
        rows = [tuple(cells[column] or MISSING for column in SHOWN) for cells in map(_cells, found.grades)]
        print_lines(table_lines(TextTable("", SHOWN, rows, left=(0, 1))))
        print_lines(f"{one.author}: {one.note}" for one in found.grades if one.note)


def _cells(one: Grade) -> dict[str, str]:
    """Return the values of a grade as text, by their columns."""
    cells = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in asdict(one).items()}
    confidence = "" if one.confidence is None else f"{one.confidence:.3f}"
    return {**cells, "confidence": confidence, "rank": "" if one.rank is None else str(one.rank)}


# --- likeness


def likeness(
    league: League,
    *,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page with the positions that show it to this new file, which only you may read."
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show which active bots decide like a template of the league, and which decide alike beyond the templates.

    Example: arena league likeness friday --html suspected.html

    It is a mark, and no proof: two authors may have had the same idea. What it shows is on no public page and in no export.
    """
    if html is not None and (html.exists() or html.is_symlink()):
        raise InputError(f"--html {html}: expected the name of a new file for the page, which only you may read")
    found = likeness_report(league)
    if html is not None:
        write_private(html, render("likeness.html", report=found))
    others = count(len(found.groups), "group") if found.groups else "no bots that decide alike"
    lines = [*(one.line for one in found.groups), f"{found.compared} bots were compared: {others}"]
    lines += [f"{html}: the positions that show it"] if html else []
    print_result("league-likeness", found, lines, json=json)
