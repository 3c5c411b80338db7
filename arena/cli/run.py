"""``arena run``: play a tournament, or resume one."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.options import AsJson, LogLevel, Quiet, Scheduler, SecretSeed, SpecPath, Where, Workers, executor_options
from arena.cli.terminal import print_error
from arena.plugins import manager
from arena.results.publish import write_reports
from arena.runs import plans, session, witnesses
from arena.runs.play import Runner, play


def run(
    spec: SpecPath,
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
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play a tournament and show its report. However it was stopped, the same command resumes it.

    Example: arena run league.yaml

    So does it when the spec has grown by bots, pairs or stages: the run continues, and what was played stays.

    Of a folder, the bots play a round robin, by the defaults of a spec: its .py files with one bot each, and its folders that are a
    package with one bot or have a bot.yaml. Each is called as its file or folder; what is left out is named, with the reason.
    """
    plugins = manager.load()
    runner = Runner(plugins, executor, workers, options=executor_options(scheduler))
    plan = plans.from_path(spec, manager.kinds(plugins), seed, progress.teller(quiet=quiet), print_error)
    folder = session.folder_of(plan, results)
    if accept_rollback:
        print_error(f"{folder.path}: continues without the links up to {witnesses.accept(folder).count}, which a witness has seen")
    with progress.of(plan, quiet=quiet) as observer:
        text = play(plan, folder, runner, observer, partial(write_reports, as_json=json), log_level)
    typer.echo(text)
    folder.mark_reported()
