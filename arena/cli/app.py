"""The command line: its commands, and the one place that catches the user's errors."""

import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import (
    bench,
    bots,
    debug,
    doctor,
    duel,
    judge,
    match,
    melds,
    plan,
    play,
    regress,
    replay,
    report,
    run,
    serve,
    strength,
    terminal,
    usage,
    verify,
)
from arena.errors import ArenaError, WorkerLost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COMMANDS = (
    run.run,
    plan.plan,
    match.match,
    duel.duel,
    regress.regress,
    debug.debug,
    report.report,
    replay.replay,
    serve.serve,
    play.play,
    verify.verify,
    doctor.doctor,
    judge.judge,
    melds.melds,
    bench.bench,
)


def build() -> typer.Typer:
    """Return the application with arena's own commands."""
    app = typer.Typer(
        name="arena",
        cls=usage.Commands,
        help="Gin rummy tournaments between bots that nobody has to trust.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help, in half the time
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    for command in COMMANDS:
        app.command()(command)
    app.add_typer(bots.app, name="bots")
    app.add_typer(strength.app, name="strength")
    for name, command in _added():
        app.command(name)(command)
    return app


def options(
    *, no_color: Annotated[bool, typer.Option("--no-color", help="Colour nothing; so does NO_COLOR in the environment.")] = False
) -> None:
    """Gin rummy tournaments between bots that nobody has to trust."""
    if no_color:
        terminal.without_colour()


def _added() -> "Iterator[tuple[str, Callable[..., None]]]":
    """Yield the commands of installed plugins; where there is none, nothing is imported for them."""
    if not entry_points(group="arena"):
        return
    from arena.plugins import manager

    yield from manager.commands(manager.load()).items()


def main() -> None:
    """Run a command. Exit codes: 0 done, 1 a bug or a difference found, 2 the user's fault, 3 stopped with results safe."""
    terminal.fall_back()
    try:
        build()()
    except ArenaError as error:
        typer.echo(f"arena: {error}", err=True)
        sys.exit(2)
    except WorkerLost as error:
        typer.echo(f"arena: stopped: {error}; the results so far are safe, and the same command goes on from here", err=True)
        sys.exit(3)
