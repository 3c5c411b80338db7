"""``arena run``: play a tournament, or go on with one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.parts import Where, Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.cli.venue import Venue
    from arena.store.folder import Folder
    from arena.store.store import Store
    from arena.tournament.plan import Plan


def run(
    spec: Annotated[Path, typer.Argument(help="The tournament's YAML file.", show_default=False)],
    *,
    workers: Workers = None,
    executor: Where = "local",
    results: Annotated[
        Path | None, typer.Option(help="Folder of this run; by default one in results/, named after the title.")
    ] = None,
    seed: Annotated[str | None, typer.Option(help="Seed of the deals; by default the spec's, or one drawn in secret.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only warnings and the report.")] = False,
    log_level: Annotated[str, typer.Option(help="DEBUG, INFO, WARNING or ERROR; DEBUG shows every message.")] = "INFO",
) -> None:
    """Play a tournament and show its report. However it was stopped, the same command goes on from there.

    Example: arena run tournaments/quickstart.yaml
    """
    from arena.cli import session
    from arena.cli.choice import chosen
    from arena.cli.log import LEVELS
    from arena.cli.report import publish
    from arena.cli.venue import Venue
    from arena.plugins import manager
    from arena.store.store import Store
    from arena.tournament import plan as plans

    level = chosen(LEVELS, log_level.upper(), "--log-level")
    plugins = manager.load()
    plan = session.planned(spec, manager.kinds(plugins), seed)
    venue = Venue(plugins, executor, workers)
    assurance = plans.walled_in(plan)
    session.warn(session.warnings(assurance))
    folder = session.folder_of(plan, results)
    with folder.locked(), Store(folder.database, write=True) as store:
        plan = session.begin(plan, folder, store, assurance)
        if not quiet:
            typer.echo(session.told(plan, folder), err=True)
        _play(plan, folder, store, venue, level, quiet=quiet)
        store.finish()
        typer.echo(publish(folder, store, plan.spec))


def _play(plan: "Plan", folder: "Folder", store: "Store", venue: "Venue", log_level: str, *, quiet: bool) -> None:
    """Play what is left. Exit code 3, if somebody stops it."""
    from functools import partial

    from arena.cli import session
    from arena.cli.log import logging_to
    from arena.cli.worker import prepare, stoppable

    try:
        with logging_to(folder.log, log_level) as log, stoppable():
            session.call_the_roll(plan, store)
            _conduct(plan, store, venue, partial(prepare, log), quiet=quiet)
    except KeyboardInterrupt:
        typer.echo(
            f"stopped; {len(store.results())} matches are safe in {folder.path}, and the same command goes on from here", err=True
        )
        raise typer.Exit(3) from None


def _conduct(plan: "Plan", store: "Store", venue: "Venue", prepare: "Callable[[], None]", *, quiet: bool) -> None:
    from arena.cli.progress import shown
    from arena.cli.venue import filed
    from arena.records import result

    played = store.results()
    left = sum(1 for _ in plan.spec.format.fixtures(plan.names, played))
    with shown(played, quiet=quiet) as progress:
        progress.expect(len(played) + left)
        for record in filed(plan, store, venue, prepare):
            progress.step(result(record))
