"""``arena import``."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.option_groups import Quiet
from arena.extras.importer.hands import import_hands
from arena.reports.numbers import count


def import_(
    file: Annotated[Path, typer.Argument(help="JSON lines, as `arena export` writes them.")],
    *,
    results: Annotated[
        Path | None, typer.Option(help="Folder of the run: a new or empty one.", show_default="a new one in results/")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make a run of a file of hands, after every hand was judged again.

    Example: arena import hands.jsonl --results imported

    `arena verify`, `report`, `review`, `replay` and `serve` take it. Its bots are not isolated and not ranked: how they were played
    is not known. A line that is wrong is named with what was expected, and no run is made. `arena docs import` says more, and which
    logs of other programs can be converted.
    """
    with progress.count_bar("read", "bytes", quiet=quiet) as read:
        run = import_hands(file, results, read)
    typer.echo(
        f"Imported to {run.folder.path}: {count(run.hands, 'hand')} of {count(run.matches, 'match', 'matches')}, judged again."
    )
