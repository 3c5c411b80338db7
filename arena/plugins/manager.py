"""Builds the plugin manager, and gathers what the plugins bring: the one place that knows pluggy's workings."""

from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

import pluggy
from msgspec import Struct

from arena.errors import PluginError
from arena.plugins import builtin, hookspecs
from arena.tournament.executors.base import Executor
from arena.tournament.spec import Kinds

GROUP = "arena"  # of entry points
Part = TypeVar("Part", bound=Struct)


def load(*, entry_points: bool = True) -> pluggy.PluginManager:
    """Return a new manager with arena's own parts and, if wanted, all installed plugins. Raises: PluginError."""
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(hookspecs)
    manager.register(builtin, "arena")
    try:
        if entry_points:
            manager.load_setuptools_entrypoints(GROUP)
        manager.check_pending()
    except Exception as error:
        raise PluginError(f"a plugin of entry-point group {GROUP!r} cannot be loaded: {type(error).__name__}: {error}") from error
    return manager


def kinds(manager: pluggy.PluginManager) -> Kinds:
    """Return every part that a spec may name. Raises: PluginError, for two of one name."""
    hook = manager.hook
    return Kinds(
        rules=_parts(hook.arena_rulesets()),
        formats=_parts(hook.arena_formats()),
        sandboxes=_parts(hook.arena_sandboxes()),
        ratings=_parts(hook.arena_ratings()),
        reports=_parts(hook.arena_reports()),
    )


def executors(manager: pluggy.PluginManager) -> dict[str, type[Executor]]:
    """Return the executors by name."""
    return by_name(_parts(manager.hook.arena_executors()))


def by_name(parts: Iterable[type[Part]]) -> dict[str, type[Part]]:
    """Return some parts by the names that a spec calls them."""
    return {name_of(part): part for part in parts}


def name_of(part: type[Struct]) -> str:
    """Return what a part is called in a spec."""
    return str(part.__struct_config__.tag)


def _parts(lists: list[list[type]]) -> tuple[type, ...]:
    """Return the parts of one kind, arena's own first."""
    parts = tuple(chain.from_iterable(reversed(lists)))  # pluggy calls the last registered first
    names = [name_of(part) for part in parts]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        modules = " and ".join(part.__module__ for part in parts if name_of(part) == twice[0])
        raise PluginError(f"two plugins are called {twice[0]!r}: {modules}")
    return parts
