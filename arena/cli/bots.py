"""``arena bots``: the bots that can be entered."""

from typing import TYPE_CHECKING

import typer

from arena.cli import check, new
from arena.cli.parts import AsJson

if TYPE_CHECKING:
    from arena.roster.entrant import Entrant

app = typer.Typer(
    help="The bots that can be entered: list them, try one, write one.\n\nExample: arena bots list", no_args_is_help=True
)


@app.command(name="list")
def show(*, json: AsJson = False) -> None:
    """List the installed bots, without running any of their code.

    Example: arena bots list --json
    """
    from arena.cli.lines import print_json
    from arena.roster.finder import names

    found = {name: _found(name) for name in names()}
    if json:
        print_json([_row(name, bot) for name, bot in found.items()])
        return
    width = max(map(len, found), default=0)
    for name, bot in found.items():
        told = bot if isinstance(bot, str) else f"{bot.version:8}  {bot.digest[:12]}  {bot.source}"
        typer.echo(f"{name:{width}}  {told}")


def _found(name: str) -> "Entrant | str":
    """Return a bot, or why it cannot be entered on this machine: the others are listed all the same."""
    from arena.errors import RosterError
    from arena.roster.finder import find

    try:
        return find(name)
    except RosterError as error:
        return str(error)


def _row(name: str, bot: "Entrant | str") -> dict[str, str]:
    if isinstance(bot, str):
        return {"name": name, "error": bot}
    return {"name": name, "version": bot.version, "source": bot.source, "digest": bot.digest}


app.command()(check.check)
app.command()(new.new)
