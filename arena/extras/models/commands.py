"""The command ``arena models``."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import option_groups
from arena.cli.terminal import print_result
from arena.extras.models.table import model_table, text_table
from arena.reports.text import table_lines
from arena.store.folder import existing


def models(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of runs.")],
    *,
    json: option_groups.AsJson = False,
) -> None:
    """Rank the language models that played in runs, by luck-adjusted points a hand, with what a hand cost.

    Example: arena models results/small-model results/large-model

    Bots name their model in their notes, as those of `arena bots new --lang llm` do.
    """
    found = model_table([existing(one) for one in run_dirs])
    print_result("models", found, table_lines(text_table(found)), json=json)
