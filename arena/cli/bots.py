"""``arena bots`` and ``arena debug``: the bots that can be entered, a test of one, and a hand of one turn by turn."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import Struct
from msgspec.json import encode, format

from arena.cli.checked_app import plain_app
from arena.cli.new import check_writable, new
from arena.cli.option_groups import AsJson, Quiet, RulesName, SandboxName, TimeText
from arena.cli.options import MOST_HANDS, Bot, ShownHand, checked_seed
from arena.cli.terminal import print_lines, print_result, width
from arena.errors import ArenaError, InputError, RosterError
from arena.gin.match import Phase
from arena.players.orphans import ending_orphans
from arena.plugins import consent
from arena.results.recorded import RecordedDecision, ask_again
from arena.roster.finder import find, invalid_entry_points, names
from arena.runs import debugging
from arena.runs.audition_steps import describe
from arena.runs.debugging import HandChoice
from arena.runs.intake_errors import refusing_errors
from arena.runs.logs import log_nowhere
from arena.runs.named_parts import audition
from arena.store.folder import existing
from arena.suggestions import capital
from arena.text import printable
from arena.tournament.audition import Expense, Finding

bots = plain_app("The bots that can be entered: list them, try one, write one.\n\nExample: arena bots list")


class InstalledBot(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An installed bot, or the error for which it cannot be entered."""

    name: str
    version: str = ""
    source: str = ""
    digest: str = ""
    error: str = ""


class InstalledBots(Struct, frozen=True, kw_only=True):
    """The installed bots."""

    bots: list[InstalledBot]
    errors: list[str]  # on entry points whose name is not valid


@bots.command(name="list")
def list_bots(*, json: AsJson = False) -> None:
    """List the installed bots, without running any of their code.

    Example: arena bots list --json
    """
    found = [_installed_bot(name) for name in names()]
    wrong = invalid_entry_points()
    for line in consent.refused_lines():
        typer.echo(line, err=True)
    longest = max((len(bot.name) for bot in found), default=0)
    shown = (f"{bot.name:{longest}}  {bot.error or f'{bot.version:8}  {bot.digest[:12]}  {bot.source}'}" for bot in found)
    print_result("bots-list", InstalledBots(bots=found, errors=wrong), [*shown, *wrong], json=json)


def _installed_bot(name: str) -> InstalledBot:
    """Return a bot, or the error for which it cannot be entered on this machine, so that the others are still listed."""
    try:
        bot = find(name)
    except RosterError as error:
        return InstalledBot(name=name, error=str(error))
    return InstalledBot(name=name, version=bot.version, source=bot.source, digest=bot.digest)


# points of the steps of an audition, 100 in all; the step "learning", which few bots have, has none
MARKS = {"start": 10, "hands": 40, "same play": 10, "restart": 10, "time": 10, "memory": 10, "sandbox": 10}


class GradescopeTest(Struct, frozen=True, kw_only=True):
    """A step in the format of Gradescope's results.json, which its autograder manual describes."""

    name: str
    score: int
    max_score: int
    status: Literal["passed", "failed"]
    output: str


class GradescopeResults(Struct, frozen=True, kw_only=True):
    """The content of ``results.json``."""

    tests: Sequence[GradescopeTest]


def gradescope(bot: str, findings: Sequence[Finding], problem: str) -> GradescopeResults:
    """Return the findings in Gradescope's format; ``problem``: the error that ended the audition, empty: none."""
    known, tests = {finding.step: finding for finding in findings}, []
    for step in dict.fromkeys((*MARKS, *known)):
        marks = MARKS.get(step, 0)
        finding = known.get(step)
        passed = finding is not None and finding.passed
        output = "\n".join(describe(finding, bot)) if finding else problem or "not tested, because a step before it failed"
        status: Literal["passed", "failed"] = "passed" if passed else "failed"
        tests.append(GradescopeTest(name=step, score=marks if passed else 0, max_score=marks, status=status, output=output))
    return GradescopeResults(tests=tests)


def write_problem(results: Path, problem: str) -> None:
    """Write what Gradescope shows of an audition that did not begin. Raises: OSError."""
    _write_gradescope(results, "", (), problem)


def _write_gradescope(results: Path, bot: str, findings: Sequence[Finding], problem: str) -> None:
    results.write_bytes(format(encode(gradescope(bot, findings, printable(problem))), indent=2))


class Checked(Struct, frozen=True, kw_only=True):
    """The findings of an audition."""

    bot: str
    passed: bool
    steps: list[Finding]


@bots.command()
def check(
    bot: Bot,
    *,
    hands: Annotated[int, typer.Option(min=8, max=MOST_HANDS, help="How many it plays, a share under each ruleset.")] = 200,
    rules: Annotated[
        str | None, typer.Option("--rules", help="The only ruleset, by name or as in a spec: '{name: standard}'; by default all.")
    ] = None,
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    results: Annotated[
        Path | None, typer.Option("--gradescope", metavar="FILE", help="Also write the steps as Gradescope's results.json.")
    ] = None,
    quiet: Quiet = False,
    yes: Annotated[bool, typer.Option("--yes", help="Have a bot ask its language model, as often as this takes.")] = False,
    json: AsJson = False,
) -> None:
    """Test a bot before it is entered: its start, its answers, its reproducibility, its time, memory and sandbox.

    Example: arena bots check ./mine.py:Mine

    For a bot that asks a language model, which may cost money, the command says how often it will, and asks or needs --yes.

    Exit code 0: passed; 1: failed, with the turn that broke it and the command that shows it again.
    """
    log_nowhere()  # the findings say the same
    if results:
        check_writable(results)
    findings: list[Finding] = []
    problem = "the audition was not finished"
    try:
        with ending_orphans(), refusing_errors(bot):
            for finding in audition(bot, hands, sandbox, rules=rules, time=time).findings(_agreed if yes else _ask_user):
                findings.append(finding)
                if not json and not (quiet and finding.passed):
                    print_lines(describe(finding, bot, width()))
        problem = ""
    except ArenaError as error:
        problem = str(error)
        raise
    finally:
        if results and (findings or not problem):  # else the command has ended before the first step: see arena.cli.owed
            _write_gradescope(results, bot, findings, problem)
    passed = all(finding.passed for finding in findings)
    outcome = f"{bot} passed" if passed else f"{bot} failed"
    print_result("bots-check", Checked(bot=bot, passed=passed, steps=findings), [outcome], json=json)
    if not passed:
        raise typer.Exit(1)


def _agreed(_: Expense) -> None:
    """Accept an expense."""


def _ask_user(expense: Expense) -> None:
    """Ask whether a bot may ask its language model. Raises: InputError, if it may not, or nobody is at the terminal."""
    if sys.stdin.isatty() and typer.confirm(f"{capital(expense.text)}. Is that wanted?", err=True):
        return
    raise InputError(f"{expense.text}; expected --yes, or fewer --hands")


bots.command()(new)

Phases = Literal["upcard", "first_draw", "draw", "discard", "last_take", "last_knock", "lay_off"]


def debug(
    bot: Bot,
    *,
    against: Annotated[str, typer.Option(help="Another bot, or `sparring`: the partner of `arena bots check`.")] = "greedy",
    hand: ShownHand = 0,
    seat: Annotated[int, typer.Option(min=0, max=1, help="Where the bot sits.")] = 0,
    rules: RulesName = "tournament",
    seed: Annotated[str, typer.Option(callback=checked_seed, help="Seed of the deals and of the bots' chance.")] = "debug",
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    raw: Annotated[bool, typer.Option("--raw", help="Show the messages as they are sent.")] = False,
    phase: Annotated[
        Phases | None,
        typer.Option("--from", help="Against sparring: the phase in which the bot joins the hand."),
    ] = None,
    recorded: Annotated[
        tuple[Path, str, str, int] | None,
        typer.Option(metavar="RUN FIXTURE HAND TURN", help="Ask a bot of a run, or another, for a decision on record instead."),
    ] = None,
    quiet: Quiet = False,  # noqa: ARG001 - it shows no progress anyway
) -> None:
    """Show a hand as the bot sees it: each turn, its answer, what that cost, and what the bot writes to stderr meanwhile.

    Example: arena debug ./mine.py:Mine --hand 3

    The same seed shows the same hand again. With --recorded the hand is one of a run, as a replay prints it: the bot gets the
    messages of the seat that acts in that turn, and its answers stand beside what was played. Exit code 1, if the bot commits a
    fault.
    """
    log_nowhere()  # faults are shown as lines
    if recorded:
        run, fixture, name, turn = recorded
        decision = RecordedDecision(fixture=fixture, hand=name, turn=turn)
        if not ask_again(bot, existing(run), decision, sandbox, raw=raw, show=print_lines):
            raise typer.Exit(1)
        return
    opponents = debugging.named_opponents(bot, against, rules=rules, time=time, sandbox=sandbox)
    choice = HandChoice(hand=hand, seat=seat, seed=seed, raw=raw, late=Phase(phase) if phase else None)
    if not debugging.show_hand(opponents, choice, print_lines):
        raise typer.Exit(1)
