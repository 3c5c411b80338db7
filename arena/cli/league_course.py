"""The commands of ``arena league`` for courses: submit all bots of a class."""

from collections.abc import Iterator
from pathlib import Path

import typer

from arena.cli import progress
from arena.cli.terminal import print_error, print_result
from arena.errors import RunStoppedError
from arena.league import course
from arena.league.course import BulkOutcome, BulkSubmission
from arena.reports.numbers import MISSING
from arena.reports.text import table_lines
from arena.reports.text_table import TextTable
from arena.text import in_one_line
from arena.tournament.core_use import cores


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
