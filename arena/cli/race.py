"""``arena race``: several versions of a bot, until it is known which is best."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.options import (
    LEAST_CHANCE,
    MOST_CHANCE,
    AsJson,
    Leg,
    Legs,
    LogLevel,
    Quiet,
    RulesName,
    SandboxName,
    Scheduler,
    SecretSeed,
    TimeText,
    Where,
    executor_options,
)
from arena.compare import race as compare
from arena.plugins import manager
from arena.results.publish import write_reports
from arena.runs import session
from arena.runs.play import Runner, play
from arena.tournament.formats.tested import LEG


def race(
    first: Annotated[str, typer.Argument(help="A bot: an installed one's name, path/to/bot.py, or path/to/bot.yaml.")],
    others: Annotated[list[str], typer.Argument(help="The other versions; leads are shown over the first.")],
    *,
    against: Annotated[
        list[str] | None, typer.Option(help="A bot that all versions play; repeat it for several. By default the first version.")
    ] = None,
    within: Annotated[
        float, typer.Option(min=0.01, max=59.0, help="Points a hand by which the best may still be better than the answer.")
    ] = 0.5,
    alpha: Annotated[
        float, typer.Option(min=LEAST_CHANCE, max=MOST_CHANCE, help="The chance of a wrong answer, for all versions together.")
    ] = 0.05,
    hands: Annotated[
        int, typer.Option(min=2, max=10_000_000, help="Undecided after this many hands, of all versions together.")
    ] = 100_000,
    leg: Leg = LEG,
    rules: RulesName = "tournament",
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    executor: Where = "local",
    scheduler: Scheduler = None,
    workers: Legs = None,
    results: Annotated[Path | None, typer.Option(help="Folder of this race; by default one in results/.")] = None,
    seed: SecretSeed = None,
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play several versions of a bot on the same deals, put out each that does worse than another, and name the best.

    Example: arena race old.py:Mine new.py:Mine 'new.py:Mine(fear=3)'

    The answer is wrong with a chance of at most 5 %, for all versions together and whenever you stop, about the mean of hands
    held to ±60 points, if decks are independent and secret, blocks of deals share nothing, and conditions do not change.

    The same command resumes a race that was stopped.
    """
    runner = Runner(manager.load(), executor, workers, options=executor_options(scheduler))
    terms = compare.RaceTerms(within=within, alpha=alpha, hands=hands, leg=leg, rules=rules, time=time, sandbox=sandbox)
    plan = compare.race((first, *others), against or (), terms, seed)
    folder = session.folder_of(plan, results)
    with progress.of(plan, quiet=quiet) as observer:
        text = play(plan, folder, runner, observer, partial(write_reports, as_json=json), log_level)
    typer.echo(text)
    folder.mark_reported()
