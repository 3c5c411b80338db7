"""``arena doctor``: what this machine can keep a bot from doing."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from arena.players.sandboxes.probe import Diagnosis

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
    from rich.console import Console

    from arena.cli.lines import print_json
    from arena.players.sandboxes.probe import diagnose

    diagnosis = diagnose()
    if json:
        print_json(diagnosis)
    else:
        with (console := Console()).capture() as shown:  # for rich would end the program when nobody reads on
            show(diagnosis, console)
        typer.echo(shown.get(), nl=False)
    raise typer.Exit(diagnosis.exit_code)


def show(diagnosis: "Diagnosis", console: "Console") -> None:
    """Print a diagnosis for a person."""
    from rich.markup import escape

    for trial in diagnosis.trials:
        console.print(f"[bold]{trial.profile:6}[/] [{COLOURS[trial.state]}]{trial.state:8}[/] {trial.walls}", highlight=False)
        for found in filter(None, (trial.reason, *trial.missing)):
            console.print(f"       [dim]found:[/] {escape(found)}", highlight=False)
        if trial.advice:
            console.print(f"       [dim]to do:[/] {escape(trial.advice)}", highlight=False)
    for name in ("system", "landlock", "user_namespaces", "apparmor", "cgroup"):
        console.print(f"{name.replace('_', ' ')}: {getattr(diagnosis, name)}", markup=False, highlight=False)
    console.print(VERDICTS[diagnosis.exit_code])
