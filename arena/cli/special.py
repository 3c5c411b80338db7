"""``arena league event``: plays an event of a league beside its rounds, as a knockout of the best."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.options import AsJson, LogLevel, Quiet, Scheduler, Where, Workers, runner_of
from arena.league import special
from arena.results.publish import write_reports
from arena.runs.play import OpenRun, play

MOST_BOTS = 1000


def event(
    league: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the league.", show_default=False)],
    spec: Annotated[Path, typer.Argument(help="The event's YAML file: title, format, rating and reports.", show_default=False)],
    *,
    from_table: Annotated[
        int, typer.Option("--from-table", min=2, max=MOST_BOTS, help="How many of the best bots take part.", show_default=False)
    ],
    name: Annotated[
        str | None, typer.Option(help="What the event is called; by default as its file, without the ending.", show_default=False)
    ] = None,
    workers: Workers = None,
    executor: Where = "local",
    scheduler: Scheduler = None,
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play an event beside the rounds, as a knockout of the best eight of the table, and show its report. It changes no rating.

    Example: arena league event friday cup.yaml --from-table 8

    Of each bot its best version takes part, by the rounds that are closed; the order of the table is the seeding. However it was
    stopped, the same command continues it, with the same bots. The league may be played meanwhile.
    """
    runner = runner_of(executor, workers, scheduler)
    planned = special.plan_event(league, special.requested(spec, from_table, name))

    def conclude(run: OpenRun) -> str:
        text = write_reports(run, as_json=json)
        special.close_event(league, planned.event.name, run)
        return text

    with progress.of(planned.plan, quiet=quiet) as observer:
        text = play(planned.plan, planned.folder, runner, observer, conclude, log_level)
    typer.echo(text)
    planned.folder.mark_reported()
