"""``arena export``: the hands of a run as a file of JSON lines, CSV or Parquet."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from arena import system
from arena.cli import progress
from arena.cli.options import Quiet, needs_data
from arena.cli.terminal import print_error
from arena.errors import InputError
from arena.reports.numbers import count
from arena.results.export import WRITERS, Lines
from arena.results.hands import ExportedHand, ExportedMatch, HandFilter, closed_rounds, header, lines
from arena.results.stored import stored_run
from arena.runs.plans import kinds
from arena.store.folder import existing
from arena.store.store import Store


def export(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or of a league.", show_default=False)],
    *,
    to: Annotated[
        Path, typer.Option(metavar="FILE", help="What to write: a name in .jsonl, .csv or .parquet.", show_default=False)
    ],
    fixture: Annotated[str | None, typer.Option(help="Write only this fixture.", show_default=False)] = None,
    bot: Annotated[str | None, typer.Option(help="Write only the matches of this bot.", show_default=False)] = None,
    quiet: Quiet = False,
) -> None:
    """Write every hand of a run into one file, with its deck, actions, result, luck and times.

    Example: arena export results/quickstart-2026-01-31 --to hands.jsonl

    JSON lines hold all that `arena import` needs to make a run of them again; a table of CSV or Parquet has a row for each hand.
    Units and an example are in `arena docs data`. The hands of a league's open round are left out. A file of this name is replaced
    when all is written.
    """
    write = WRITERS.get(to.suffix)
    if write is None:
        raise InputError(f"--to: found {str(to)!r}; expected a name in {', '.join(WRITERS)}")
    folder = existing(run_dir)
    with needs_data(), Store(folder.database) as store, progress.count_bar("written", quiet=quiet) as show:
        store.begin_snapshot()
        run = stored_run(folder, store, kinds())
        counts, total = Counter[str](), store.count()

        def count_lines() -> Lines:
            for line in lines(store, run, HandFilter(fixture=fixture, bot=bot)):
                counts["hands" if isinstance(line, ExportedHand) else "matches"] += 1
                if isinstance(line, ExportedMatch):
                    show(counts["matches"], total)
                yield line

        with system.writing(to) as file:
            write(file, header(store, run), count_lines())
        closed = closed_rounds(store, run)
    if closed is not None and not run.finished and fixture is None:
        print_error(f"the hands of round {closed + 1} are left out: it is still open")
    typer.echo(f"Written to {to}: {count(counts['hands'], 'hand')} of {count(counts['matches'], 'match', 'matches')}.")
