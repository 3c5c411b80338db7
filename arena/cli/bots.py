"""``arena bots``: the bots that can be entered."""

from typing import Annotated

import typer

from arena.cli import check

app = typer.Typer(help="The bots that can be entered: list them, try one, write one.", no_args_is_help=True)


@app.command(name="list")
def show(*, json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False) -> None:
    """List the installed bots, without running any of their code.

    Example: arena bots list --json
    """
    from arena.cli.lines import print_json
    from arena.roster.finder import installed

    found = list(installed())
    if json:
        print_json([{"name": bot.name, "version": bot.version, "source": bot.source, "digest": bot.digest} for bot in found])
        return
    width = max((len(bot.name) for bot in found), default=0)
    for bot in found:
        typer.echo(f"{bot.name:{width}}  {bot.version:8}  {bot.digest[:12]}  {bot.source}")


app.command()(check.check)
