"""``arena bots check``: the audition, step by step."""

from typing import Annotated

import typer
from msgspec import Struct

from arena.cli.lines import print_json
from arena.cli.options import MOST_HANDS, AsJson, Bot, SandboxName, TimeText
from arena.cli.terminal import print_lines, width
from arena.runs.confined_reading import refusing_errors
from arena.runs.debug import describe
from arena.runs.logs import log_nowhere
from arena.runs.plans import audition
from arena.tournament.audition import Finding


class Checked(Struct, frozen=True, kw_only=True):
    """The findings of an audition."""

    bot: str
    passed: bool
    steps: list[Finding]


def check(
    bot: Bot,
    *,
    hands: Annotated[int, typer.Option(min=8, max=MOST_HANDS, help="How many it plays, a share under each ruleset.")] = 200,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            help="The only ruleset, by name or as in a spec: '{name: standard}'; by default all.",
            show_default=False,
        ),
    ] = None,
    time: TimeText = "{}",
    sandbox: SandboxName = None,
    json: AsJson = False,
) -> None:
    """Test a bot before it is entered: its start, its answers, its reproducibility, its time, memory and sandbox.

    Example: arena bots check ./mine.py:Mine

    Exit code 0: passed; 1: failed, with the turn that broke it and the command that shows it again.
    """
    log_nowhere()  # what it would warn of is what is told here
    findings: list[Finding] = []
    with refusing_errors(bot):
        for finding in audition(bot, hands, sandbox, rules=rules, time=time).findings():
            findings.append(finding)
            if not json:
                print_lines(describe(finding, bot, width()))
    passed = all(finding.passed for finding in findings)
    if json:
        print_json("bots-check", Checked(bot=bot, passed=passed, steps=findings))
    else:
        print_lines([f"{bot} passed" if passed else f"{bot} failed"])
    if not passed:
        raise typer.Exit(1)
