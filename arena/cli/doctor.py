"""``arena doctor``: what this machine can keep a bot from doing, which core plays, and which plugins are not loaded."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from msgspec.structs import asdict
from rich.console import Console

from arena.cli import plugins, terminal
from arena.cli.lines import print_json
from arena.gin.core import CORE
from arena.players.confinement.probe import Diagnosis, ProfileTest, diagnose
from arena.plugins import consent

VERDICTS = {
    0: "The sandbox `strict` can be had: bots that nobody trusts may play.",
    1: "Only the sandbox `standard` can be had: accidents are contained, malice is not, and results are flagged.",
    2: "No sandbox can be had here.",
}
COLOURS = {"PROVED": "green", "HOLES": "yellow", "REFUSED": "red"}


def doctor(*, json: Annotated[bool, typer.Option("--json", help="Print all that was found as JSON.")] = False) -> None:
    """Prove the sandboxes on this machine. Exit code 0: strict can be had; 1: standard; 2: neither.

    Example: arena doctor --json
    """
    diagnosis = diagnose()
    if json:
        print_json({**asdict(diagnosis), "core": CORE, "plugins_refused": consent.refused()})
    else:
        with (console := terminal.console(sys.stdout)).capture() as shown:  # for rich would end the program when nobody reads on
            show(diagnosis, console)
        terminal.unguarded(sys.stdout).write(shown.get())
        typer.echo(f"core: {CORE}")
        for line in plugins.lines():
            typer.echo(line)
    raise typer.Exit(diagnosis.exit_code)


def show(diagnosis: Diagnosis, console: Console) -> None:
    """Print a diagnosis for a person."""
    from rich.markup import escape  # noqa: PLC0415 - only for a person

    for test in diagnosis.profiles:
        console.print(f"[bold]{test.profile:6}[/] [{COLOURS[test.state]}]{test.state:8}[/] {test.layers}", highlight=False)
        for found in filter(None, (test.reason, *test.missing, *_limits(test))):
            console.print(f"       [dim]found:[/] {escape(found)}", highlight=False)
        if test.advice:
            console.print(f"       [dim]to do:[/] {escape(test.advice)}", highlight=False)
    sealed = {test.profile: "yes" if not test.unsealed else "no" for test in diagnosis.profiles if test.state == "PROVED"}
    console.print(f"sealed: {', '.join(f'{profile} {state}' for profile, state in sealed.items()) or 'no'}", highlight=False)
    for name in ("system", "landlock", "user_namespaces", "apparmor", "cgroup"):
        console.print(f"{name.replace('_', ' ')}: {getattr(diagnosis, name)}", markup=False, highlight=False)
    console.print(VERDICTS[diagnosis.exit_code])


def _limits(test: ProfileTest) -> Iterator[str]:
    """Yield what a proved profile lacks."""
    if test.state == "PROVED" and test.templates:
        yield f"Python bots start slowly, without templates: {test.templates}"
    if test.state == "PROVED" and test.unsealed:
        yield f"bots are not sealed, so that one may leave a message for the other leg of a pair: {test.unsealed}"
