"""``arena doctor``: the machine's resources and sandboxes, the engine's core, and other installed packages."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict
from rich.console import Console

from arena import distribution
from arena.cli import terminal
from arena.cli.terminal import print_json, print_lines, print_result
from arena.players.proofs import Diagnosis, ProfileTest, diagnose
from arena.plugins import consent
from arena.runs import installed
from arena.runs.installed import CORE
from arena.runs.needs import needs
from arena.tournament import core_use

VERDICTS = {
    0: "The sandbox `strict` can be had: bots that are not trusted may play.",
    1: "Only the sandbox `standard` can be had: accidents are contained, malice is not, and results are flagged.",
    2: "No sandbox can be had here.",
}
COLOURS = {"PROVED": "green", "HOLES": "yellow", "REFUSED": "red"}


class NeedRow(Struct, frozen=True, kw_only=True):
    """A resource of which play needs a certain amount."""

    what: str
    found: int | None  # None: there is no limit
    needed: int
    enough: bool


class Examination(Struct, frozen=True, kw_only=True):
    """The examination of a machine. With too few resources the rest is not tried: it is UNSET, which JSON leaves out."""

    needs: list[NeedRow]
    profiles: tuple[ProfileTest, ...] | UnsetType = UNSET
    system: str | UnsetType = UNSET
    landlock: str | UnsetType = UNSET
    user_namespaces: str | UnsetType = UNSET
    apparmor: str | UnsetType = UNSET
    cgroup: str | UnsetType = UNSET
    core: str | UnsetType = UNSET
    core_matches_source: bool | UnsetType = UNSET
    rivals: list[str] | UnsetType = UNSET
    plugins_refused: list[str] | UnsetType = UNSET


def doctor(*, json: Annotated[bool, typer.Option("--json", help="Print all that was found as JSON.")] = False) -> None:
    """Show what this machine provides for play, and prove its sandboxes. Exit code 0: strict can be had; 1: standard; 2: neither.

    Example: arena doctor --json

    If it provides too little for a worker on each core, the exit code is 2 and no sandbox is tried.
    """
    workers = len(core_use.cores())
    needed = needs(workers)
    rows = [NeedRow(what=need.what, found=need.found, needed=need.needed, enough=need.is_met) for need in needed]
    if not all(need.is_met for need in needed):
        problem = f"This machine gives too little to play with {workers} workers, one for each core."
        print_result("doctor", Examination(needs=rows), [*map(str, needed), problem], json=json)
        raise typer.Exit(2)
    diagnosis = diagnose()
    if json:
        examined = Examination(
            needs=rows,
            **asdict(diagnosis),
            core=CORE,
            core_matches_source=installed.core_matches_source(),
            rivals=list(installed.rivals()),
            plugins_refused=list(consent.refused_plugins()),
        )
        print_json("doctor", examined)
    else:
        print_lines(map(str, needed))
        with (console := terminal.console(sys.stdout)).capture() as shown:  # rich would end the program when the pipe is closed
            show(diagnosis, console)
        terminal.without_guard(sys.stdout).write(shown.get())  # escaped by the console
        for line in (*_installation_lines(), *consent.refused_lines()):
            typer.echo(line)
    raise typer.Exit(diagnosis.exit_code)


def _installation_lines() -> Iterator[str]:
    """Yield lines about the installation."""
    again = f"install {distribution.NAME} again"
    yield f"core: {CORE}" if installed.core_matches_source() else f"core: {CORE}, from another source than is installed; {again}"
    for rival in installed.rivals():
        yield f"{rival} is another project whose package is called arena; pip uninstall {rival.partition(' ')[0]}, then {again}"


def show(diagnosis: Diagnosis, console: Console) -> None:
    """Print a diagnosis for a person."""
    from rich.markup import escape  # noqa: PLC0415 - only for a person

    for proof in diagnosis.profiles:
        console.print(f"[bold]{proof.profile:6}[/] [{COLOURS[proof.state]}]{proof.state:8}[/] {proof.layers}", highlight=False)
        for found in filter(None, (proof.reason, *proof.missing, *_limits(proof))):
            console.print(f"       [dim]found:[/] {escape(found)}", highlight=False)
        if proof.advice:
            console.print(f"       [dim]to do:[/] {escape(proof.advice)}", highlight=False)
    sealed = {proof.profile: "yes" if not proof.unsealed else "no" for proof in diagnosis.profiles if proof.state == "PROVED"}
    console.print(f"sealed: {', '.join(f'{profile} {state}' for profile, state in sealed.items()) or 'no'}", highlight=False)
    for name in ("system", "landlock", "user_namespaces", "apparmor", "cgroup"):
        console.print(f"{name.replace('_', ' ')}: {getattr(diagnosis, name)}", markup=False, highlight=False)
    console.print(VERDICTS[diagnosis.exit_code])


def _limits(proof: ProfileTest) -> Iterator[str]:
    """Yield what a proved profile lacks."""
    if proof.state == "PROVED" and proof.templates:
        yield f"Python bots start slowly, without templates: {proof.templates}"
    if proof.state == "PROVED" and proof.unsealed:
        yield f"bots are not sealed, so that one may leave a message for the other leg of a pair: {proof.unsealed}"
