"""``arena bots check``: the audition, step by step."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.parts import AsJson, Bot, SandboxName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.tournament.audition import Finding


LAST_WORDS = 8  # lines


def check(
    bot: Bot,
    *,
    hands: Annotated[int, typer.Option(min=8, max=1_000_000, help="How many it plays, a share under each ruleset.")] = 200,
    sandbox: SandboxName = None,
    json: AsJson = False,
) -> None:
    """Try a bot before it is entered: its start, its answers, its reproducibility, its time, memory and walls.

    Example: arena bots check ./mine.py:Mine

    Exit code 0: passed; 1: failed, with the turn that broke it and the command that shows it again.
    """
    from arena.cli.lines import print_json
    from arena.cli.log import log_nowhere
    from arena.cli.parts import audition

    log_nowhere()  # what it would warn of is what is told here
    findings = []
    for finding in audition(bot, hands, sandbox).findings():
        findings.append(finding)
        if not json:
            typer.echo("\n".join(told(finding, bot)))
    passed = all(finding.passed for finding in findings)
    if json:
        print_json({"bot": bot, "passed": passed, "steps": findings})
    else:
        typer.echo(f"{bot} passed" if passed else f"{bot} failed")
    if not passed:
        raise typer.Exit(1)


def told(finding: "Finding", bot: str) -> "Iterator[str]":
    """Yield the lines that tell what came of one step."""
    yield f"{'passed' if finding.passed else 'FAILED'}  {finding.step:10}  {finding.told}"
    if finding.turn:
        yield f"        the turn    {finding.turn}"
    if finding.answer:
        yield f"        its answer  {finding.answer}"
    if finding.stderr:
        yield "        its last words"
        yield from (f"            {line}" for line in finding.stderr.splitlines()[-LAST_WORDS:])
    for advice in finding.advice:
        yield f"        {advice}"
    if finding.replay:
        yield f"        see it again: arena debug {shlex.join((bot, *finding.replay))}"
