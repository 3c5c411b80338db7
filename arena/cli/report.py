"""``arena report``: the standings of a run."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import AsJson, RunDir
from arena.results.publish import draw, publish
from arena.results.stored import stored_run
from arena.runs.plans import kinds
from arena.store.folder import existing
from arena.store.store import Store

Picture = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write its answer as a picture for sharing instead, to FILE.svg or FILE.png.")
]


def report(run_dir: RunDir, *, picture: Picture = None, json: AsJson = False) -> None:
    """Show the report of a run, finished or not, and write its files again.

    Example: arena report results/quickstart-2026-01-31
    """
    folder = existing(run_dir)
    if picture:
        draw(folder, picture)
        typer.echo(f"Written: {picture}")
        return
    with Store(folder.database) as store:
        typer.echo(publish(folder, store, stored_run(folder, store, kinds()), as_json=json))
