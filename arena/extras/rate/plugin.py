"""The command ``arena rate``, and the document that it prints."""

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl


@hookimpl
def arena_commands() -> dict[str, Command]:
    """Return the command."""
    rate = Command(
        "arena.extras.rate.command:rate",
        "Rate a bot on a scale that is the same everywhere.",
        "Compare",
        plays=True,
        resumes=True,
        takes="minutes: a few hundred hands against each bot of the scale",
    )
    return {"rate": rate}


@hookimpl
def arena_documents() -> dict[str, str]:
    """Return the document."""
    return {"rate": "arena.extras.rate.rating:RatedBot"}
