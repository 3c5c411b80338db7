"""Parts that are named on the command line instead of in a spec, and the arguments that several commands share."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from arena.gin.rules import Rules
    from arena.players.sandboxes.base import Sandbox
    from arena.tournament.spec import Kinds

Bot = Annotated[str, typer.Argument(help="An installed bot's name, path/to/bot.py:Class or path/to/bot.yaml.", show_default=False)]
Seed = Annotated[str | None, typer.Option(help="Seed of the deals; by default one is drawn, and told.")]
RulesName = Annotated[str, typer.Option("--rules", help="The ruleset.")]
SandboxName = Annotated[str, typer.Option("--sandbox", help="What walls the bots in.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def ruleset(name: str, **changes: Any) -> "Rules":  # noqa: ANN401 - the options of a ruleset are of many types
    """Return the ruleset of that name, some options changed. Raises: InputError, with the nearest valid name."""
    from arena.cli.choice import chosen
    from arena.plugins import manager

    return chosen(manager.by_name(_kinds().rules), name, "--rules")(**changes)


def rulesets() -> "tuple[type[Rules], ...]":
    """Return every ruleset there is."""
    return _kinds().rules


def sandbox(name: str) -> "Sandbox":
    """Return the sandbox of that name, its options as they are by default. Raises: InputError."""
    from arena.cli.choice import chosen
    from arena.plugins import manager

    return chosen(manager.by_name(_kinds().sandboxes), name, "--sandbox")()


def _kinds() -> "Kinds":
    from arena.plugins import manager

    return manager.kinds(manager.load())
