"""``arena bench``: what this machine does, each figure beside another of the same run."""

import platform
import time
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict

from arena.cli.lines import print_json
from arena.cli.options import AsJson
from arena.errors import InputError
from arena.gin.core import CORE
from arena.runs import benchmarks, scaffold
from arena.runs.engine_speed import Figure
from arena.runs.peers import comparison
from arena.runs.peers.comparison import Benchmark, Row
from arena.runs.peers.plot import svg


def bench(
    *,
    peers: Annotated[bool, typer.Option("--peers", help="Compare with other programs instead; needs the extra peers.")] = False,
    plot: Annotated[Path | None, typer.Option(help="With --peers: also draw the comparison into this SVG file.")] = None,
    json: AsJson = False,
) -> None:
    """Measure what this machine does: the engine, a decision through a bot's process, a whole match.

    Example: arena bench --json

    Other programs disturb it; compare the ratios, which are of one run, rather than the times.
    """
    if peers:
        _compare(plot, json=json)
        return
    if plot:
        raise InputError("bench: --plot draws a comparison; expected --peers with it")
    figures = [figure for measure in benchmarks.MEASURES for figure in measure()]
    if json:
        measured = {figure.name: {"value": figure.value, "unit": figure.unit, "what": figure.what} for figure in figures}
        print_json({"core": CORE, **measured})
        return
    typer.echo(f"core: {CORE}")
    for figure in figures:
        typer.echo(_line(figure))


def _line(figure: Figure) -> str:
    return f"{figure.value:>10.3g} {figure.unit:12} {figure.what}"


def _compare(plot: Path | None, *, json: bool) -> None:
    if plot:
        scaffold.check(plot)
    date = time.strftime("%Y-%m-%d", time.gmtime())
    comparisons = tuple(compare() for compare in comparison.BENCHMARKS)
    if plot:
        heading = f"arena bench --peers, {date}; core: {CORE}; Python {platform.python_version()}"
        plot.write_text(svg(comparisons, heading), encoding="utf-8")
    if json:
        print_json({"core": CORE, "date": date, "comparisons": [asdict(one) for one in comparisons]})
        return
    typer.echo(f"{date}, core: {CORE}")
    for one in comparisons:
        _show(one)


def _show(one: Benchmark) -> None:
    typer.echo(f"\n{one.title}\n")
    for line in (*map(_row, one.rows), *one.missing):
        typer.echo(line)


def _row(row: Row) -> str:
    return f"{row.value:>10,.0f} {row.unit:8} {row.label:24} {'; '.join(filter(None, (_times(row.ratio), row.detail)))}"


def _times(ratio: float) -> str:
    if ratio == 1:
        return ""
    return f"arena is {ratio:.3g} times as fast" if ratio > 1 else f"{1 / ratio:.3g} times as fast as arena"
