"""The base class of executors, which open a ``concurrent.futures.Executor`` for a run."""

from collections.abc import Callable
from concurrent.futures import Executor as Pool

from msgspec import Struct


def tell_nobody(_: str) -> None:
    """Receive a warning that nobody shall see."""


class Executor(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """An executor. The fields of a subclass are its options; its docstring is its manual."""

    def workers(self, asked: int | None, cores: int) -> int:
        """Return how many workers to open; ``asked``: the user's number, None for the executor's choice."""
        return asked or cores

    def where(self) -> str:
        """Return where the matches are played, for the user; empty: on this machine."""
        return ""

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> Pool:
        """Return a pool of ``workers`` workers; each calls ``prepare`` once, before its first fixture.

        ``warn`` receives, from any thread, what the user should know of the workers.
        """
        raise NotImplementedError
