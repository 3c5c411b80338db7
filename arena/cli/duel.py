"""``arena duel``: two bots, until it is known which is stronger."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli import progress
from arena.cli.lines import print_json
from arena.cli.options import (
    Alpha,
    AsJson,
    Beta,
    Deterministic,
    Leg,
    Legs,
    LogLevel,
    MostHands,
    Quiet,
    RulesName,
    SandboxName,
    Scheduler,
    SecretSeed,
    TimeText,
    Where,
    executor_options,
)
from arena.cli.terminal import print_lines
from arena.compare import duel as compare
from arena.plugins import manager
from arena.reports.verdict import same_program
from arena.results.publish import publish_comparison
from arena.runs import choice
from arena.runs.play import Runner
from arena.tournament.formats.tested import LEG


def duel(
    a: Annotated[str, typer.Argument(help="A bot: an installed one's name, path/to/bot.py, or path/to/bot.yaml.")],
    b: Annotated[str, typer.Argument(help="The bot to compare it with.")],
    *,
    statistic: Annotated[
        Literal["points", "equity", "games", "matches"],
        typer.Option(help="What is compared: points a hand; percent of a game that a hand wins; games or matches won, in Elo."),
    ] = "points",
    bounds: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="LOW HIGH", help="Better than LOW, or not as good as HIGH? By default 0 0.5; Elo: 0 20."),
    ] = None,
    hands: MostHands = 20_000,
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
    leg: Leg = LEG,
    assume_deterministic: Deterministic = False,
    rules: RulesName = "tournament",
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    executor: Where = "local",
    scheduler: Scheduler = None,
    workers: Legs = None,
    results: Annotated[Path | None, typer.Option(help="Folder of this duel; by default one in results/.")] = None,
    more: Annotated[
        bool, typer.Option("--continue", help="Play up to --hands more of an undecided duel, with fresh deals and a new seed.")
    ] = False,
    seed: SecretSeed = None,
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play two bots on the same deals from both seats, until it is known which is stronger, and no longer.

    Example: arena duel greedy cautious

    A verdict is wrong at most one time in twenty, for every bot and whenever you stop, about the mean of hands held to ±60 points,
    if decks are independent and secret, blocks of deals share nothing, and conditions do not change.

    The same command resumes a duel that was stopped; --continue plays on after "undecided".
    """
    runner = Runner(manager.load(), executor, workers, options=executor_options(scheduler))
    field = choice.resolve((a, b), ("", "2"))
    terms = compare.Terms(
        statistic=statistic,
        bounds=bounds or compare.usual_bounds(statistic),
        alpha=alpha,
        beta=beta,
        hands=hands,
        leg=leg,
        skip=assume_deterministic,
        rules=rules,
        time=time,
        sandbox=sandbox,
    )
    if more:
        plan, folder = compare.open_next_part(partial(compare.duel, field), terms, seed, results)
    else:
        plan, folder = compare.open_duel(field, terms, seed, results)
    finished = compare.play_comparison(plan, folder, runner, progress.of_comparison(quiet=quiet), log_level)
    lines = publish_comparison(folder) if finished.folder else [same_program(field[0].name, field[1].name)]
    if json:
        print_json("duel", compare.answer(plan, finished))
    else:
        print_lines([*lines, *compare.lines_of_parts(finished)])
    if finished.folder:
        folder.mark_reported()
