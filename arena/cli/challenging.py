"""``arena league challenge``: a rated match that an author asks for."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import AsJson
from arena.cli.terminal import print_json, print_lines
from arena.league.challenge import ask
from arena.runs.logs import log_nowhere

League = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the league.", show_default=False)]


def challenge(
    league: League,
    mine: Annotated[str, typer.Argument(metavar="MINE", help="The bot that asks, or a version of it.", show_default=False)],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The bot that it is to meet.", show_default=False)],
    *,
    json: AsJson = False,
) -> None:
    """Ask for a rated match between two bots of a league, which a later round plays, whatever happens.

    Example: arena league challenge friday ann-bot ben-bot

    It is never withdrawn and counts for both bots; an author may ask for as many a day as the spec says. `arena league practice`
    plays a match that counts nowhere.
    """
    log_nowhere()
    done = ask(league, mine, other)
    if json:
        print_json("league-challenge", done)
    else:
        print_lines([f"{done.version} meets {done.opponent} in a later round; {done.waiting} waiting, with this one"])
