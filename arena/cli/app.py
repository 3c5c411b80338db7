"""The command line: its commands, and the one place that catches the user's errors."""

import sys
from typing import TYPE_CHECKING

import typer

from arena.cli import bench, bots, judge, melds, replay, report, run, verify
from arena.errors import ArenaError, WorkerLost

if TYPE_CHECKING:
    import click

COMMANDS = (run.run, report.report, replay.replay, verify.verify, judge.judge, melds.melds, bench.bench)


def build() -> typer.Typer:
    """Return the application with arena's own commands."""
    app = typer.Typer(
        name="arena",
        help="Gin rummy tournaments between bots that nobody has to trust.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in COMMANDS:
        app.command()(command)
    app.add_typer(bots.app, name="bots")
    return app


def main() -> None:
    """Run a command. Exit codes: 0 done, 1 a bug or a difference found, 2 the user's fault, 3 stopped with results safe."""
    try:
        build()()
    except ArenaError as error:
        typer.echo(f"arena: {error}", err=True)
        sys.exit(2)
    except WorkerLost as error:
        typer.echo(f"arena: stopped: {error}; the results so far are safe, and the same command goes on from here", err=True)
        sys.exit(3)
