"""The commands ``arena models`` and ``arena seat``, the document of the first, and their page of the manual."""

from pathlib import Path

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl


@hookimpl
def arena_commands() -> dict[str, Command]:
    """Return the commands."""
    models = Command("arena.extras.models.commands:models", "Rank language models by points and cost a hand.", "Understand")
    seat = Command(
        "arena.extras.models.seat_command:seat",
        "Serve a seat at a table, at which a program plays.",
        "Play",
        plays=True,
        takes="as long as the match",
    )
    return {"models": models, "seat": seat}


@hookimpl
def arena_documents() -> dict[str, str]:
    """Return the document."""
    return {"models": "arena.extras.models.table:ModelTable"}


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page."""
    return {"models": Path(__file__).with_name("MODELS.md")}
