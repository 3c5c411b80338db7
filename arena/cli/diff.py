"""``arena diff``: what a change of a bot changed, decision by decision."""

from typing import Annotated

import typer
from msgspec import UNSET

from arena.cli.explained import Explain, explanation
from arena.cli.lines import print_json
from arena.cli.options import (
    MOST_HANDS,
    AsJson,
    Nearby,
    Quiet,
    RulesName,
    SandboxName,
    Scheduler,
    TimeText,
    checked_seed,
    executor_options,
)
from arena.cli.terminal import print_error, print_lines, width
from arena.compare import explain as explaining
from arena.compare.explain import Explanation
from arena.plugins import manager
from arena.runs import choice, plans
from arena.runs import diff as difference
from arena.runs.diff import DiffRequest, FoundDifference
from arena.runs.logs import log_nowhere
from arena.runs.play import Runner


def diff(
    old: Annotated[str, typer.Argument(help="The bot as it was: a name, path/to/bot.py, or path/to/bot.yaml.")],
    new: Annotated[str, typer.Argument(help="The bot as it is now.")],
    *,
    hands: Annotated[int, typer.Option(min=1, max=MOST_HANDS, help="Hands that the old bot plays against itself.")] = 100,
    seed: Annotated[str, typer.Option(callback=checked_seed, help="Seed of the deals and of the bots' chance.")] = "diff",
    rules: RulesName = "tournament",
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    executor: Nearby = "local",
    scheduler: Scheduler = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Legs of 25 hands at a time; by default one for each core.")
    ] = None,
    explain: Explain = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show the decisions that a change of a bot changed: the old bot plays itself, and the new one is asked each decision.

    Example: arena diff old/mine.py:Mine mine.py:Mine --explain

    Exit codes: 0 no decision differs, 1 some do.
    """
    log_nowhere()  # faults are shown as lines
    runner = Runner(manager.load(), executor, workers, options=executor_options(scheduler), warn=print_error)
    field = choice.resolve((old, new), ("", "new"))
    isolation = plans.sandbox(sandbox, [bot.entrant.launch for bot in field])
    request = DiffRequest(hands=hands, rules=plans.ruleset(rules), time=plans.time_limits(time), seed=seed, sandbox=isolation)
    found = difference.compare(field[0], field[1], request, runner)
    explained = explanation(found, runner, quiet=quiet) if explain else None
    print_difference(found, field[0].name, field[1].name, explained, json=json)


def print_difference(found: FoundDifference, old: str, new: str, explained: Explanation | None = None, *, json: bool) -> None:
    """Print how two bots differ, and what that gains if it is explained; exit code 1 if they differ."""
    for text in found.warnings:
        print_error(text)
    if json:
        print_json("diff", explaining.join(found.difference, explained or UNSET))
    else:
        print_lines(difference.lines(found, old, new, width()))
        print_lines(explaining.lines(explained, old, new, width()) if explained else ())
    if found.difference.differ:
        raise typer.Exit(1)
