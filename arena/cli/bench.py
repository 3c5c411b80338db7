"""``arena bench``: what this machine does, each figure beside another of the same run."""

from typing import Annotated

import typer
from msgspec import Struct

from arena.cli.lines import print_json
from arena.cli.options import AsJson
from arena.gin.core import CORE
from arena.runs import benchmarks
from arena.runs.engine_speed import Figure


class Benchmarks(Struct, frozen=True, kw_only=True):
    """The figures of a machine."""

    core: str  # of the engine
    figures: dict[str, Figure]


def bench(
    *,
    train: Annotated[bool, typer.Option("--train", help="Measure arena.train instead, beside the engine.")] = False,
    json: AsJson = False,
) -> None:
    """Measure what this machine does: the engine, a decision through a bot's process, a whole match.

    Example: arena bench --json

    Other programs disturb it; compare the ratios, which are of one run, rather than the times.
    """
    figures = [figure for measure in (benchmarks.training() if train else benchmarks.MEASURES) for figure in measure()]
    if json:
        print_json("bench", Benchmarks(core=CORE, figures={figure.name: figure for figure in figures}))
        return
    typer.echo(f"core: {CORE}")
    for figure in figures:
        typer.echo(_line(figure))


def _line(figure: Figure) -> str:
    return f"{figure.value:>10.3g} {figure.unit:12} {figure.what}"
