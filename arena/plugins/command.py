"""A command of ``arena`` as its plugin describes it, so that the help is shown without an import of the command."""

from msgspec import Struct

OTHERS = "From plugins"  # the group of commands that name none
AT_ONCE = "about a second"


class Command(Struct, frozen=True):
    """A command, imported when it is called."""

    where: str  # "module:function", or "module:app" for a ``typer.Typer`` with subcommands
    line: str  # of the help of arena
    group: str = OTHERS  # the heading in that help: one of arena's, or another
    plays: bool = False  # whether it starts bots, for which the machine has to be large enough
    resumes: bool = False  # whether the same command continues what a stopped one has stored
    takes: str = AT_ONCE  # how long it takes, for the manual

    @property
    def module(self) -> str:
        """Return the name of its module."""
        return self.where.partition(":")[0]
