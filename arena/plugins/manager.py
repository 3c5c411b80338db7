"""Builds the pluggy plugin manager and collects the parts that plugins add."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from typing import TypeVar

import pluggy
from msgspec import Struct

from arena.errors import PluginError
from arena.plugins import builtin, consent, hookspecs, webhook
from arena.plugins.options import check_options
from arena.roster.distributions import EntryPoint
from arena.tournament.executors.base import Executor
from arena.tournament.spec import Kinds

Part = TypeVar("Part", bound=Struct)


def load(*, entry_points: bool = True) -> pluggy.PluginManager:
    """Return a new manager with arena's own parts and, with ``entry_points``, the allowed plugins. Raises: PluginError."""
    manager = pluggy.PluginManager(consent.GROUP)
    manager.add_hookspecs(hookspecs)
    manager.register(builtin, "arena")
    for point in consent.allowed() if entry_points else ():
        with _plugin_errors(f"plugin {point.name!r}, {point.value!r} of {point.owner}"):
            manager.register(_imported(point), point.name)
    if hook := webhook.configured():
        manager.register(hook, "webhook")
    with _plugin_errors("a plugin"):
        manager.check_pending()
    return manager


def _imported(point: EntryPoint) -> object:
    """Import a plugin and return the module or object with its hooks. Raises: any exception of the plugin's code."""
    target = point.target
    if target is None:
        raise ValueError("expected a module or module:object")
    module = import_module(target.module)
    return getattr(module, target.attribute) if target.attribute else module


@contextmanager
def _plugin_errors(name: str) -> Iterator[None]:
    """Turn any exception of a plugin's code into one line. Raises: PluginError."""
    try:
        yield
    except Exception as error:
        message = " ".join(str(error).split())
        raise PluginError(f"{name} cannot be loaded: {type(error).__name__}: {message}") from error


def kinds(manager: pluggy.PluginManager) -> Kinds:
    """Return every part that a spec can name. Raises: PluginError, for two parts with one name and for misdeclared options."""
    hook = manager.hook
    return Kinds(
        rules=_parts(hook.arena_rulesets()),
        formats=_parts(hook.arena_formats()),
        sandboxes=_parts(hook.arena_sandboxes()),
        ratings=_parts(hook.arena_ratings()),
        reports=_parts(hook.arena_reports()),
        not_loaded=consent.hint(),
    )


def executors(manager: pluggy.PluginManager) -> dict[str, type[Executor]]:
    """Return the executors by name. Raises: PluginError, as ``kinds``."""
    return by_name(_parts(manager.hook.arena_executors()))


def by_name(parts: Iterable[type[Part]]) -> dict[str, type[Part]]:
    """Return parts by their names in a spec."""
    return {name_of(part): part for part in parts}


def commands(manager: pluggy.PluginManager) -> dict[str, Callable[..., None]]:
    """Return the commands of all plugins, by name. Raises: PluginError, for two commands with one name."""
    found: dict[str, Callable[..., None]] = {}
    for added in manager.hook.arena_commands():
        for name, command in added.items():
            if name in found:
                raise PluginError(f"two plugins add a command {name!r}: {found[name].__module__} and {command.__module__}")
            found[name] = command
    return found


def name_of(part: type[Struct]) -> str:
    """Return the name of a part in a spec."""
    return str(part.__struct_config__.tag)


def _parts(lists: list[list[type]]) -> tuple[type, ...]:
    """Return the parts of one kind, arena's own first. Raises: PluginError."""
    # pluggy calls the plugin that was registered last first.
    parts = tuple(chain.from_iterable(reversed(lists)))
    names = [name_of(part) for part in parts]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        modules = " and ".join(part.__module__ for part in parts if name_of(part) == repeated[0])
        raise PluginError(f"two parts are called {repeated[0]!r}: {modules}")
    for part in parts:
        check_options(part)
    return parts
