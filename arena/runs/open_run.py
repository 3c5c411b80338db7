"""A run whose database is open: what is concluded from a played run."""

from typing import NamedTuple

from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.plan import Plan


class OpenRun(NamedTuple):
    """A run whose database is open."""

    plan: Plan  # with its seed
    folder: Folder
    store: Store
