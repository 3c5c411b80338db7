"""``arena duel``, ``match`` and ``race``: bots play against each other, to be compared."""

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec.structs import asdict

from arena.cli import option_groups, options, progress
from arena.cli.progress import Warnings
from arena.cli.terminal import is_screen, print_report, print_result, width
from arena.compare import continued, dueling
from arena.compare.batches import BatchRequest, play_batch
from arena.compare.dueling import DuelTerms
from arena.compare.races import RaceTerms, plan_race
from arena.results.publish import publish_comparison, write_reports
from arena.runs import chosen, starts
from arena.runs.play import play_run
from arena.stats.statements import RACE_ALPHA
from arena.tournament.formats.tested import LEG


@option_groups.spread
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
    under: option_groups.Conditions,
    where: option_groups.LegExecution,
    results: Annotated[Path | None, typer.Option(help="Folder of this duel; by default one in results/.")] = None,
    more: Annotated[
        bool, typer.Option("--continue", help="Play up to --hands more of an undecided duel, with fresh deals and a new seed.")
    ] = False,
    shown: option_groups.Presentation,
) -> None:
    """Play two bots on the same deals from both seats, until it is known which is stronger, and no longer.

    Example: arena duel greedy cautious

    A verdict is wrong at most one time in twenty, for every bot and whenever you stop, about the mean of hands held to ±40 points,
    if decks are independent and secret, blocks of deals share nothing, and conditions do not change.

    The same command resumes a duel that was stopped; --continue plays on after "undecided".
    """
    runner = where.runner()
    field = chosen.resolve((a, b), suffixes=("", "2"))
    terms = DuelTerms(
        statistic=statistic,
        bounds=bounds or dueling.usual_bounds(statistic),
        alpha=alpha,
        beta=beta,
        hands=hands,
        leg=leg,
        **asdict(under),
    )
    if more:
        start = continued.next_part(partial(dueling.duel, field), terms, shown.seed, results)
    else:
        start = starts.find_start(dueling.duel(field, terms, shown.seed), results)
    finished = dueling.play_comparison(start, runner, progress.of_comparison(quiet=shown.quiet), shown.log_level)
    same = f"{field[0].name} and {field[1].name} are the same program, so neither is better; nothing was played."
    lines = publish_comparison(start.folder, width()) if finished.folder else [same]
    earlier = (f"{part.hands} of these hands are in {part.results}" for part in finished.parts)
    print_result("duel", dueling.answer(start.plan, finished), chain(lines, earlier), json=shown.json)
    if finished.folder:
        start.folder.mark_reported()


@option_groups.spread
def match(
    a: options.Bot,
    b: options.Bot,
    *,
    hands: Annotated[int, typer.Option(min=4, max=10_000_000, help="Hands in all; half of them with the seats swapped.")] = 200,
    seed: options.Seed = None,
    under: option_groups.Conditions,
    workers: option_groups.Workers = None,
    quiet: option_groups.Quiet = False,  # noqa: ARG001 - it shows no progress anyway
    json: option_groups.AsJson = False,
) -> None:
    """Play single hands between two bots, each deal from both seats, and show points a hand with their 95 % interval.

    Example: arena match ./mine.py:Mine greedy --hands 1000

    Exit code 1, if a bot was at fault in a tenth of the hands or more; 3, if the match was stopped.
    """
    field = chosen.resolve((a, b), suffixes=("", "2"))
    request = BatchRequest(hands=hands, **asdict(under), seed=seed)
    score, stopped = play_batch(field, request, option_groups.runner_of("local", workers), Warnings())
    print_result("match", score.document(), score.lines(), json=json)
    if stopped:
        raise typer.Exit(3)
    if score.faulty:
        raise typer.Exit(1)


@option_groups.spread
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
        typer.Option(min=options.LEAST_CHANCE, max=options.MOST_CHANCE, help=str(RACE_ALPHA)),
    ] = 0.05,
    hands: Annotated[
        int, typer.Option(min=2, max=10_000_000, help="Undecided after this many hands, of all versions together.")
    ] = 100_000,
    leg: options.Leg = LEG,
    under: option_groups.Conditions,
    where: option_groups.LegExecution,
    results: Annotated[Path | None, typer.Option(help="Folder of this race; by default one in results/.")] = None,
    shown: option_groups.Presentation,
) -> None:
    """Play several versions of a bot on the same deals, drop each that is proved worse than another, and name the best.

    Example: arena race old.py:Mine new.py:Mine 'new.py:Mine(fear=3)'

    The answer is wrong with a chance of at most 5 %, for all versions together and whenever you stop, about the mean of hands
    held to ±40 points, if decks are independent and secret, blocks of deals share nothing, and conditions do not change.

    The same command resumes a race that was stopped.
    """
    runner = where.runner()
    terms = RaceTerms(within=within, alpha=alpha, hands=hands, leg=leg, **asdict(under))
    plan = plan_race((first, *others), against or (), terms, shown.seed)
    start = starts.find_start(plan, results)
    with progress.of(plan, quiet=shown.quiet) as observer:
        text = play_run(start, runner, observer, partial(write_reports, as_json=shown.json, brief=is_screen()), shown.log_level)
    print_report(text)
    start.folder.mark_reported()
