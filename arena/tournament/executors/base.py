"""What an executor is: the standard library's, opened for a run."""

from collections.abc import Callable
from concurrent.futures import Executor as Pool

from msgspec import Struct


class Executor(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options, its docstring is its manual."""

    def open(self, workers: int, prepare: Callable[[], None]) -> Pool:
        """Return a pool of so many workers, in each of which ``prepare`` is called once, before the first fixture."""
        raise NotImplementedError
