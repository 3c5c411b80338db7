"""The commands that play bots against each other to compare, rate or tune them."""

import time as clock
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec.structs import asdict, replace

from arena.cli import options, progress
from arena.cli.progress import Warnings
from arena.cli.terminal import print_result
from arena.compare import duel as dueling
from arena.compare import exploiting, tuning
from arena.compare import rate as rating
from arena.compare.duel import BatchRequest, RaceTerms, play_batch
from arena.compare.duel import race as set_up_race
from arena.reports.verdict import same_program
from arena.results.publish import publish_comparison, write_reports
from arena.runs import plans, session
from arena.runs.play import play
from arena.store.folder import Folder
from arena.tournament.formats.tested import LEG


@options.spread
def duel(
    a: Annotated[str, typer.Argument(help="A bot: an installed one's name, path/to/bot.py, or path/to/bot.yaml.")],
    b: Annotated[str, typer.Argument(help="The bot to compare it with.")],
    *,
    statistic: Annotated[
        Literal["points", "equity", "games", "matches"],
        typer.Option(
            help="Points a hand; the percent by which a hand raises the chance to win the game; games or matches won, in Elo."
        ),
    ] = "points",
    bounds: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="LOW HIGH",
            help="The duel decides whether A is better than LOW or not as good as HIGH. By default 0 0.5; equity 0 0.15; Elo 0 20.",
        ),
    ] = None,
    hands: options.MostHands = 20_000,
    alpha: options.Alpha = 0.05,
    beta: options.Beta = 0.05,
    leg: options.Leg = LEG,
    assume_deterministic: options.Deterministic = False,
    under: options.Conditions,
    where: options.LegExecution,
    results: Annotated[Path | None, typer.Option(help="Folder of this duel; by default one in results/.")] = None,
    more: Annotated[
        bool, typer.Option("--continue", help="Play up to --hands more of an undecided duel, with fresh deals and a new seed.")
    ] = False,
    shown: options.Presentation,
) -> None:
    """Play two bots on the same deals from both seats, until it is known which is stronger, and no longer.

    Example: arena duel greedy cautious

    A verdict is wrong at most one time in twenty, for every bot and whenever you stop, about the mean of hands held to ±60 points,
    if decks are independent and secret, blocks of deals share nothing, and conditions do not change.

    The same command resumes a duel that was stopped; --continue plays on after "undecided".
    """
    runner = where.runner()
    field = plans.resolve((a, b), suffixes=("", "2"))
    terms = dueling.Terms(
        statistic=statistic,
        bounds=bounds or dueling.usual_bounds(statistic),
        alpha=alpha,
        beta=beta,
        hands=hands,
        leg=leg,
        skip=assume_deterministic,
        **asdict(under),
    )
    if more:
        start = dueling.next_part(partial(dueling.duel, field), terms, shown.seed, results)
    else:
        start = session.find_start(dueling.duel(field, terms, shown.seed), results)
    finished = dueling.play_comparison(start, runner, progress.of_comparison(quiet=shown.quiet), shown.log_level)
    # without a folder nothing was played: both are the same program
    lines = publish_comparison(start.folder) if finished.folder else [same_program(field[0].name, field[1].name)]
    print_result("duel", dueling.answer(start.plan, finished), chain(lines, dueling.lines_of_parts(finished)), json=shown.json)
    if finished.folder:
        start.folder.mark_reported()


@options.spread
def match(
    a: options.Bot,
    b: options.Bot,
    *,
    hands: Annotated[int, typer.Option(min=4, max=10_000_000, help="Hands in all; half of them with the seats swapped.")] = 200,
    seed: options.Seed = None,
    under: options.Conditions,
    workers: options.Workers = None,
    json: options.AsJson = False,
) -> None:
    """Play single hands between two bots, each deal from both seats, and show points a hand with their 95 % interval.

    Example: arena match ./mine.py:Mine greedy --hands 1000

    Exit code 1, if a bot committed so many faults that it forfeited; 3, if the match was stopped.
    """
    field = plans.resolve((a, b), suffixes=("", "2"))
    request = BatchRequest(hands=hands, **asdict(under), seed=seed)
    score, stopped = play_batch(field, request, options.runner_of("local", workers), Warnings())
    print_result("match", score.document(), score.lines(), json=json)
    if stopped:
        raise typer.Exit(3)
    if score.forfeits:
        raise typer.Exit(1)


@options.spread
def race(
    first: Annotated[str, typer.Argument(help="A bot: an installed one's name, path/to/bot.py, or path/to/bot.yaml.")],
    others: Annotated[list[str], typer.Argument(help="The other versions; the lead of each over the first is shown.")],
    *,
    against: Annotated[
        list[str] | None, typer.Option(help="A bot that all versions play; repeat it for several. By default the first version.")
    ] = None,
    within: Annotated[
        float,
        typer.Option(
            min=0.01, max=59.0, help="End when no version can be better than the answer by more than this, in points a hand."
        ),
    ] = 0.5,
    alpha: Annotated[
        float,
        typer.Option(
            min=options.LEAST_CHANCE, max=options.MOST_CHANCE, help="The chance of a wrong answer, for all versions together."
        ),
    ] = 0.05,
    hands: Annotated[
        int, typer.Option(min=2, max=10_000_000, help="Undecided after this many hands, of all versions together.")
    ] = 100_000,
    leg: options.Leg = LEG,
    under: options.Conditions,
    where: options.LegExecution,
    results: Annotated[Path | None, typer.Option(help="Folder of this race; by default one in results/.")] = None,
    shown: options.Presentation,
) -> None:
    """Play several versions of a bot on the same deals, drop each that is proved worse than another, and name the best.

    Example: arena race old.py:Mine new.py:Mine 'new.py:Mine(fear=3)'

    The answer is wrong with a chance of at most 5 %, for all versions together and whenever you stop, about the mean of hands
    held to ±60 points, if decks are independent and secret, blocks of deals share nothing, and conditions do not change.

    The same command resumes a race that was stopped.
    """
    runner = where.runner()
    terms = RaceTerms(within=within, alpha=alpha, hands=hands, leg=leg, **asdict(under))
    plan = set_up_race((first, *others), against or (), terms, shown.seed)
    start = session.find_start(plan, results)
    with progress.of(plan, quiet=shown.quiet) as observer:
        text = play(start, runner, observer, partial(write_reports, as_json=shown.json), shown.log_level)
    typer.echo(text)
    start.folder.mark_reported()


@options.spread
def rate(
    bot: Annotated[str, typer.Argument(help="A bot: an installed one's name, path/to/bot.py, or path/to/bot.yaml.")],
    *,
    hands: Annotated[int, typer.Option(min=1_000, max=1_000_000, help="Hands to play.")] = rating.HANDS,
    sandbox: options.SandboxName = None,
    where: options.LegExecution,
    results: Annotated[Path | None, typer.Option(help="Folder of this rating; by default one in results/.")] = None,
    quiet: options.Quiet = False,
    log_level: options.LogLevel = "INFO",
    json: options.AsJson = False,
) -> None:
    """Rate a bot in points a hand on a scale with fixed opponents and fixed deals, which is the same on every machine.

    Example: arena rate mine.py

    The opponents, from random play to the strongest, come with arena and are checked by their digests. The deals are known, so a
    rating is for comparison with other ratings of the scale, not for a league. The same command resumes a rating that was stopped.
    """
    plan = rating.rate(bot, hands, sandbox)
    start = session.find_start(plan, results)
    with progress.of(plan, quiet=quiet) as observer:
        text = play(start, where.runner(), observer, partial(write_reports, as_json=False), log_level)
    found = rating.read_rating(plan, start.folder)
    print_result("rate", found, [*text.split("\n"), *found.lines()], json=json)
    start.folder.mark_reported()


@options.spread
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
    sandbox: options.SandboxName = None,
    where: options.Execution,
    results: Annotated[Path | None, typer.Option(help="Folder of this search; by default one in results/.")] = None,
    shown: options.Presentation,
) -> None:
    """Find the best values of the parameters that a bot declares, and have a duel judge them on fresh deals.

    Example: arena tune mine.py:Mine --hands 40000

    With --sandbox none, bots on the Python SDK play the search in arena's own processes: only for bots that you trust. The duel at
    the end is that of `arena duel`, with its verdict. The same command resumes a search that was stopped.
    """
    said = {"hands": hands, "rules": rules, "time": time, "sandbox": sandbox, "workers": where.workers, "seed": shown.seed}
    asked = replace(tuning.read_spec(spec), **{key: value for key, value in said.items() if value is not None})
    runner = options.runner_of(where.executor, asked.workers, where.scheduler)
    prepared = tuning.set_up(bot, asked, spec.parent if spec else Path(), results)
    tuner, reason = tuning.search(prepared, runner, progress.teller(quiet=shown.quiet))
    found = tuning.judge(prepared, tuner, reason, runner, progress.of_comparison(quiet=shown.quiet), shown.log_level)
    folder = Folder(Path(found.verdict.results)) if found.verdict and found.verdict.results else None
    published = publish_comparison(folder) if folder else []
    kept = [f"Play it as {found.best!r}, or write the values into its class."] if found.verdict else []
    lines = chain(tuning.lines(found), [f"Charts: {prepared.folder / tuning.PAGE}", *published, *kept])
    print_result("tune", found, lines, json=shown.json)
    if folder:
        folder.mark_reported()


@options.spread
def exploit(
    bot: options.Bot,
    *,
    stop_after: Annotated[
        float | None,
        typer.Option(min=0.01, max=100_000, metavar="MINUTES", help="End the search after so long; its last round is completed."),
    ] = None,
    hands: Annotated[int, typer.Option(min=1000, max=10_000_000, help="Hands of the search, at most.")] = 20_000,
    fresh: Annotated[int, typer.Option(min=4, max=10_000_000, help="Hands of the measurement, on fresh deals.")] = 4000,
    under: options.Conditions,
    where: options.Execution,
    results: Annotated[Path | None, typer.Option(help="Folder of this search; by default one in results/.")] = None,
    seed: options.SecretSeed = None,
    quiet: options.Quiet = False,
    json: options.AsJson = False,
) -> None:
    """Tune an opponent against a bot, and measure on fresh deals how many points a hand it wins.

    Example: arena exploit mine.py:Mine --stop-after 10

    The points are a lower bound of the bot's exploitability: another opponent may win more.

    With --sandbox none, bots on the Python SDK play the search in arena's own processes: only for bots that you trust. The same
    command resumes a search that was stopped, and continues one that --stop-after ended. Exit code 1, if a bot forfeited the
    measurement; 3, if it was stopped.
    """
    end = None if stop_after is None else clock.monotonic() + 60 * stop_after
    spec = tuning.TuneSpec(opponents=(bot,), hands=hands, verdict=fresh, seed=seed, workers=where.workers, **asdict(under))
    runner = where.runner()
    prepared = exploiting.set_up(bot, spec, results)
    tell = progress.teller(quiet=quiet)
    tuner, reason = tuning.search(prepared, runner, tell, lambda: end is not None and clock.monotonic() >= end)
    tell(f"the search is over; its best plays {fresh:,} fresh hands")
    found, stopped = exploiting.measure(prepared, tuner, reason, runner, Warnings())
    print_result("exploit", found, exploiting.lines(found), json=json)
    if stopped:
        raise typer.Exit(3)
    if found.fresh.forfeits:
        raise typer.Exit(1)
