"""Builds the plugin manager, and gathers what the plugins bring: the one place that knows pluggy's workings."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points as installed
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
    for point in sorted(installed(group=GROUP), key=lambda point: point.name) if entry_points else ():
        with _told(f"plugin {point.name!r}, {point.value}"):
            manager.load_setuptools_entrypoints(GROUP, point.name)
    with _told("a plugin"):
        manager.check_pending()
    return manager


@contextmanager
def _told(whose: str) -> Iterator[None]:
    """Turn whatever a stranger's code raises into one line. Raises: PluginError."""
    try:
        yield
    except Exception as error:
        what = " ".join(str(error).split())
        raise PluginError(f"{whose} cannot be loaded: {type(error).__name__}: {what}") from error


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


def commands(manager: pluggy.PluginManager) -> dict[str, Callable[..., None]]:
    """Return the commands that plugins bring, by name. Raises: PluginError, for two of one name."""
    found: dict[str, Callable[..., None]] = {}
    for brought in manager.hook.arena_commands():
        for name, command in brought.items():
            if name in found:
                raise PluginError(f"two plugins bring a command {name!r}: {found[name].__module__} and {command.__module__}")
            found[name] = command
    return found


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
