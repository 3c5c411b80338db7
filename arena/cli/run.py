"""``arena run``: play a tournament, or resume one."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.options import Scheduler, SecretSeed, Where, Workers, executor_options
from arena.cli.terminal import print_error
from arena.plugins import manager
from arena.results.publish import write_reports
from arena.runs import plans, session, witnesses
from arena.runs.choice import choose
from arena.runs.logs import LEVELS
from arena.runs.play import Runner, play


def run(
    spec: Annotated[
        Path, typer.Argument(help="The tournament's YAML file; `arena docs specs` lists its keys.", show_default=False)
    ],
    *,
    workers: Workers = None,
    executor: Where = "local",
    scheduler: Scheduler = None,
    results: Annotated[
        Path | None, typer.Option(help="Folder of this run; by default one in results/, named after the title.")
    ] = None,
    seed: SecretSeed = None,
    accept_rollback: Annotated[
        bool, typer.Option("--accept-rollback", help="Continue a run whose database was rolled back; that is stored in it.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only warnings and the report.")] = False,
    log_level: Annotated[str, typer.Option(help="DEBUG, INFO, WARNING or ERROR; DEBUG shows every message.")] = "INFO",
) -> None:
    """Play a tournament and show its report. However it was stopped, the same command resumes it.

    Example: arena run league.yaml

    So does it when the spec has grown by bots, pairs or stages: the run continues, and what was played stays.
    """
    level = choose(LEVELS, log_level.upper(), "--log-level")
    plugins = manager.load()
    runner = Runner(plugins, executor, workers, options=executor_options(scheduler))
    plan = plans.from_file(spec, manager.kinds(plugins), seed)
    folder = session.folder_of(plan, results)
    if accept_rollback:
        print_error(f"{folder.path}: continues without the links up to {witnesses.accept(folder).count}, which a witness has seen")
    with progress.of(plan, quiet=quiet) as observer:
        text = play(plan, folder, runner, observer, write_reports, level)
    typer.echo(text)
    folder.mark_reported()
