"""``arena match``: which of two bots is stronger, by how much, and how sure that is."""

from typing import Annotated

import typer

from arena.cli.lines import print_json
from arena.cli.options import AsJson, Bot, RulesName, SandboxName, Seed, TimeText, Workers
from arena.cli.progress import Warnings
from arena.cli.terminal import print_lines
from arena.compare.duel import BatchRequest, play_batch
from arena.plugins import manager
from arena.runs import choice
from arena.runs.play import Runner


def match(
    a: Bot,
    b: Bot,
    *,
    hands: Annotated[int, typer.Option(min=4, max=10_000_000, help="Hands in all; half of them with the seats swapped.")] = 200,
    seed: Seed = None,
    rules: RulesName = "tournament",
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    workers: Workers = None,
    json: AsJson = False,
) -> None:
    """Play single hands between two bots, each deal from both seats, and show points a hand with their 95 % interval.

    Example: arena match ./mine.py:Mine greedy --hands 1000

    Exit code 1, if a bot committed so many faults that it forfeited.
    """
    field = choice.resolve((a, b), ("", "2"))
    request = BatchRequest(hands=hands, rules=rules, time=time, sandbox=sandbox, seed=seed)
    batch = play_batch(field, request, Runner(manager.load(), workers=workers), Warnings())
    if json:
        print_json("match", batch.score.document())
    else:
        print_lines(batch.score.lines())
    if batch.stopped:
        raise typer.Exit(3)
    if batch.score.forfeits:
        raise typer.Exit(1)
