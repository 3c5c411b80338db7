"""Parts that are named on the command line instead of in a spec, and the arguments that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.gin.rules import Rules
    from arena.players.sandboxes.base import Sandbox
    from arena.roster.entrant import Launch
    from arena.store.folder import Folder
    from arena.store.store import Store
    from arena.tournament.audition import Audition
    from arena.tournament.spec import Kinds, Spec

Bot = Annotated[str, typer.Argument(help="An installed bot's name, path/to/bot.py:Class or path/to/bot.yaml.", show_default=False)]
Seed = Annotated[str | None, typer.Option(help="Seed of the deals; by default one is drawn, and told.")]
RulesName = Annotated[str, typer.Option("--rules", help="The ruleset.")]
SandboxName = Annotated[
    str | None,
    typer.Option("--sandbox", help="What walls the bots in; by default strict on Linux, else standard.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Workers = Annotated[int | None, typer.Option(min=1, max=1024, help="Matches played at a time; by default one for each core.")]
Where = Annotated[str, typer.Option(help="Where they are played: local, serial, or a plugin's name.")]


def ruleset(name: str, **changes: Any) -> "Rules":  # noqa: ANN401 - the options of a ruleset are of many types
    """Return the ruleset of that name, some options changed. Raises: InputError, with the nearest valid name."""
    from arena.cli.choice import chosen
    from arena.plugins import manager

    return chosen(manager.by_name(_kinds().rules), name, "--rules")(**changes)


def sandbox(name: str | None, launches: "Iterable[Launch]") -> "Sandbox":
    """Return the sandbox of that name, or the one that specs have by default, with what the bots' manifests ask for.

    A spec has to grant threads and a temporary folder; the author of a bot wants to see it play. Raises: InputError.
    """
    from arena.cli.choice import chosen
    from arena.players.sandboxes.base import Limited
    from arena.plugins import manager
    from arena.tournament.spec import DEFAULTS

    part = chosen(manager.by_name(_kinds().sandboxes), name or str(DEFAULTS["sandbox"]), "--sandbox")
    if not issubclass(part, Limited):
        return part()
    several = list(launches)
    return part(threads=max(one.threads for one in several), scratch_mb=max(one.scratch_mb for one in several))


def audition(bot: str, hands: int, sandbox_name: str | None, folder: Path = Path()) -> "Audition":
    """Return the audition of a bot, under every ruleset; paths are sought from ``folder``. Raises: RosterError, InputError."""
    from arena.gin.rules import Rules
    from arena.players.remote import TimeLimits
    from arena.roster.finder import find
    from arena.tournament.audition import Audition

    launch = find(bot, folder=folder).launch
    rules = sorted(_kinds().rules, key=lambda ruleset: ruleset is not Rules)  # the default first
    walls = sandbox(sandbox_name, [launch])
    return Audition(launch=launch, rules=tuple(ruleset() for ruleset in rules), sandbox=walls, time=TimeLimits(), hands=hands)


def spec_on_file(folder: "Folder", store: "Store") -> "Spec":
    """Return the spec of a run. Raises: StoreError, if it has not begun; SpecError."""
    from arena.tournament import spec

    return spec.parse(store.fact("spec"), _kinds(), str(folder.spec))


def _kinds() -> "Kinds":
    from arena.plugins import manager

    return manager.kinds(manager.load())
