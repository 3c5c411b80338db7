"""The command ``arena import``, its page, and the kind of the runs that it makes."""

from pathlib import Path

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl


@hookimpl
def arena_commands() -> dict[str, Command]:
    """Return the command."""
    where, line = "arena.extras.importer.command:import_", "Make a run of hands from a file."
    return {"import": Command(where, line, "Results as data", takes="thousands of hands a second")}


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page."""
    return {"import": Path(__file__).with_name("IMPORT.md")}


@hookimpl
def arena_stored_kinds() -> dict[str, str]:
    """Return the kind."""
    return {"import": "arena.extras.importer.run:ImportedRun"}
