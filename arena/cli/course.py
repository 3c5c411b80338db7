"""What ``arena league`` does for a whole course: it submits all bots of a class."""

from collections.abc import Iterator
from pathlib import Path

import typer

from arena.cli.terminal import print_error, print_json, print_lines
from arena.league import bulk
from arena.league.bulk import BulkOutcome, BulkSubmission
from arena.reports.numbers import MISSING
from arena.reports.tables import TextTable
from arena.reports.text import table_lines
from arena.tournament.executors import cores


def submit_all(league: Path, source: Path, author_from: str, workers: int | None, *, json: bool) -> None:
    """Submit all bots of a class, and print a table of the outcomes. Exit code 1: some did not join."""
    done = bulk.submit_all(league, source, author_from, workers or len(cores()), _show)
    if json:
        print_json("league-submissions", done)
    else:
        print_lines(_submission_lines(done))
    if done.counts["refused"] or done.counts["untested"]:
        raise typer.Exit(1)


def _show(number: int, count: int, outcome: BulkOutcome) -> None:
    typer.echo(f"{number} of {count}: {outcome.entry}: {outcome.state}", err=True)


def _submission_lines(done: BulkSubmission) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [(one.entry, one.author or MISSING, one.state, one.bot or MISSING) for one in done.entries]
    yield from table_lines(TextTable("", ("entry", "author", "outcome", "bot"), rows, (0, 1, 2, 3)))
    for one in done.entries:
        yield from [f"{one.entry} is {one.state}: {one.reason}"] if one.reason else []
        yield from (f"{one.entry}: {line}" for line in one.warnings)
    yield ", ".join(f"{count} {state}" for state, count in done.counts.items() if count) or "found no entries"
    for name in done.missing:
        print_error(f"{name} is in the table of authors, but was not handed in")
