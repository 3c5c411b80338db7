"""``arena doctor``: what this machine can keep a bot from doing, which core plays, and what else is installed."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from msgspec.structs import asdict
from rich.console import Console

from arena import distribution
from arena.cli import plugins, terminal
from arena.cli.lines import print_json
from arena.gin.core import CORE
from arena.players.confinement.probe import Diagnosis, diagnose
from arena.plugins import consent
from arena.runs import installation

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
        installed = {
            "core": CORE,
            "core_matches_source": installation.core_matches_source(),
            "rivals": installation.rivals(),
            "plugins_refused": consent.refused(),
        }
        print_json({**asdict(diagnosis), **installed})
    else:
        with (console := terminal.console(sys.stdout)).capture() as shown:  # for rich would end the program when nobody reads on
            show(diagnosis, console)
        terminal.unguarded(sys.stdout).write(shown.get())
        for line in (*_installed(), *plugins.lines()):
            typer.echo(line)
    raise typer.Exit(diagnosis.exit_code)


def _installed() -> Iterator[str]:
    """Yield lines about the installation."""
    again = f"install {distribution.NAME} again"
    yield f"core: {CORE}" if installation.core_matches_source() else f"core: {CORE}, from another source than is installed; {again}"
    for rival in installation.rivals():
        yield f"{rival} is another project whose package is called arena; pip uninstall {rival.partition(' ')[0]}, then {again}"


def show(diagnosis: Diagnosis, console: Console) -> None:
    """Print a diagnosis for a person."""
    from rich.markup import escape  # noqa: PLC0415 - only for a person

    for test in diagnosis.profiles:
        console.print(f"[bold]{test.profile:6}[/] [{COLOURS[test.state]}]{test.state:8}[/] {test.layers}", highlight=False)
        slow = f"Python bots start slowly, without templates: {test.templates}" if test.state == "PROVED" and test.templates else ""
        for found in filter(None, (test.reason, *test.missing, slow)):
            console.print(f"       [dim]found:[/] {escape(found)}", highlight=False)
        if test.advice:
            console.print(f"       [dim]to do:[/] {escape(test.advice)}", highlight=False)
    for name in ("system", "landlock", "user_namespaces", "apparmor", "cgroup"):
        console.print(f"{name.replace('_', ' ')}: {getattr(diagnosis, name)}", markup=False, highlight=False)
    console.print(VERDICTS[diagnosis.exit_code])
