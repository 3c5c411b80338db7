"""``arena report``: the standings of a run."""

import typer

from arena.cli.options import AsJson, RunDir
from arena.results.publish import publish
from arena.results.stored import stored_run
from arena.runs.plans import kinds
from arena.store.folder import existing
from arena.store.store import Store


def report(run_dir: RunDir, *, json: AsJson = False) -> None:
    """Show the report of a run, finished or not, and write its files again.

    Example: arena report results/quickstart-2026-01-31
    """
    folder = existing(run_dir)
    with Store(folder.database) as store:
        typer.echo(publish(folder, store, stored_run(folder, store, kinds()), as_json=json))
