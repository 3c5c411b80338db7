"""``arena report``: what a run has come to."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.reports.report import Report
    from arena.store.folder import Folder
    from arena.store.store import Store
    from arena.tournament.spec import Spec


def report(run_dir: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)]) -> None:
    """Show the report of a run, finished or not, and write its files anew.

    Example: arena report results/quickstart-2026-01-31
    """
    from arena.cli.parts import spec_on_file
    from arena.store.folder import existing
    from arena.store.store import Store

    folder = existing(run_dir)
    with Store(folder.database) as store:
        typer.echo(publish(folder, store, spec_on_file(folder, store)))


def publish(folder: "Folder", store: "Store", spec: "Spec") -> str:
    """Write the files of a run's report, and return what is for the terminal."""
    made = _made(store, spec)
    shown = []
    for renderer in spec.reports:
        text = renderer.render(made)
        if renderer.file:
            folder.write(renderer.file, text)
        else:
            shown.append(text)
    return "\n".join(shown)


def _made(store: "Store", spec: "Spec") -> "Report":
    from arena.reports.about import about
    from arena.reports.report import make

    facts = store.facts()
    return make(store.in_order, about(facts, store.field(), spec.rules, spec.rating, spec.sandbox), spec.rating, facts["seed"])
