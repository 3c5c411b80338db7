"""A stranger's plugin: the command ``arena drill``, its page, and the kind of the runs that it makes."""

from pathlib import Path

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl


@hookimpl
def arena_commands() -> dict[str, Command]:
    """Return the command."""
    return {"drill": Command("drill.command:drill", "Drill a bot against itself.", group="Play", takes="seconds")}


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page."""
    return {"drill": Path(__file__).with_name("DRILL.md")}


@hookimpl
def arena_stored_kinds() -> dict[str, str]:
    """Return the kind of run."""
    return {"drill": "drill.run:Drill"}
