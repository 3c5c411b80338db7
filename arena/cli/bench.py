"""``arena bench``: what this machine does, each figure beside another of the same run."""

from typing import TYPE_CHECKING

import typer

from arena.cli.parts import AsJson

if TYPE_CHECKING:
    from arena.cli.measuring import Figure


def bench(*, json: AsJson = False) -> None:
    """Measure what this machine does: the engine, a decision through a bot's process, a whole match.

    Example: arena bench --json

    Other programs disturb it; compare the ratios, which are of one run, rather than the times.
    """
    from arena.cli import measuring
    from arena.cli.lines import print_json

    figures = [figure for measure in measuring.MEASURES for figure in measure()]
    if json:
        print_json({figure.name: {"value": figure.value, "unit": figure.unit, "what": figure.what} for figure in figures})
        return
    for figure in figures:
        typer.echo(_line(figure))


def _line(figure: "Figure") -> str:
    return f"{figure.value:>10.3g} {figure.unit:12} {figure.what}"
