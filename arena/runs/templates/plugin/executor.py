"""An executor that decides where matches are played: ``arena run league.yaml --executor my-part``."""

from arena.plugins.hookspecs import hookimpl
from arena.tournament.executors import Executor
from arena.tournament.local import Local


class MyPart(Local, frozen=True, kw_only=True, tag="my-part"):
    """Plays in processes of this machine, and leaves half of the cores to others.

    Another kind of executor overrides ``open``, which returns a ``concurrent.futures.Executor``.
    """

    def workers(self, asked: int | None, cores: int) -> int:
        """Return the number of workers; ``asked``: the user's number, None for the executor's choice."""
        return asked or max(1, cores // 2)


@hookimpl
def arena_executors() -> list[type[Executor]]:
    """Return the executor."""
    return [MyPart]
