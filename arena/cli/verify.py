"""``arena verify``: a run judged again."""

from pathlib import Path
from typing import Annotated

import typer


def verify(run_dir: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)]) -> None:
    """Deal every hand again from the seed, judge every action again, and say what differs. Exit code 1, if anything does.

    Example: arena verify results/quickstart-2026-01-31
    """
    from arena.plugins import manager
    from arena.referee.audit import differences
    from arena.store.folder import existing
    from arena.store.store import Store
    from arena.tournament import spec

    folder = existing(run_dir)
    with Store(folder.database) as store:
        facts = store.facts()
        read = spec.parse(store.fact("spec"), manager.kinds(manager.load()), str(folder.spec))
        hands = 0
        for record in store.records():
            hands += len(record.hands)
            for difference in differences(record, read.rules, read.faults, facts["seed"]):
                typer.echo(f"difference: {difference}")
                raise typer.Exit(1)
    typer.echo(f"{hands} hands, 0 differences")
