"""``arena tune``: the best values of a bot's parameters."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from arena.cli import progress
from arena.cli.lines import print_json
from arena.cli.options import AsJson, LogLevel, Quiet, SandboxName, Scheduler, SecretSeed, Where, Workers, executor_options
from arena.cli.terminal import print_lines
from arena.compare import tuning
from arena.plugins import manager
from arena.results.publish import publish_comparison
from arena.runs.play import Runner
from arena.store.folder import Folder


def tune(
    bot: Annotated[str, typer.Argument(help="A bot with parameters: a name, or path/to/bot.py.", show_default=False)],
    *,
    spec: Annotated[
        Path | None, typer.Option(help="A YAML file: which parameters, against whom; `arena docs compare` lists its keys.")
    ] = None,
    hands: Annotated[
        int | None, typer.Option(min=1000, max=10_000_000, help="Hands of the search; by default 20,000, or as in the spec.")
    ] = None,
    rules: Annotated[str | None, typer.Option(help="The ruleset, by name or as in a spec: '{name: standard, target: 30}'.")] = None,
    time: Annotated[str | None, typer.Option(help="Time limits as in a spec: '{per_turn: 0.5}'.")] = None,
    sandbox: SandboxName = None,
    executor: Where = "local",
    scheduler: Scheduler = None,
    workers: Workers = None,
    results: Annotated[Path | None, typer.Option(help="Folder of this search; by default one in results/.")] = None,
    seed: SecretSeed = None,
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Find the best values of the parameters that a bot declares, and have a duel judge them on fresh deals.

    Example: arena tune mine.py:Mine --hands 40000

    With --sandbox none, bots on the Python SDK play the search in arena's own processes: for your own bots. The duel at the end is
    that of `arena duel`, with its verdict. The same command resumes a search that was stopped.
    """
    said = {"hands": hands, "rules": rules, "time": time, "sandbox": sandbox, "workers": workers, "seed": seed}
    asked = replace(tuning.read_spec(spec), **{key: value for key, value in said.items() if value is not None})
    runner = Runner(manager.load(), executor, asked.workers, options=executor_options(scheduler))
    tuned = tuning.set_up(bot, asked, spec.parent if spec else Path(), results)
    tuner, reason = tuning.search(tuned, runner, progress.teller(quiet=quiet))
    found = tuning.judge(tuned, tuner, reason, runner, progress.of_comparison(quiet=quiet), log_level)
    folder = Folder(Path(found.verdict.results)) if found.verdict and found.verdict.results else None
    published = publish_comparison(folder) if folder else []
    if json:
        print_json("tune", found)
    else:
        kept = [f"Play it as {found.best!r}, or write the values into its class."] if found.verdict else []
        print_lines([*tuning.lines(found), f"Charts: {tuned.folder / tuning.PAGE}", *published, *kept])
    if folder:
        folder.mark_reported()
