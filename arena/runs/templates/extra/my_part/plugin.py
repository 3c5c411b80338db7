"""What arena finds: where the command, its page and its kind of runs are. The help of arena imports this module alone."""

from pathlib import Path

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl


@hookimpl
def arena_commands() -> dict[str, Command]:
    """Return the command by name."""
    return {"my-part": Command("my_part.command:my_part", "Play a bot against itself.", group="Play", takes="seconds")}


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page by name: ``arena docs my-part``."""
    return {"my-part": Path(__file__).with_name("my_part.md")}


@hookimpl
def arena_stored_kinds() -> dict[str, str]:
    """Return the class that reads the runs by the fact ``kind``."""
    return {"my-part": "my_part.run:MyPart"}
