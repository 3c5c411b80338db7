"""The command ``arena drill``."""

from pathlib import Path
from typing import Annotated

import typer

from arena.records import LUCK_VERSION, Assurance
from arena.roster.entrant import IN_PROCESS_SOURCE, NO_DIGEST, Entered
from arena.runs.starts import circumstances, named_folder, open_run
from arena.testing import SHORT, play
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.seeds import commitment, random_seed
from arena_bots.greedy import Greedy

SPEC = "{title: Drill, bots: [ann, bob], rules: {target: 50, best_of: 1}, sandbox: none, reports: [console]}"


def drill(folder: Annotated[Path, typer.Argument(help="A new folder.")]) -> None:
    """Drill a bot against itself."""
    seed = random_seed()
    facts = {
        "kind": "drill",
        "title": "Drill",
        "spec": SPEC,
        "seed": seed,
        "commitment": commitment(seed),
        "luck": str(LUCK_VERSION),
        **circumstances(Assurance(isolated=False, profile="none", missing=("a drill",))),
    }
    with open_run(named_folder(folder)) as store:
        store.begin(facts, [Entered(name, "1", IN_PROCESS_SOURCE, NO_DIGEST) for name in ("ann", "bob")])
        for record in play(RoundRobin(pairs=1), {"ann": Greedy, "bob": Greedy}, rules=SHORT, seed=seed):
            store.add(record)
        store.finish()
    typer.echo(f"Drilled in {folder}")
