"""``--explain``: what changed decisions cost or gain."""

from typing import Annotated

import typer

from arena.cli import progress
from arena.compare import explain
from arena.compare.explain import Explanation
from arena.runs.diff import FoundDifference
from arena.runs.play import Runner

Explain = Annotated[
    bool,
    typer.Option("--explain", help="Price each decision that differs; a hundred take some seconds."),
]


def explanation(found: FoundDifference, runner: Runner, *, quiet: bool) -> Explanation:
    """Return the gains of the changed decisions, and show the progress. Raises: WorkerLostError."""
    with progress.count_bar("priced", "changed decisions", quiet=quiet) as priced:
        return explain.explain(found, runner, priced)
