"""``arena league diff`` and ``debug``: what a new version of a bot plays differently, and a hand as a version saw it."""

from typing import Annotated

import typer

from arena.cli.changes import print_difference
from arena.cli.league_options import Dir, Name
from arena.cli.option_groups import AsJson, Quiet, runner_of
from arena.cli.options import MOST_HANDS, AskedBatches, ShownHand, checked_seed
from arena.cli.terminal import print_lines
from arena.league import versions_played
from arena.runs.debugging import HandChoice
from arena.runs.logs import log_nowhere


def diff(
    league: Dir,
    old: Annotated[str, typer.Argument(help="The version as it was, as ann-bot@1.")],
    new: Annotated[str, typer.Argument(help="The version as it is now, as ann-bot@2.")],
    *,
    hands: Annotated[int, typer.Option(min=1, max=MOST_HANDS, help="Hands that the old version plays against itself.")] = 100,
    workers: AskedBatches = None,
    quiet: Quiet = False,  # noqa: ARG001 - it shows no progress anyway
    json: AsJson = False,
) -> None:
    """Show the decisions that changed between two versions, under the league's rules and in its sandbox.

    Example: arena league diff friday ann-bot@1 ann-bot@2

    Exit codes: 0 no decision differs, 1 some do.
    """
    log_nowhere()  # faults are shown as lines
    found = versions_played.compare(league, old, new, hands, runner_of("local", workers))
    print_difference(found, old, new, json=json)


def debug(
    league: Dir,
    bot: Name,
    *,
    against: Annotated[str | None, typer.Option(help="Another bot of the league; by default itself.")] = None,
    hand: ShownHand = 0,
    seat: Annotated[int, typer.Option(min=0, max=1, help="Where the bot sits.")] = 0,
    seed: Annotated[str, typer.Option(callback=checked_seed, help="Seed of the deals and of the bots' chance.")] = "debug",
    raw: Annotated[bool, typer.Option("--raw", help="Show the messages as they are sent.")] = False,
    quiet: Quiet = False,  # noqa: ARG001 - it shows no progress anyway
) -> None:
    """Show a hand as a bot sees it, under the league's rules and limits and in its sandbox; nothing is stored.

    Example: arena league debug friday ann-bot@1 --hand 3

    The same seed shows the same hand again. Exit code 1, if the bot commits a fault.
    """
    log_nowhere()  # faults are shown as lines
    if not versions_played.show_hand(league, bot, against, HandChoice(hand=hand, seat=seat, seed=seed, raw=raw), print_lines):
        raise typer.Exit(1)
