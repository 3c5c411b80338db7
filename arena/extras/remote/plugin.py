"""The commands for tables at which bots from elsewhere play, the kind of their runs, and their page of the manual."""

from pathlib import Path

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl

GROUP = "Leagues and pages"
UNTIL_STOPPED = "until it is stopped"


@hookimpl
def arena_commands() -> dict[str, Command]:
    """Return the commands: of a server's owner, and of an author."""
    tables, join = "arena.extras.remote.tables", "arena.extras.remote.joining:join"
    return {
        "tables": Command(f"{tables}:tables", "Serve tables at which bots from elsewhere play.", GROUP, takes=UNTIL_STOPPED),
        "invite": Command(f"{tables}:invite", "Give an author a token for the tables of a server.", GROUP),
        "close": Command(f"{tables}:close", "End the games of a server's tables, and reveal their seed.", GROUP),
        "join": Command(
            join, "Play a bot that runs here at the tables of a server elsewhere.", GROUP, plays=True, takes=UNTIL_STOPPED
        ),
    }


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page."""
    return {"remote": Path(__file__).with_name("REMOTE.md")}


@hookimpl
def arena_stored_kinds() -> dict[str, str]:
    """Return the kind."""
    return {"unconfined": "arena.extras.remote.stored:UnconfinedRun"}
