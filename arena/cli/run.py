"""``arena run`` and ``arena plan``: play a tournament, or estimate its cost."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.option_groups import AsJson, LogLevel, Quiet, SecretSeed, Where, Workers, runner_of
from arena.cli.options import SpecPath
from arena.cli.terminal import is_screen, print_error, print_report, print_result
from arena.reports.numbers import count, duration
from arena.results.publish import write_reports
from arena.runs import planning, starts
from arena.runs.forecast import Forecast, forecast
from arena.runs.logs import log_nowhere
from arena.runs.play import play_run
from arena.stats.statements import RESOLVES
from arena.tournament.plan import check_sandbox
from arena.tournament.preflight import check_starts


def run(
    spec: SpecPath,
    *,
    workers: Workers = None,
    executor: Where = "local",
    results: Annotated[
        Path | None, typer.Option(help="Folder of this run; by default one in results/, named after the title.")
    ] = None,
    seed: SecretSeed = None,
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play a tournament and show its report. However it was stopped, the same command resumes it.

    Example: arena run league.yaml

    It also continues a run whose spec has gained bots, pairs or stages; what was played stays.

    If SPEC is a folder, its bots play a round robin by the defaults of a spec: .py files with one bot each, and folders that are a
    package with one bot or have a bot.yaml. Each is named after its file or folder; what is left out is listed with the reason.
    """
    runner = runner_of(executor, workers)
    plan = planning.from_path(spec, seed, progress.teller(quiet=quiet), print_error)
    start = starts.find_start(plan, results)
    with progress.of(plan, quiet=quiet) as observer:
        text = play_run(start, runner, observer, partial(write_reports, as_json=json, brief=is_screen()), log_level)
    print_report(text)
    start.folder.mark_reported()


def plan(
    spec: SpecPath,
    *,
    resolve: Annotated[
        float | None, typer.Option(min=0.001, max=60, help="Show what it costs to resolve this many points a hand.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds of play from which the time is estimated.")] = 2.0,
    workers: Workers = None,
    executor: Where = "local",
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show what a spec will play, how long it will take, and how small a difference in strength it can resolve.

    Every bot is started once, and a few hands are really played; nothing is kept.

    Example: arena plan league.yaml --resolve 0.5
    """
    log_nowhere()  # the faults of the calibration are in the forecast
    runner = runner_of(executor, workers)
    seed = "arena plan"  # not that of the run, which must stay secret
    made = planning.from_path(spec, seed, progress.teller(quiet=quiet), print_error)
    check_sandbox(made)
    for text in check_starts(made):
        print_error(text)
    found = forecast(made, runner, seconds, resolve)
    print_result("plan", found, _forecast_lines(found), json=json)


def _forecast_lines(found: Forecast) -> list[str]:
    """Return the lines that are printed without --json."""
    several = "matches" if found.matches else "fixtures"
    about = "about " if found.by_results else ""
    lines = [f"{found.title}: {len(found.bots)} bots, {about}{found.fixtures:,} {several}, about {found.hands:,} hands"]
    lines += found.explanation
    if found.by_results:
        lines.append("later fixtures depend on results: these are the numbers for equal bots")
    lines.append(f"about {duration(found.seconds)} with {count(found.workers, 'worker')}")
    resolved = found.resolves
    if resolved.points is None or resolved.elo is None:
        lines.append("some bots never meet, not even through others: what they do cannot be compared")
    else:
        lines.append(f"resolves {resolved.points:.2f} points a hand, or {resolved.elo:.0f} Elo in matches: {RESOLVES}")
    if found.wanted:
        want = found.wanted
        lines.append(
            f"to resolve {want.points:g} points a hand: {want.times:.2g} times as much, {want.fixtures:,} {several},"
            f" {want.hands:,} hands, about {duration(want.seconds)}; two bots alone: {want.head_to_head:,} hands"
        )
    played = found.calibration
    lines.append(f"estimated from {count(played.hands, 'hand')} in {played.seconds:.1f} s, with {count(played.faults, 'fault')}")
    return lines
