"""``arena doctor``: what this machine can keep a bot from doing."""

import sys
from typing import Annotated

import typer
from msgspec.json import encode, format
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arena.players.sandboxes.probe import Diagnosis, diagnose

VERDICTS = {
    0: "The sandbox `strict` can be had: bots that nobody trusts may play.",
    1: "Only the sandbox `standard` can be had: accidents are contained, malice is not, and results are flagged.",
    2: "No sandbox can be had here.",
}
COLOURS = {"PROVED": "green", "HOLES": "yellow", "REFUSED": "red"}


def doctor(*, json: Annotated[bool, typer.Option("--json", help="Print all that was found as JSON.")] = False) -> None:
    """Prove the sandboxes on this machine. Exit code 0: strict can be had; 1: standard; 2: neither."""
    diagnosis = diagnose()
    if json:
        sys.stdout.write(format(encode(diagnosis)).decode() + "\n")
    else:
        show(diagnosis, Console())
    raise typer.Exit(diagnosis.exit_code)


def show(diagnosis: Diagnosis, console: Console) -> None:
    """Print a diagnosis for a person."""
    table = Table("profile", "walls", "state", "what was found", "what to do", title="Sandboxes", title_justify="left")
    for trial in diagnosis.trials:
        state = f"[{COLOURS[trial.state]}]{trial.state}[/]"
        table.add_row(
            trial.profile, trial.walls, state, escape("; ".join(filter(None, (trial.reason, *trial.missing)))), trial.advice
        )
    console.print(table)
    for name in ("system", "landlock", "user_namespaces", "apparmor", "cgroup"):
        console.print(f"{name.replace('_', ' ')}: {getattr(diagnosis, name)}", markup=False, highlight=False)
    console.print(VERDICTS[diagnosis.exit_code])
