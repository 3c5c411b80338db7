"""``arena init``: a folder to start in."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.new import print_written
from arena.cli.options import AsJson
from arena.runs import scaffold
from arena.runs.scaffold import Written
from arena.system import real

BOT = "my-bot"


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; created if it does not exist.")] = Path(),
    *,
    json: AsJson = False,
) -> None:
    """Write a first league, league.yaml, and a first bot, my_bot.py, and show what to run. Existing files are not overwritten.

    Example: arena init my-league
    """
    spec = scaffold.files("league", BOT, BOT, folder)
    bot = (file for file in scaffold.files("python", BOT, BOT, folder) if file.path == folder / "my_bot.py")
    written = scaffold.write(folder, [*spec, *bot])
    enter = [] if real(folder) == Path.cwd() else [f"cd {shlex.quote(str(folder))}"]
    steps = [*enter, "arena run league.yaml", "arena bots check my_bot.py:MyBot", "arena debug my_bot.py:MyBot"]
    print_written(Written(wrote=list(map(str, written)), next=steps), json=json)
