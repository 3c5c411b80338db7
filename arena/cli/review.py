"""``arena review``: where a bot loses its points."""

from typing import Annotated

import typer

from arena.cli import progress
from arena.cli.lines import print_json
from arena.cli.options import MOST_HANDS, AsJson, Nearby, Quiet, RunDir, Scheduler, checked_seed, executor_options
from arena.cli.terminal import print_error, print_lines
from arena.plugins import manager
from arena.reports.reviewed import review_lines
from arena.results.publish import rewritten
from arena.results.reviews.reviewable import ReviewRequest
from arena.results.reviews.reviewer import RunReviewer
from arena.runs.logs import log_nowhere
from arena.runs.play import Runner
from arena.store.folder import existing
from arena.store.store import Store


def review(
    run_dir: RunDir,
    fixture: Annotated[str | None, typer.Argument(help="Review only this fixture.", show_default=False)] = None,
    hand: Annotated[str | None, typer.Argument(help="Review only this hand of it, as 0.3.", show_default=False)] = None,
    *,
    bot: Annotated[str | None, typer.Option(help="Review only the decisions of this bot.", show_default=False)] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_HANDS,
            help="Most hands of each bot that are priced, evenly spaced; by default 100, and all of a fixture.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[str, typer.Option(callback=checked_seed, help="Seed of the sampled cards.")] = "review",
    executor: Nearby = "local",
    scheduler: Scheduler = None,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Reviews at a time; by default one for each core.")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show where bots lose their points, with every decision judged from what its seat knew.

    Example: arena review results/quickstart-2026-01-31 --bot greedy

    The error rate says how many more points a hand the reviewer's policy would score in the bot's place; below zero, the bot plays
    better. A price is what the best alternative gains. Both are points a hand, with two standard errors. A single hand gives no
    standard error for the error rate: no ± is shown then, and --json has null. The error rate is measured on up
    to four times as many hands as are priced, because hands differ much.

    What was reviewed is kept in the folder: the same command resumes, and the run's reports, which are written again, show it.
    """
    log_nowhere()  # a lost worker is replaced, so warnings of it would only disturb
    folder = existing(run_dir)
    runner = Runner(manager.load(), executor, workers, options=executor_options(scheduler), warn=print_error)
    request = ReviewRequest(fixture=fixture, hand=hand, bot=bot, hands=hands, seed=seed)
    with Store(folder.database) as store, progress.count_bar("reviewed", "hands", quiet=quiet) as reviewed:
        found = RunReviewer(folder, store, runner).review(request, reviewed)
    if json:
        print_json("review", found)
    else:
        print_lines(review_lines(found, str(run_dir)))
    if not folder.is_locked():  # who plays the run writes its reports
        typer.echo(rewritten(folder), err=True)
