"""``arena debug``: a hand of a bot, turn by turn while it is played."""

from typing import Annotated, Literal

import typer

from arena.cli.options import Bot, RulesName, SandboxName, ShownHand, TimeText, checked_seed
from arena.cli.terminal import print_lines
from arena.gin.hand import Phase
from arena.runs import debug as debugging
from arena.runs.debug import DebugRequest, HandChoice
from arena.runs.logs import log_nowhere

Phases = Literal["upcard", "first_draw", "draw", "discard", "last_take", "last_knock", "lay_off"]


def debug(
    bot: Bot,
    *,
    against: Annotated[str, typer.Option(help="Another bot, or `sparring`: the partner of `arena bots check`.")] = "greedy",
    hand: ShownHand = 0,
    seat: Annotated[int, typer.Option(min=0, max=1, help="Where the bot sits.")] = 0,
    rules: RulesName = "tournament",
    seed: Annotated[str, typer.Option(callback=checked_seed, help="Seed of the deals and of the bots' chance.")] = "debug",
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    raw: Annotated[bool, typer.Option("--raw", help="Show the messages as they are sent.")] = False,
    late: Annotated[
        Phases | None,
        typer.Option("--from", help="Against sparring: the phase in which the bot joins the hand."),
    ] = None,
) -> None:
    """Show a hand as the bot sees it: each turn, its answer, what that cost, and what the bot writes to stderr meanwhile.

    Example: arena debug ./mine.py:Mine --hand 3

    The same seed shows the same hand again. Exit code 1, if the bot commits a fault.
    """
    log_nowhere()  # faults are shown as lines
    request = DebugRequest(bot=bot, against=against, rules=rules, time=time, sandbox=sandbox)
    choice = HandChoice(hand=hand, seat=seat, seed=seed, raw=raw, late=Phase(late) if late else None)
    if not debugging.debug(request, choice, print_lines):
        raise typer.Exit(1)
