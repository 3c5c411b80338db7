"""The command ``arena rate``."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import option_groups, progress
from arena.cli.terminal import print_result
from arena.extras.rate.rating import HANDS, plan_rating, read_rating
from arena.results.publish import write_reports
from arena.runs import starts
from arena.runs.play import play_run


@option_groups.spread
def rate(
    bot: Annotated[str, typer.Argument(help="A bot: an installed one's name, path/to/bot.py, or path/to/bot.yaml.")],
    *,
    hands: Annotated[int, typer.Option(min=1_000, max=1_000_000, help="Hands to play.")] = HANDS,
    sandbox: option_groups.SandboxName = None,
    where: option_groups.LegExecution,
    results: Annotated[Path | None, typer.Option(help="Folder of this rating; by default one in results/.")] = None,
    quiet: option_groups.Quiet = False,
    log_level: option_groups.LogLevel = "INFO",
    json: option_groups.AsJson = False,
) -> None:
    """Rate a bot in points a hand on a scale with fixed opponents and fixed deals, which is the same on every machine.

    Example: arena rate mine.py

    The opponents, from random play to the strongest, come with arena and are checked by their digests. The deals are known, so a
    rating is for comparison with other ratings of the scale, not for a league. The same command resumes a rating that was stopped.
    """
    plan = plan_rating(bot, hands, sandbox)
    start = starts.find_start(plan, results)
    with progress.of(plan, quiet=quiet) as observer:
        text = play_run(start, where.runner(), observer, partial(write_reports, as_json=False), log_level)
    found = read_rating(plan, start.folder)
    print_result("rate", found, [*text.split("\n"), *found.lines()], json=json)
    start.folder.mark_reported()
