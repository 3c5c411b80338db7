"""``arena league challenge``: a match that an author asks for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import AsJson, runner_of
from arena.cli.progress import Warnings
from arena.cli.terminal import print_json, print_lines
from arena.league.challenge import FOLDER, AskedChallenge, ask_rated, play_friendly
from arena.runs.logs import log_nowhere

League = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the league.", show_default=False)]


def challenge(
    league: League,
    mine: Annotated[str, typer.Argument(metavar="MINE", help="The bot that asks, or a version of it.", show_default=False)],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The bot that it is to meet.", show_default=False)],
    *,
    rated: Annotated[bool, typer.Option("--rated", help="Have the match count: a later round plays it, whatever happens.")] = False,
    json: AsJson = False,
) -> None:
    """Play a friendly match between two bots of a league, or ask for a rated one.

    Example: arena league challenge friday ann-bot ben-bot --rated

    A friendly match is played at once and stored apart from the league. A rated one is never withdrawn, counts for both bots, and
    an author may ask for as many a day as the spec says.
    """
    log_nowhere()
    done = ask_rated(league, mine, other) if rated else play_friendly(league, mine, other, runner_of("local", 1), Warnings())
    if json:
        print_json("league-challenge", done)
    else:
        print_lines(_lines(done, league))


def _lines(done: AskedChallenge, league: Path) -> Iterator[str]:
    if done.rated:
        yield f"{done.version} meets {done.opponent} in a later round; {done.waiting} waiting, with this one"
        return
    faults = f"; faults: {done.faults[0]} and {done.faults[1]}" if any(done.faults) else ""
    result = f"{done.won[0]}–{done.won[1]} in pairs, {done.points_a_hand:+z.2f} points a hand{faults}"
    yield f"{done.version} against {done.opponent}, friendly: {result}"
    yield f"Every hand: arena replay {league / FOLDER / str(done.place)}"
