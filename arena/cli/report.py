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
    from arena.plugins import manager
    from arena.store.folder import existing
    from arena.store.store import Store
    from arena.tournament import spec

    folder = existing(run_dir)
    with Store(folder.database) as store:
        read = spec.parse(store.fact("spec"), manager.kinds(manager.load()), str(folder.spec))
        typer.echo(publish(folder, store, read))


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
    from msgspec.json import decode

    from arena.records import Assurance
    from arena.reports.report import make

    facts = store.facts()
    return make(
        store.in_order,
        title=store.fact("title"),
        field=[entrant.name for entrant in store.field()],
        rating=spec.rating,
        finished="finished" in facts,
        walls=decode(store.fact("walls"), type=Assurance),
        provenance=_provenance(facts, store, spec),
    )


def _provenance(facts: dict[str, str], store: "Store", spec: "Spec") -> dict[str, str]:
    """Return where the numbers come from; the seed only when no bot can profit from it any more."""
    from msgspec.json import encode

    shown = {key: facts[key] for key in ("arena", "python", "platform", "started", "commitment")}
    shown |= {"seed": facts["seed"] if "finished" in facts else "revealed when the tournament is finished"}
    shown |= {"rules": encode(spec.rules).decode(), "sandbox": encode(spec.sandbox).decode(), "walls": facts["walls"]}
    bots = {f"bot {entrant.name}": f"{entrant.version}, {entrant.source}, SHA-256 {entrant.digest}" for entrant in store.field()}
    return shown | bots | {"spec": facts["spec"]}
