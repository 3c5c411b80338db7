"""The executor ``dask``, and its page of the manual."""

from pathlib import Path
from typing import TYPE_CHECKING

from arena.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from arena.tournament.executors import Executor


@hookimpl
def arena_executors() -> "list[type[Executor]]":
    """Return the executor."""
    from arena.extras.cluster.dask import Dask  # noqa: PLC0415 - the help of arena loads this module, and needs no executor

    return [Dask]


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page."""
    return {"cluster": Path(__file__).with_name("CLUSTER.md")}
