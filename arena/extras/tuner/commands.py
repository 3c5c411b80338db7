"""The commands ``arena tune`` and ``arena exploit``."""

import time as clock
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict, replace

from arena.cli import option_groups, options, progress
from arena.cli.terminal import print_result
from arena.extras.tuner import exploiting, outcome, rounds, setup
from arena.results.publish import publish_comparison
from arena.store.folder import Folder


@option_groups.spread
def tune(
    bot: Annotated[str, typer.Argument(help="A bot with parameters: a name, or path/to/bot.py.")],
    *,
    spec: Annotated[
        Path | None, typer.Option(help="A YAML file: which parameters, against whom; `arena docs compare` lists its keys.")
    ] = None,
    hands: Annotated[
        int | None, typer.Option(min=1000, max=10_000_000, help="Hands of the search; by default 20,000, or as in the spec.")
    ] = None,
    rules: Annotated[str | None, typer.Option(help="The ruleset, by name or as in a spec: '{name: standard, target: 30}'.")] = None,
    time: Annotated[str | None, typer.Option(help="Time limits as in a spec: '{per_turn: 0.5}'.")] = None,
    sandbox: option_groups.SandboxName = None,
    where: option_groups.Execution,
    results: Annotated[Path | None, typer.Option(help="Folder of this search; by default one in results/.")] = None,
    shown: option_groups.Presentation,
) -> None:
    """Find the best values of the parameters that a bot declares, and have a duel judge them on fresh deals.

    Example: arena tune mine.py:Mine --hands 40000

    With --sandbox none, bots on the Python SDK play the search in arena's own processes: only for bots that you trust. The duel at
    the end is that of `arena duel`, with its verdict. The same command resumes a search that was stopped.
    """
    said = {"hands": hands, "rules": rules, "time": time, "sandbox": sandbox, "workers": where.workers, "seed": shown.seed}
    asked = replace(setup.read_spec(spec), **{key: value for key, value in said.items() if value is not None})
    runner = option_groups.runner_of(where.executor, asked.workers)
    prepared = setup.set_up(bot, asked, spec.parent if spec else Path(), results)
    tuner, reason = rounds.search(prepared, runner, progress.teller(quiet=shown.quiet))
    found = outcome.judge(prepared, tuner, reason, runner, progress.of_comparison(quiet=shown.quiet), shown.log_level)
    folder = Folder(Path(found.verdict.results)) if found.verdict and found.verdict.results else None
    published = publish_comparison(folder) if folder else []
    charts = [f"Charts: {prepared.folder / outcome.PAGE}"] if any(one.curve for one in found.parameters) else []
    lines = chain(outcome.lines(found), charts, published, [outcome.advice(found)])
    print_result("tune", found, lines, json=shown.json)
    if folder:
        folder.mark_reported()


@option_groups.spread
def exploit(
    bot: options.Bot,
    *,
    stop_after: Annotated[
        float | None,
        typer.Option(min=0.01, max=100_000, metavar="MINUTES", help="End the search after so long; its last round is completed."),
    ] = None,
    hands: Annotated[int, typer.Option(min=1000, max=10_000_000, help="Hands of the search, at most.")] = 20_000,
    fresh: Annotated[int, typer.Option(min=4, max=10_000_000, help="Hands of the measurement, on fresh deals.")] = 4000,
    under: option_groups.Conditions,
    where: option_groups.Execution,
    results: Annotated[Path | None, typer.Option(help="Folder of this search; by default one in results/.")] = None,
    seed: option_groups.SecretSeed = None,
    quiet: option_groups.Quiet = False,
    json: option_groups.AsJson = False,
) -> None:
    """Tune an opponent against a bot, and measure on fresh deals how many points a hand it wins.

    Example: arena exploit mine.py:Mine --stop-after 10

    The points are a lower bound of the bot's exploitability: another opponent may win more.

    With --sandbox none, bots on the Python SDK play the search in arena's own processes: only for bots that you trust. The same
    command resumes a search or a measurement that was stopped, and continues a search that --stop-after ended.
    """
    end = None if stop_after is None else clock.monotonic() + 60 * stop_after
    spec = setup.TuneSpec(opponents=(bot,), hands=hands, verdict=fresh, seed=seed, workers=where.workers, **asdict(under))
    runner = where.runner()
    prepared = exploiting.set_up(bot, spec, results)
    tell = progress.teller(quiet=quiet)
    tuner, reason = rounds.search(prepared, runner, tell, lambda: end is not None and clock.monotonic() >= end)
    tell(f"the search is over; its best plays {fresh:,} fresh hands")
    found = exploiting.measure(prepared, tuner, reason, runner, progress.of_comparison(quiet=quiet))
    print_result("exploit", found, exploiting.lines(found), json=json)
    if found.fresh.results:
        Folder(Path(found.fresh.results)).mark_reported()
