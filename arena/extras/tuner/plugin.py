"""The commands ``arena tune`` and ``arena exploit``, and the documents that they print."""

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl

TAKES = "minutes to an hour, by `--hands`"


@hookimpl
def arena_commands() -> dict[str, Command]:
    """Return the commands."""
    return {
        "tune": _search("tune", "Find the best values of a bot's parameters."),
        "exploit": _search("exploit", "Find how many points a hand a bot can lose."),
    }


def _search(name: str, line: str) -> Command:
    return Command(f"arena.extras.tuner.commands:{name}", line, "Compare", plays=True, resumes=True, takes=TAKES)


@hookimpl
def arena_documents() -> dict[str, str]:
    """Return the documents."""
    return {"exploit": "arena.extras.tuner.exploiting:Exploit", "tune": "arena.extras.tuner.outcome:Tuning"}
