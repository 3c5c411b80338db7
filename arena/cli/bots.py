"""``arena bots``: the bots that can be entered."""

import typer
from msgspec import Struct

from arena.cli import check, new, plugins
from arena.cli.lines import print_json
from arena.cli.options import AsJson
from arena.cli.terminal import print_lines
from arena.cli.usage import plain_app
from arena.errors import RosterError
from arena.roster.entrant import Entrant
from arena.roster.finder import find, invalid_entry_points, names

app = plain_app("The bots that can be entered: list them, try one, write one.\n\nExample: arena bots list")


class InstalledBot(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A bot, or why it cannot be entered."""

    name: str
    version: str = ""
    source: str = ""
    digest: str = ""
    error: str = ""


class InstalledBots(Struct, frozen=True, kw_only=True):
    """The installed bots."""

    bots: list[InstalledBot]
    errors: list[str]  # on entry points whose name is not valid


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
        print_json("bots-list", InstalledBots(bots=[_row(name, bot) for name, bot in found.items()], errors=wrong))
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


def _row(name: str, bot: Entrant | str) -> InstalledBot:
    if isinstance(bot, str):
        return InstalledBot(name=name, error=bot)
    return InstalledBot(name=name, version=bot.version, source=bot.source, digest=bot.digest)


app.command()(check.check)
app.command()(new.new)
