"""``arena league submit``: a bot, or all bots of a class, enter a league."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import league_course
from arena.cli.league_options import Dir
from arena.cli.option_groups import Quiet
from arena.cli.terminal import print_error, print_lines, width
from arena.errors import ArenaError, InputError, WorkerLostError
from arena.league.intake.copies import as_named
from arena.league.rules.field import Version
from arena.league.submission_lines import SubmissionLine
from arena.league.submit import SubmissionOutcome, submit_bot, submit_for_author
from arena.runs.audition_steps import describe
from arena.runs.logs import log_nowhere
from arena.text import document_text
from arena.tournament.audition import Finding


def submit(
    league: Dir,
    bot: Annotated[
        str | None, typer.Argument(help="A .py file, a folder with bot.yaml, a zip or tar, a wheel, or an installed bot.")
    ] = None,
    *,
    several: Annotated[
        Path | None, typer.Option("--all", metavar="CLASS", help="A folder or archive, each entry of which is submitted.")
    ] = None,
    author_from: Annotated[
        str | None,
        typer.Option(
            metavar="HOW", help="With --all: filename, the default, folder, or a CSV file with the columns file and author."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="With --all: bots tested at a time; by default one for each core.")
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="Who wrote it; by default as for its last version, else your user name.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What it is called; by default as it calls itself.")] = None,
    quiet: Quiet = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print a JSON line for each step, and one for the result; with --all one document.")
    ] = False,
) -> None:
    """Copy a bot into a league, test it in the sandbox, and have it play from the next round on.

    Example: arena league submit friday ./mine.py --author ann

    A bot of the same name becomes its new version, which takes the place of the one before. The league may be played meanwhile.
    With --all each bot gets the name of its author, a refused one does not stop the others, and the same command resumes.
    Exit code 1, with --all: some did not join.
    """
    log_nowhere()
    if several is not None:
        if bot is not None or author is not None or name is not None:
            raise InputError("found --all with a bot, --author or --name; expected --all alone, with --author-from")
        league_course.submit_all(league, several, author_from or "filename", workers, quiet=quiet, json=json)
        return
    if author_from is not None or workers is not None:
        raise InputError("found --author-from or --workers without --all; expected them with --all CLASS")
    if bot is None:
        raise InputError("found no bot; expected arena league submit DIR BOT, or DIR --all CLASS")
    _submit(league, bot, author, name, json=json)


def _submit(league: Path, bot: str, author: str | None, name: str | None, *, json: bool) -> None:
    def show(finding: Finding) -> None:
        if json:
            _print_line(SubmissionLine(finding=finding, bot=as_named(bot)))
        elif not finding.passed:
            print_lines(describe(finding, as_named(bot), width()))
        else:
            for line in finding.warnings:
                print_error(line)

    submission = submit_for_author if json else submit_bot  # in JSON a mistake of the author is a refusal, not an error
    try:
        outcome = submission(league, bot, author, name, show)
    except (ArenaError, WorkerLostError) as error:
        if json:  # the reader has to distinguish a refused bot from a machine that cannot test it
            _print_line(SubmissionLine(why_untested=str(error)))
        raise
    if json:
        _print_line(SubmissionLine(outcome=outcome))
        raise typer.Exit(0 if outcome.version else 2)
    if outcome.version is None:
        print_error(f"{bot} was refused: {outcome.reason}")
        raise typer.Exit(2)
    print_lines(_submission_lines(outcome, outcome.version))


def _print_line(line: SubmissionLine) -> None:
    typer.echo(document_text("submission", line))  # it flushes: the reader of a pipe follows the audition


def _submission_lines(outcome: SubmissionOutcome, version: Version) -> Iterator[str]:
    if not outcome.joined:
        yield f"the same bot is in the league already: {version.id} of {version.author}, {version.state} since {version.since}"
        return
    place = f" in place of {outcome.replaced}" if outcome.replaced else ""
    late = f"next season on, because submissions for this one closed at {outcome.closed}" if outcome.closed else "next round on"
    yield f"{version.id} of {version.author} joined{place}; it plays from the {late}"
