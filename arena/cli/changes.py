"""What a change of a bot changed: its strength (``arena regress``) and its decisions (``arena diff``)."""

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from msgspec import UNSET
from msgspec.structs import asdict, replace

from arena.cli import option_groups, options, progress
from arena.cli.new import check_writable
from arena.cli.terminal import print_error, print_result, width
from arena.compare import bisection, dueling, explaining, explanation, regression
from arena.compare.dueling import DuelTerms, Finished
from arena.compare.explanation import ExplainedDifference, Explanation
from arena.compare.junit import write_junit
from arena.compare.regression import ChangedDecisions, PlannedPart, Regression
from arena.errors import InputError
from arena.players.sandboxes import NoSandbox
from arena.results.publish import publish_comparison
from arena.roster.entrant import same_program
from arena.runs import chosen, difference_words, differences, named_parts, starts
from arena.runs.chosen import ResolvedBot
from arena.runs.differences import DiffRequest, FoundDifference
from arena.runs.logs import log_nowhere
from arena.runs.runner import Runner
from arena.stats.statements import SEARCHED
from arena.store.folder import Folder
from arena.tournament.formats.tested import LEG

Explain = Annotated[bool, typer.Option("--explain", help="Price each decision that differs; a hundred take some seconds.")]


def changed_decisions(
    old: ResolvedBot, new: ResolvedBot, under: DuelTerms | option_groups.Conditions, runner: Runner, hands: int, seed: str = "diff"
) -> FoundDifference:
    """Return the decisions of the old bot that the new one makes differently. Raises: as ``arena.runs.differences.compare``."""
    isolation = named_parts.sandbox(under.sandbox, [old.entrant.launch, new.entrant.launch])
    rules, time = named_parts.ruleset(under.rules), named_parts.time_limits(under.time)
    return differences.compare(old, new, DiffRequest(hands=hands, rules=rules, time=time, seed=seed, sandbox=isolation), runner)


def explain_changes(found: FoundDifference, runner: Runner, *, quiet: bool) -> Explanation:
    """Return the gains of the changed decisions, and show the progress. Raises: WorkerLostError."""
    with progress.count_bar("priced", "changed decisions", quiet=quiet) as priced:
        return explaining.explain(found, runner, priced)


HANDS = 100  # that the old bot plays against itself
MODEL = "ARENA_BOT_URL"  # the variable that says which language model bots ask; the name of a bot may follow it


@option_groups.spread
def regress(
    candidate: Annotated[str, typer.Argument(help="The bot as it is now: a name, path/to/bot.py, or path/to/bot.yaml.")],
    *,
    against: Annotated[str, typer.Option(help="The bot as it was.")],
    gauntlet: Annotated[
        list[str] | None, typer.Option(help="An opponent that both meet on the same deals; may be given several times.")
    ] = None,
    stronger: Annotated[bool, typer.Option("--stronger", help="Ask for more than not weaker, head to head.")] = False,
    within: Annotated[float, typer.Option(min=0.01, max=30, help="Points a hand between the two bounds, head to head.")] = 0.5,
    field_within: Annotated[
        float, typer.Option("--within-field", min=0.01, max=30, help="Points a hand between the two bounds, against the field.")
    ] = regression.FIELD_WITHIN,
    hands: options.MostHands = 20_000,
    fixed: Annotated[
        int | None,
        typer.Option(min=2, max=10_000_000, help="Play exactly this number of hands and judge once, as against a frozen release."),
    ] = None,
    alpha: options.Alpha = 0.05,
    beta: options.Beta = 0.05,
    leg: options.Leg = LEG,
    bisect: Annotated[
        bool,
        typer.Option(
            "--bisect",
            help=f"For `git bisect run`: {SEARCHED}; exit code 125 for all but a verdict, so that git skips the commit.",
        ),
    ] = False,
    explain: Explain = False,
    junit: Annotated[Path | None, typer.Option(help="Write the outcome as JUnit XML too.")] = None,
    under: option_groups.Conditions,
    where: option_groups.LegExecution,
    results: Annotated[Path | None, typer.Option(help="Folder for the two runs; by default folders in results/.")] = None,
    shown: option_groups.Presentation,
) -> None:
    """Tell whether a bot is not weaker than its baseline: head to head, then against the field on common deals.

    Example: arena regress mine.py:Mine --against release/mine.py:Mine --gauntlet greedy

    A verdict is wrong at most one time in twenty, for every bot and whenever you stop, about the mean of hands held to ±40 points,
    if decks are independent and secret, blocks of deals share nothing, and conditions do not change.

    Both parts are one question; asked again, it continues its evidence. The best baseline is a pinned release.

    Exit codes: 0 not weaker (stronger, if asked), 4 weaker (not stronger), 5 undecided at the limit of hands; with --bisect 125 for
    undecided and for every failure.
    """
    terms = DuelTerms(
        bounds=(0.0, within) if stronger else (-within, 0.0),
        alpha=alpha,
        beta=beta,
        hands=fixed or hands,
        leg=leg,
        until="limit" if fixed else "verdict",
        **asdict(under),
    )
    runner = where.runner(print_error)
    opponents = gauntlet or []
    _check_request(opponents, junit)
    field = chosen.resolve((candidate, against, *opponents), suffixes=("candidate", "baseline", *["opponent"] * len(opponents)))
    planned = regression.plan_parts(field, terms, shown.seed, field_within, results)
    planned, notes = regression.at_levels(planned, bisection.bisection_test() if bisect else None)
    for note in notes:
        print_error(note)
    player = _Player(field, terms, runner, shown.log_level, quiet=shown.quiet)
    answered = tuple(regression.answers(planned, player.play))
    found = regression.conclude(planned, answered, notes, stronger=stronger)
    if player.found or explain:
        found = replace(found, decisions=ChangedDecisions.of(player.decisions().difference))
    if explain:
        found = replace(found, explanation=explain_changes(player.decisions(), runner, quiet=shown.quiet))
    if junit:
        write_junit(junit, found)
    _show(found, json=shown.json)
    raise typer.Exit(found.exit_code)


def _check_request(opponents: Sequence[str], junit: Path | None) -> None:
    """Check the options before anything is read or played. Raises: InputError."""
    if repeated := {one for one in opponents if opponents.count(one) > 1}:
        raise InputError(f"--gauntlet: {min(repeated)!r} is named more than once; expected every opponent once")
    if junit:
        check_writable(junit)


def _show(found: Regression, *, json: bool) -> None:
    """Write the reports of the parts that were played now, print the outcome, and mark them as reported."""
    folders = {part.question: Folder(Path(part.results)) for part in found.parts if part.results}
    reports = {question: publish_comparison(folder, width()) for question, folder in folders.items()}
    print_result("regress", found, regression.lines(found, reports, width()), json=json)
    for folder in folders.values():
        folder.mark_reported()


class _Player:
    """Plays the parts of the question. Before the first it prints how many decisions differ, which uses up no chance of error.

    It does not where bots may ask a language model: to count them asks it thousands of times.
    """

    def __init__(self, field: Sequence[ResolvedBot], terms: DuelTerms, runner: Runner, log_level: str, *, quiet: bool) -> None:
        self._field = field
        self._terms = terms
        self._runner = runner
        self._log_level = log_level
        self._quiet = quiet
        self.found: FoundDifference | None = None

    def play(self, part: PlannedPart, terms: DuelTerms) -> Finished:
        """Play what is left of a part on some terms."""
        start = part.start(terms)
        asks_models = isinstance(start.plan.spec.sandbox, NoSandbox) and MODEL in " ".join(os.environ)
        if not same_program(*start.plan.field[:2]) and not asks_models:
            with starts.open_run(start.folder):  # fails before anything is played if another process plays it
                self.decisions()
        observer = progress.of_comparison(part.name, quiet=self._quiet)
        return dueling.play_comparison(start, self._runner, observer, self._log_level)

    def decisions(self) -> FoundDifference:
        """Return the decisions of the baseline that the candidate makes differently; the first call prints their number."""
        if self.found is None:
            candidate, baseline = self._field[:2]
            self.found = changed_decisions(baseline, candidate, self._terms, self._runner, HANDS)
            found = self.found.difference
            for text in self.found.warnings:
                print_error(text)
            progress.teller(quiet=self._quiet)(difference_words.summary(found.decisions, found.kinds))
        return self.found


@option_groups.spread
def diff(
    old: Annotated[str, typer.Argument(help="The bot as it was: a name, path/to/bot.py, or path/to/bot.yaml.")],
    new: Annotated[str, typer.Argument(help="The bot as it is now.")],
    *,
    hands: Annotated[int, typer.Option(min=1, max=options.MOST_HANDS, help="Hands that the old bot plays against itself.")] = HANDS,
    seed: Annotated[str, typer.Option(callback=options.checked_seed, help="Seed of the deals and of the bots' chance.")] = "diff",
    under: option_groups.Conditions,
    executor: option_groups.Where = "local",
    workers: options.AskedBatches = None,
    explain: Explain = False,
    quiet: option_groups.Quiet = False,
    json: option_groups.AsJson = False,
) -> None:
    """Show the decisions that a change of a bot changed: the old bot plays itself, and the new one is asked each decision.

    Example: arena diff old/mine.py:Mine mine.py:Mine --explain

    Exit codes: 0 no decision differs, 1 some do.
    """
    log_nowhere()  # faults are shown as lines
    runner = option_groups.runner_of(executor, workers, print_error)
    before, after = chosen.resolve((old, new), suffixes=("", "new"))
    found = changed_decisions(before, after, under, runner, hands, seed)
    explained = explain_changes(found, runner, quiet=quiet) if explain else None
    print_difference(found, before.name, after.name, explained, json=json)


def print_difference(found: FoundDifference, old: str, new: str, explained: Explanation | None = None, *, json: bool) -> None:
    """Print how two bots differ, and the gains of the changed decisions if ``explained``. Raises: Exit, code 1, if they differ."""
    for text in found.warnings:
        print_error(text)
    gains = explanation.lines(explained, old, new, width()) if explained else ()
    document = ExplainedDifference(**asdict(found.difference), explanation=explained or UNSET)
    print_result("diff", document, chain(difference_words.lines(found, old, new, width()), gains), json=json)
    if found.difference.differ:
        raise typer.Exit(1)
