"""``arena bots``: the bots that can be entered."""

import typer

from arena.cli import check, new, plugins
from arena.cli.lines import print_json
from arena.cli.options import AsJson
from arena.cli.terminal import print_lines
from arena.cli.usage import plain_app
from arena.errors import RosterError
from arena.roster.entrant import Entrant
from arena.roster.finder import find, invalid_entry_points, names

app = plain_app("The bots that can be entered: list them, try one, write one.\n\nExample: arena bots list")


@app.command(name="list")
def show(*, json: AsJson = False) -> None:
    """List the installed bots, without running any of their code.

    Example: arena bots list --json
    """
    found = {name: _find_bot(name) for name in names()}
    wrong = invalid_entry_points()
    for line in plugins.lines():
        typer.echo(line, err=True)
    if json:
        print_json([*(_row(name, bot) for name, bot in found.items()), *({"error": line} for line in wrong)])
        return
    width = max(map(len, found), default=0)
    print_lines([*(f"{name:{width}}  {_describe(bot)}" for name, bot in found.items()), *wrong])


def _find_bot(name: str) -> Entrant | str:
    """Return a bot, or why it cannot be entered on this machine: the others are listed all the same."""
    try:
        return find(name)
    except RosterError as error:
        return str(error)


def _describe(bot: Entrant | str) -> str:
    return bot if isinstance(bot, str) else f"{bot.version:8}  {bot.digest[:12]}  {bot.source}"


def _row(name: str, bot: Entrant | str) -> dict[str, str]:
    if isinstance(bot, str):
        return {"name": name, "error": bot}
    return {"name": name, "version": bot.version, "source": bot.source, "digest": bot.digest}


app.command()(check.check)
app.command()(new.new)
