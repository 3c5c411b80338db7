"""Builds the pluggy plugin manager and collects the parts that plugins add."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import Any, TypeVar

import pluggy
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import PluginError
from arena.plugins import builtin, consent, hookspecs, webhook
from arena.plugins.contracts import PARTS, hold_hook, refusal
from arena.plugins.source import Source, UnexpectedError, describe
from arena.roster.distributions import EntryPoint
from arena.stats.standings import TieBreak
from arena.tournament.executors import Executor
from arena.tournament.spec import Kinds
from arena.tracebacks import frames

OWN = "arena"  # the package whose parts are not wrapped

Part = TypeVar("Part", bound=Struct)


class HeldHooks:
    """The wrapped hooks of a plugin."""


class PluginManager(pluggy.PluginManager):
    """A plugin manager that holds every plugin to the contracts of the hooks."""

    def __init__(self) -> None:
        super().__init__(hookspecs.hookspec.project_name)
        self.add_hookspecs(hookspecs)
        self.installed: list[EntryPoint] = []  # the plugins among those registered that were found as entry points

    def load(self, point: EntryPoint) -> None:
        """Import and register an installed plugin. Raises: PluginError."""
        package = point.target.module.partition(".")[0] if point.target else ""
        with Source(f"plugin {label(point)}", package, f"{point.value!r} cannot be loaded").naming():
            self.register(_import(point), label(point))
        self.installed.append(point)

    def register(self, plugin: object, name: str | None = None) -> str | None:
        """Register a plugin with its hooks wrapped; arena's own as it is. Raises: ValueError, for two of one name."""
        module = plugin.__name__ if isinstance(plugin, ModuleType) else plugin.__module__
        package = module.partition(".")[0]
        held = plugin if package == OWN else self._hold(plugin, Source(f"plugin {name or repr(module)}", package))
        return super().register(held, name)

    def _hold(self, plugin: object, source: Source) -> object:
        """Return an object with the wrapped hooks of a plugin. Raises: PluginError, for a wrapper of others' hooks."""
        held = HeldHooks()
        for name in dir(plugin):
            if options := self.parse_hookimpl_opts(plugin, name):
                hook = options.get("specname") or name
                if options.get("wrapper") or options.get("hookwrapper"):
                    raise source.error(str(UnexpectedError(f"a wrapper of {hook}", "a function that returns its own values")))
                setattr(held, name, hold_hook(hook, getattr(plugin, name), source))
        return held


def label(point: EntryPoint) -> str:
    """Return the name of an installed plugin for messages, which no other has."""
    return f"{point.name!r} of {point.owner} {point.version}"


def load(*, entry_points: bool = True) -> PluginManager:
    """Return a new manager with arena's own parts, the webhook of the environment and, with ``entry_points``, the allowed plugins.

    Raises: PluginError.
    """
    manager = PluginManager()
    manager.register(builtin, OWN)
    for point in consent.allowed_plugins() if entry_points else ():
        manager.load(point)
    if hook := webhook.from_environment():
        manager.register(hook)  # without a name: a plugin may be called ``webhook``
    with Source("a plugin", OWN, "cannot be loaded").naming():
        manager.check_pending()
    return manager


def _import(point: EntryPoint) -> object:
    """Import a plugin and return the module or object with its hooks. Raises: any exception of the plugin's code."""
    target = point.target
    if target is None:
        raise ValueError("expected a module or module:object")
    module = import_module(target.module)
    return getattr(module, target.attribute) if target.attribute else module


def fault_of_plugin(error: BaseException) -> str:
    """Return an error in one line, if the code of a plugin has raised it, itself or in a library that it called; else nothing."""
    plugins = {point.target.module.partition(".")[0]: point for point in consent.allowed_plugins() if point.target}
    for one in reversed(frames(error)):
        package = one.module.partition(".")[0]
        if point := plugins.get(package):
            return f"plugin {label(point)}: {one.function}, line {one.line} of {one.file}: {describe(error)}"
        if package == OWN:
            break
    return ""


def refused(manager: pluggy.PluginManager) -> list[str]:
    """Return what is wrong with the parts that break their contract, a line for each. Raises: PluginError, as ``kinds``."""
    return [problem for hook in PARTS for part in _parts(getattr(manager.hook, hook)) if (problem := refusal(part))]


def kinds(manager: pluggy.PluginManager) -> Kinds:
    """Return every part that a spec can name.

    Raises: PluginError, for a hook or part that breaks its contract, and for two parts with one name.
    """
    hook = manager.hook
    return Kinds(
        rules=_parts(hook.arena_rulesets),
        formats=_parts(hook.arena_formats),
        sandboxes=_parts(hook.arena_sandboxes),
        ratings=_parts(hook.arena_ratings),
        reports=_parts(hook.arena_reports),
        tie_breaks=_tie_breaks(hook.arena_tie_breaks),
        not_loaded=consent.hint(),
    )


def naming_missing(known: Kinds, before: str) -> Kinds:
    """Return kinds whose errors also name the distributions that were loaded ``before`` and are not now. Raises: PluginError."""
    return replace(known, not_loaded=known.not_loaded + consent.missing(before))


def executors(manager: pluggy.PluginManager) -> dict[str, type[Executor]]:
    """Return the executors by name. Raises: PluginError, as ``kinds``."""
    return by_name(_parts(manager.hook.arena_executors))


def by_name(parts: Iterable[type[Part]]) -> dict[str, type[Part]]:
    """Return parts by their names: in a spec, or of an executor on the command line."""
    return {name_of(part): part for part in parts}


def commands(manager: pluggy.PluginManager) -> dict[str, Callable[..., None]]:
    """Return the commands of all plugins, by name. Raises: PluginError, for a hook that fails, and for two with one name."""
    found: dict[str, Callable[..., None]] = {}
    for added in _answers(manager.hook.arena_commands):
        for name, command in added.items():
            if name in found:
                raise PluginError(f"two plugins add a command {name!r}: {found[name].__module__} and {command.__module__}")
            found[name] = command
    return found


def name_of(part: type[Struct]) -> str:
    """Return the name of a part: in a spec, or of an executor on the command line."""
    return str(part.__struct_config__.tag)


def _answers(hook: pluggy.HookCaller) -> Iterator[Any]:
    """Yield the answer of each plugin to a hook, arena's own first. Raises: PluginError."""
    yield from reversed(hook())  # pluggy calls the plugin that was registered last first


def _parts(hook: pluggy.HookCaller) -> tuple[Any, ...]:
    """Return the parts of one kind, arena's own first. Raises: PluginError, also for two with one name."""
    parts = tuple(chain.from_iterable(_answers(hook)))
    names = [name_of(part) for part in parts]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        modules = " and ".join(part.__module__ for part in parts if name_of(part) == repeated[0])
        raise PluginError(f"two parts are called {repeated[0]!r}: {modules}")
    return parts


def _tie_breaks(hook: pluggy.HookCaller) -> tuple[TieBreak, ...]:
    """Return the tie-breaks, arena's own first. Raises: PluginError, also for two with one name."""
    found = tuple(chain.from_iterable(_answers(hook)))
    names = [one.name for one in found]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise PluginError(f"two tie-breaks are called {repeated[0]!r}; expected another name for the plugin's")
    return found
