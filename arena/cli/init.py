"""``arena init``: a folder to start in."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.runs import scaffold
from arena.system import real

BOT = "my-bot"


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; created if it does not exist.")] = Path(),
) -> None:
    """Write a first league, league.yaml, and a first bot, my_bot.py, and show what to run. Existing files are not overwritten.

    Example: arena init my-league
    """
    spec = scaffold.files("league", BOT, BOT, folder)
    bot = (file for file in scaffold.files("python", BOT, BOT, folder) if file.path == folder / "my_bot.py")
    for path in scaffold.write(folder, [*spec, *bot]):
        typer.echo(f"wrote {path}")
    enter = [] if real(folder) == Path.cwd() else [f"cd {shlex.quote(str(folder))}"]
    typer.echo("next:")
    for step in (*enter, "arena run league.yaml", "arena bots check my_bot.py:MyBot", "arena debug my_bot.py:MyBot"):
        typer.echo(f"    {step}")
