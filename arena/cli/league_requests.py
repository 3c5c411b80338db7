"""Matches of a league on request: ``arena league cup``, ``challenge`` and ``practice``."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.league_options import Dir
from arena.cli.option_groups import AsJson, LogLevel, Quiet, Where, Workers, runner_of
from arena.cli.terminal import is_screen, print_lines, print_report, print_result
from arena.league import on_request, side_matches
from arena.reports.describe import ended_words, margin_words
from arena.reports.numbers import count
from arena.results.publish import write_reports
from arena.runs import starts
from arena.runs.logs import log_nowhere
from arena.runs.open_run import OpenRun
from arena.runs.play import play_run

MOST_BOTS = 1000  # of a cup


def cup(
    league: Dir,
    spec: Annotated[Path, typer.Argument(help="The cup's YAML file: title, format, rating and reports.")],
    *,
    from_table: Annotated[int, typer.Option("--from-table", min=2, max=MOST_BOTS, help="How many of the best bots take part.")],
    name: Annotated[str | None, typer.Option(help="What the cup is called; by default as its file, without the ending.")] = None,
    workers: Workers = None,
    executor: Where = "local",
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play a cup beside the rounds, such as a knockout of the best eight, and show its report. It changes no rating.

    Example: arena league cup friday cup.yaml --from-table 8

    Each bot takes part with its best version by the rounds that are closed, seeded by its place in the table. However it was
    stopped, the same command continues it, with the same bots. The league may be played meanwhile.
    """
    runner = runner_of(executor, workers)
    request = side_matches.read_request(spec, from_table, name)
    start = side_matches.plan_cup(league, request)

    def conclude(run: OpenRun) -> str:
        text = write_reports(run, as_json=json, brief=is_screen())
        side_matches.close(league, request.run, run)
        return text

    with progress.of(start.plan, quiet=quiet) as observer:
        text = play_run(start, runner, observer, conclude, log_level)
    print_report(text)
    start.folder.mark_reported()


def challenge(
    league: Dir,
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
    done = on_request.challenge(league, mine, other)
    line = f"{done.version} meets {done.opponent} in a later round; {done.waiting} waiting, with this one"
    print_result("league-challenge", done, [line], json=json)


def practice(
    league: Dir,
    bot: Annotated[str, typer.Argument(help="A bot's name, or a version as ann-bot@3.")],
    against: Annotated[str, typer.Argument(help="Its opponent: a name, or a version.")],
    *,
    results: Annotated[Path, typer.Option(help="The folder of the run, new or to be continued.")],
    quiet: Quiet = False,
) -> None:
    """Play a practice match of two bots of a league: two matches on the same deals, by its rules. The league keeps no record.

    Example: arena league practice friday ann-bot ben-bot@2 --results practice
    """
    folder = starts.named_folder(results)
    with starts.open_run(folder):  # opened only to fail here, before any bot is read, if it cannot be written
        plan = on_request.practice_plan(league, bot, against)
    with progress.of(plan, quiet=quiet) as observer:
        start = starts.RunStart(plan=plan, folder=folder)
        found = play_run(start, runner_of("local", workers=1), observer, lambda run: run.store.results(), log_level=None)
    for one in found:
        print_lines([f"{ended_words(one)}, {margin_words(one)} in {count(one.hands, 'hand')}"])
    folder.mark_reported()
