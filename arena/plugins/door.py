"""Finds and registers plugins, arena's own extras and strangers' by the same entry points, and collects the commands that they add.

The help of ``arena`` needs this module, so it is quick to import. What a stranger's plugin needs is not: ``strangers`` is imported
only if there is one.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from os.path import isfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from arena import distribution
from arena.errors import PluginError
from arena.plugins import consent, hookspecs
from arena.plugins.command import Command
from arena.roster import distributions
from arena.roster.distributions import EntryPoint
from arena.text import in_one_line

OWN = "arena"  # the package whose parts are not wrapped
EXTRAS = "arena.extras"  # the package of arena's own plugins, each a folder that can be deleted

Addition = Command | Callable[..., None]  # a command that a plugin adds


class PluginManager(pluggy.PluginManager):
    """A plugin manager that holds every plugin to the contracts of the hooks."""

    def __init__(self) -> None:
        super().__init__(hookspecs.hookspec.project_name)
        self.add_hookspecs(hookspecs)
        self.installed: list[EntryPoint] = []  # the plugins among those registered that were found as entry points

    def load(self, point: EntryPoint) -> None:
        """Import and register an installed plugin. Raises: PluginError."""
        from arena.plugins import strangers  # noqa: PLC0415 - see above

        with strangers.loading(point):
            self.register(strangers.imported(point), strangers.label(point))
        self.installed.append(point)

    def register(self, plugin: object, name: str | None = None) -> str | None:
        """Register a plugin with its hooks wrapped; arena's own as it is. Raises: ValueError, for two of one name."""
        module = plugin.__name__ if isinstance(plugin, ModuleType) else plugin.__module__
        package = module.partition(".")[0]
        if package == OWN:
            return super().register(plugin, name)
        from arena.plugins import strangers  # noqa: PLC0415 - see above

        hooks = [(one, options) for one in dir(plugin) if (options := self.parse_hookimpl_opts(plugin, one))]
        return super().register(strangers.hold(plugin, hooks, name or repr(module), package), name)


def load(*parts: ModuleType, entry_points: bool = True) -> PluginManager:
    """Return a new manager with modules of arena's own parts, arena's extras and, with ``entry_points``, the allowed plugins.

    Raises: PluginError.
    """
    manager = PluginManager()
    for module in parts:
        manager.register(module, module.__name__)
    for extra in extras():
        manager.register(import_module(extra), extra)
    for point in consent.allowed_plugins() if entry_points else ():
        manager.load(point)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(in_one_line(f"a plugin: cannot be loaded: PluginValidationError: {error}")) from None
    return manager


def extras() -> tuple[str, ...]:
    """Return the modules of arena's own plugins that are here, sorted by the names of their entry points.

    The metadata keep the entry point of a folder that was deleted; it is passed over.
    """
    dist = distributions.find_distribution(distribution.NAME)
    targets = [point.target for point in distributions.points_of(dist, consent.GROUP)] if dist else []
    found = [target.module for target in targets if target and target.module.startswith(f"{EXTRAS}.")]
    home = Path(__file__).parents[2]
    return tuple(module for module in found if isfile(home.joinpath(*module.split(".")).with_suffix(".py")))


def commands(manager: pluggy.PluginManager) -> dict[str, Addition]:
    """Return the commands of all plugins, by name. Raises: PluginError, for a hook that fails, and for two with one name."""
    return _merged(manager.hook.arena_commands, "a command", lambda one: one.module if isinstance(one, Command) else one.__module__)


def documents(manager: pluggy.PluginManager) -> dict[str, str]:
    """Return the struct of each document of plugins, as "module:Struct", by its name. Raises: as ``commands``."""
    return _merged(manager.hook.arena_documents, "a document", str)


def pages(manager: pluggy.PluginManager) -> dict[str, Path]:
    """Return the file of each page that plugins add to the manual, by its name. Raises: as ``commands``."""
    return _merged(manager.hook.arena_pages, "a page", str)


def stored_kinds(manager: pluggy.PluginManager) -> dict[str, str]:
    """Return the class that reads each kind of stored runs, as "module:Class", by the fact ``kind``. Raises: as ``commands``."""
    return _merged(manager.hook.arena_stored_kinds, "a kind of runs", str)


def _merged(hook: pluggy.HookCaller, what: str, place: Callable[[Any], str]) -> dict[str, Any]:
    """Return what all plugins add by name. Raises: PluginError, for two with one name; ``place`` says where one is."""
    found: dict[str, Any] = {}
    for added in answers(hook):
        for name, one in added.items():
            if name in found:
                raise PluginError(f"two plugins add {what} {name!r}: {place(found[name])} and {place(one)}")
            found[name] = one
    return found


def answers(hook: pluggy.HookCaller) -> Iterator[Any]:
    """Yield the answer of each plugin to a hook, arena's own first. Raises: PluginError."""
    yield from reversed(hook())  # pluggy calls the plugin that was registered last first
