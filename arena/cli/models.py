"""``arena models``: language models by points and cost a hand."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import AsJson
from arena.cli.terminal import print_json, print_lines
from arena.reports.text import table_lines
from arena.results.models import model_table, text_table
from arena.store.folder import existing


def models(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of runs.", show_default=False)],
    *,
    json: AsJson = False,
) -> None:
    """Rank the language models that played in runs, by points a hand less luck, with what a hand cost.

    Example: arena models results/small-model results/large-model

    A model is one that a bot names in its notes, as those of `arena bots new --lang llm` do.
    """
    found = model_table([existing(one) for one in run_dirs])
    if json:
        print_json("models", found)
    else:
        print_lines(table_lines(text_table(found)))
