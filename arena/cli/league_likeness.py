"""``arena league likeness``: which bots decide like a template, or alike."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.league_options import Dir
from arena.cli.option_groups import AsJson
from arena.cli.terminal import print_result
from arena.errors import InputError
from arena.league.leagues import write_private
from arena.league.suspects import likeness_report
from arena.reports.html_page import render
from arena.reports.numbers import count


def likeness(
    league: Dir,
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
