"""``arena debug``: a hand of a bot, turn by turn while it is played."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli.options import Bot, RulesName, SandboxName, ShownHand, TimeText, checked_seed
from arena.cli.terminal import print_lines
from arena.gin.hand import Phase
from arena.results.recorded import RecordedDecision, ask_again
from arena.runs import debug as debugging
from arena.runs.debug import DebugRequest, HandChoice
from arena.runs.logs import log_nowhere
from arena.store.folder import existing

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
    recorded: Annotated[
        tuple[Path, str, str, int] | None,
        typer.Option(metavar="RUN FIXTURE HAND TURN", help="Ask a bot of a run, or another, for a decision on record instead."),
    ] = None,
) -> None:
    """Show a hand as the bot sees it: each turn, its answer, what that cost, and what the bot writes to stderr meanwhile.

    Example: arena debug ./mine.py:Mine --hand 3

    The same seed shows the same hand again. With --recorded the hand is one of a run, as a replay prints it: the bot gets the
    messages of the seat that acts in that turn, and its answers stand beside what was played. Exit code 1, if the bot commits a
    fault.
    """
    log_nowhere()  # faults are shown as lines
    if recorded:
        run, fixture, name, turn = recorded
        decision = RecordedDecision(fixture=fixture, hand=name, turn=turn)
        if not ask_again(bot, existing(run), decision, sandbox, raw=raw, show=print_lines):
            raise typer.Exit(1)
        return
    request = DebugRequest(bot=bot, against=against, rules=rules, time=time, sandbox=sandbox)
    choice = HandChoice(hand=hand, seat=seat, seed=seed, raw=raw, late=Phase(late) if late else None)
    if not debugging.debug(request, choice, print_lines):
        raise typer.Exit(1)
