"""The command: ``arena my-part FOLDER``."""

from pathlib import Path
from typing import Annotated

import typer

from arena.records import LUCK_VERSION, Assurance
from arena.roster.entrant import IN_PROCESS_SOURCE, NO_DIGEST, Entered
from arena.runs.starts import circumstances, named_folder, open_run
from arena.sdk import Bot
from arena.testing import SHORT, play
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.seeds import commitment, random_seed

SPEC = "{title: my-part, bots: [one, other], rules: {target: 50, best_of: 1}, sandbox: none, reports: [console]}"


def my_part(folder: Annotated[Path, typer.Argument(help="A new folder.")]) -> None:
    """Play a bot against itself, in this process and without a sandbox.

    Example: arena my-part mine
    """
    seed = random_seed()
    facts = {
        "kind": "my-part",
        "title": "my-part",
        "spec": SPEC,
        "seed": seed,
        "commitment": commitment(seed),
        "luck": str(LUCK_VERSION),
        **circumstances(Assurance(isolated=False, profile="none", missing=("played in one process",))),
    }
    with open_run(named_folder(folder)) as store:
        store.begin(facts, [Entered(name, "1", IN_PROCESS_SOURCE, NO_DIGEST) for name in ("one", "other")])
        for record in play(RoundRobin(pairs=1), {"one": Bot, "other": Bot}, rules=SHORT, seed=seed):
            store.add(record)
        store.finish()
    typer.echo(f"Played in {folder}")
