"""Imports strangers' plugins, holds their hooks to the contracts, and names them in errors."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from arena.plugins import consent
from arena.plugins.contracts import hold_hook
from arena.plugins.source import Source, UnexpectedError, describe
from arena.roster.distributions import EntryPoint
from arena.tracebacks import frames


class HeldHooks:
    """The wrapped hooks of a plugin."""


def label(point: EntryPoint) -> str:
    """Return the name of an installed plugin for messages, which no other has."""
    return f"{point.name!r} of {point.owner} {point.version}"


def loading(point: EntryPoint) -> AbstractContextManager[None]:
    """Return a context in which an exception becomes a PluginError that names the plugin."""
    return Source(f"plugin {label(point)}", _package(point), f"{point.value!r} cannot be loaded").naming()


def imported(point: EntryPoint) -> object:
    """Import a plugin and return the module or object with its hooks. Raises: any exception of the plugin's code."""
    target = point.target
    if target is None:
        raise ValueError("expected a module or module:object")
    module = import_module(target.module)
    return getattr(module, target.attribute) if target.attribute else module


def hold(plugin: object, hooks: Iterable[tuple[str, Mapping[str, Any]]], name: str, package: str) -> HeldHooks:
    """Return an object with the wrapped hooks of a plugin; ``hooks``: their names, with pluggy's options.

    Raises: PluginError, for a wrapper of others' hooks.
    """
    held, source = HeldHooks(), Source(f"plugin {name}", package)
    for function, options in hooks:
        hook = options.get("specname") or function
        if options.get("wrapper") or options.get("hookwrapper"):
            raise source.error(str(UnexpectedError(f"a wrapper of {hook}", "a function that returns its own values")))
        setattr(held, function, hold_hook(hook, getattr(plugin, function), source))
    return held


def source_at(where: str, place: str) -> Source:
    """Return the source of what a plugin names as "module:attribute"; ``place``: in which hook, and what it is."""
    package = where.partition(":")[0].partition(".")[0]
    if package == "arena":
        return Source("arena", package, place)
    point = _plugins().get(package)
    return Source(f"plugin {label(point)}" if point else f"the plugin that names {where!r}", package, place)


def attribute_at(where: str, source: Source) -> Any:  # noqa: ANN401 - of any type
    """Import and return what a plugin names as "module:attribute". Raises: PluginError."""
    module, _, attribute = where.partition(":")
    with source.naming():
        return getattr(import_module(module), attribute)


def fault_of_plugin(error: BaseException) -> str:
    """Return an error in one line, if the code of a plugin has raised it, itself or in a library that it called; else nothing."""
    plugins = _plugins()
    for one in reversed(frames(error)):
        package = one.module.partition(".")[0]
        if point := plugins.get(package):
            return f"plugin {label(point)}: {one.function}, line {one.line} of {one.file}: {describe(error)}"
        if package == "arena":
            break
    return ""


def _plugins() -> dict[str, EntryPoint]:
    """Return the plugins that may be loaded by the top-level packages of their code."""
    return {_package(point): point for point in consent.allowed_plugins() if point.target}


def _package(point: EntryPoint) -> str:
    """Return the top-level package of a plugin's code; empty: its entry point names none."""
    return point.target.module.partition(".")[0] if point.target else ""
