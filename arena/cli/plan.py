"""``arena plan``: what a spec will play, how long that takes, and what it will be able to tell."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.parts import AsJson, Where, Workers

if TYPE_CHECKING:
    from arena.cli.forecast import Forecast


def plan(
    spec: Annotated[Path, typer.Argument(help="The tournament's YAML file.", show_default=False)],
    *,
    resolve: Annotated[
        float | None,
        typer.Option(min=0.001, max=60, help="Tell what it costs to resolve so many points a hand.", show_default=False),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to play, to know how long playing takes.")] = 2.0,
    workers: Workers = None,
    executor: Where = "local",
    json: AsJson = False,
) -> None:
    """Show what a spec will play, how long it will take, and how small a difference in strength it can resolve.

    Every bot is started once, and a few hands are really played; nothing is kept.

    Example: arena plan tournaments/quickstart.yaml --resolve 0.5
    """
    from arena.cli import session
    from arena.cli.forecast import forecast
    from arena.cli.lines import print_json
    from arena.cli.log import log_nowhere
    from arena.cli.venue import Venue
    from arena.plugins import manager
    from arena.tournament import plan as plans
    from arena.tournament import roll_call

    log_nowhere()  # faults are told at the end
    plugins = manager.load()
    venue = Venue(plugins, executor, workers)
    made = session.planned(spec, manager.kinds(plugins), "arena plan")  # not the seed of the run: nothing leaks
    plans.walled_in(made)
    roll_call.call(made)
    told = forecast(made, venue, seconds, resolve)
    if json:
        print_json(told)
    else:
        typer.echo("\n".join(_lines(told)))


def _lines(told: "Forecast") -> list[str]:
    """Return what a person reads."""
    from arena.reports.tables import duration

    several = "matches" if told.matches else "fixtures"
    about = "about " if told.by_results else ""
    kept = [f"{told.title}: {len(told.bots)} bots, {about}{told.fixtures:,} {several}, about {told.hands:,} hands"]
    if told.by_results:
        kept.append("the format asks by results: so many it would be between equals")
    kept.append(f"about {duration(told.seconds)} with {told.workers} workers")
    resolved = told.resolves
    if resolved.points is None or resolved.elo is None:
        kept.append("some bots never meet, not even through others: what they do cannot be compared")
    else:
        kept.append(
            f"resolves {resolved.points:.2f} points a hand, or {resolved.elo:.0f} Elo in matches:"
            " bots so far apart are in the right order 95 times in 100"
        )
    if told.wanted:
        want = told.wanted
        kept.append(
            f"to resolve {want.points:g} points a hand: {want.times:.2g} times as much, {want.fixtures:,} {several},"
            f" {want.hands:,} hands, about {duration(want.seconds)}; two bots alone: {want.head_to_head:,} hands"
        )
    played = told.calibration
    kept.append(f"judged by {played.hands} hands in {played.seconds:.1f} s, in which {played.faults} faults were committed")
    return kept
