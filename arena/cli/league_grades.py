"""``arena league grades``: the grades of the authors of a course."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict

from arena.cli.csv_text import csv_text
from arena.cli.league_options import Dir
from arena.cli.option_groups import AsJson
from arena.cli.terminal import print_json, print_lines
from arena.errors import InputError
from arena.league import entries, grading
from arena.league.grading import Grade
from arena.moments import moment, now
from arena.reports.numbers import MISSING
from arena.reports.text import table_lines
from arena.reports.text_table import TextTable

MOST_SEASONS = 1_000_000
SHOWN = ("author", "bot", "points", "confidence", "rank", "faults")  # columns on a terminal


def grades(
    league: Dir,
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
        sys.stdout.write(csv_text([Grade.__struct_fields__, *([*_cells(one).values()] for one in found.grades)]))
    else:
        rows = [tuple(cells[column] or MISSING for column in SHOWN) for cells in map(_cells, found.grades)]
        print_lines(table_lines(TextTable("", SHOWN, rows, left=(0, 1))))
        print_lines(f"{one.author}: {one.note}" for one in found.grades if one.note)


def _cells(one: Grade) -> dict[str, str]:
    """Return the values of a grade as text, by their columns."""
    cells = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in asdict(one).items()}
    confidence = "" if one.confidence is None else f"{one.confidence:.3f}"
    return {**cells, "confidence": confidence, "rank": "" if one.rank is None else str(one.rank)}
