"""``arena league event``, ``practice`` and ``challenge``: matches of a league on request."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.options import AsJson, LogLevel, Quiet, Scheduler, Where, Workers, runner_of
from arena.cli.terminal import print_lines, print_result
from arena.league import special
from arena.league.on_request import ask, practice_plan
from arena.results.publish import write_reports
from arena.runs import session
from arena.runs.logs import log_nowhere
from arena.runs.play import OpenRun, play

League = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the league.")]


def challenge(
    league: League,
    mine: Annotated[str, typer.Argument(metavar="MINE", help="The bot that asks, or a version of it.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The bot that it is to meet.")],
    *,
    json: AsJson = False,
) -> None:
    """Ask for a rated match between two bots of a league. A later round plays it.

    Example: arena league challenge friday ann-bot ben-bot

    A request cannot be withdrawn, and the match counts for both bots; an author may ask for as many a day as the spec says. `arena
    league practice` plays a match that counts nowhere.
    """
    log_nowhere()
    done = ask(league, mine, other)
    line = f"{done.version} meets {done.opponent} in a later round; {done.waiting} waiting, with this one"
    print_result("league-challenge", done, [line], json=json)


MOST_BOTS = 1000


def event(
    league: League,
    spec: Annotated[Path, typer.Argument(help="The event's YAML file: title, format, rating and reports.")],
    *,
    from_table: Annotated[int, typer.Option("--from-table", min=2, max=MOST_BOTS, help="How many of the best bots take part.")],
    name: Annotated[str | None, typer.Option(help="What the event is called; by default as its file, without the ending.")] = None,
    workers: Workers = None,
    executor: Where = "local",
    scheduler: Scheduler = None,
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play an event beside the rounds, such as a knockout of the best eight, and show its report. It changes no rating.

    Example: arena league event friday cup.yaml --from-table 8

    Each bot takes part with its best version by the rounds that are closed, seeded by its place in the table. However it was
    stopped, the same command continues it, with the same bots. The league may be played meanwhile.
    """
    runner = runner_of(executor, workers, scheduler)
    planned = special.plan_event(league, special.read_request(spec, from_table, name))

    def conclude(run: OpenRun) -> str:
        text = write_reports(run, as_json=json)
        special.close_event(league, planned.event.name, run)
        return text

    with progress.of(planned.plan, quiet=quiet) as observer:
        text = play(session.RunStart(plan=planned.plan, folder=planned.folder), runner, observer, conclude, log_level)
    typer.echo(text)
    planned.folder.mark_reported()


def practice(
    league: League,
    bot: Annotated[str, typer.Argument(help="A bot's name, or a version as ann-bot@3.")],
    against: Annotated[str, typer.Argument(help="Its opponent: a name, or a version.")],
    *,
    results: Annotated[Path, typer.Option(help="The folder of the run, new or to be continued.")],
    quiet: Quiet = False,
) -> None:
    """Play a practice match of two bots of a league: two matches on the same deals, by its rules. The league keeps no record.

    Example: arena league practice friday ann-bot ben-bot@2 --results practice
    """
    folder = session.named_folder(results)
    with session.open_run(folder):  # a folder that cannot be written is named before any bot is read
        plan = practice_plan(league, bot, against)
    with progress.of(plan, quiet=quiet) as observer:
        found = play(
            session.RunStart(plan=plan, folder=folder), runner_of("local", 1), observer, lambda run: run.store.results(), None
        )
    for one in found:
        ended = "no winner" if one.winner is None else f"won by {one.fixture.seats[one.winner]}"
        print_lines([f"{' – '.join(one.fixture.seats)}: {ended}, {one.points[0]}–{one.points[1]} points in {one.hands} hands"])
    folder.mark_reported()
