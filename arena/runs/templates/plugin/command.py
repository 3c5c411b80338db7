"""A command: ``arena my-part RUN``."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import arena
from arena.errors import InputError
from arena.plugins.hookspecs import hookimpl


def my_part(run: Annotated[Path, typer.Argument(help="The folder of a run.")]) -> None:
    """Print the sentence with which the report of a run begins.

    Example: arena my-part results/quickstart
    """
    found = arena.load(run)
    if isinstance(found, arena.League):
        raise InputError(f"{run}: holds a league; expected a run")
    typer.echo(found.summary)


@hookimpl
def arena_commands() -> dict[str, Callable[..., None]]:
    """Return the command by name."""
    return {"my-part": my_part}
