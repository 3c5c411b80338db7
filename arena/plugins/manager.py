"""Collects the parts that a spec or an option can name, arena's own and those that plugins add."""

import os
from collections.abc import Iterable
from itertools import chain
from typing import Any, TypeVar

import pluggy
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import PluginError
from arena.plugins import builtin, consent, door
from arena.plugins.consent import WEBHOOK
from arena.plugins.door import PluginManager, answers
from arena.plugins.held_parts import refusal
from arena.plugins.part_contracts import PARTS
from arena.stats.score_ranking import TieBreak
from arena.tournament.executors import Executor
from arena.tournament.spec import Kinds

Part = TypeVar("Part", bound=Struct)


def load(*, entry_points: bool = True) -> PluginManager:
    """Return a new manager with arena's own parts, the webhook of the environment and, with ``entry_points``, the allowed plugins.

    Raises: PluginError.
    """
    manager = door.load(builtin, entry_points=entry_points)
    if os.environ.get(WEBHOOK):
        from arena.plugins import webhook  # noqa: PLC0415 - imports a client of HTTP, which few environments ask for

        manager.register(webhook.from_environment())  # without a name: a plugin may be called ``webhook``
    return manager


def refused(manager: pluggy.PluginManager) -> list[str]:
    """Return what is wrong with the parts that break their contract, a line for each. Raises: PluginError, as ``kinds``."""
    return [problem for hook in PARTS for part in _parts(getattr(manager.hook, hook)) if (problem := refusal(part))]


def kinds(manager: pluggy.PluginManager) -> Kinds:
    """Return every part that a spec can name, and the kinds of stored runs.

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
        stored=door.stored_kinds(manager),
        not_loaded=consent.hint(),
    )


def installed_kinds() -> Kinds:
    """Return every part that arena and the installed plugins have. Raises: PluginError."""
    return kinds(load())


def naming_missing(kinds: Kinds, before: str) -> Kinds:
    """Return kinds whose errors also name the distributions that were loaded ``before`` and are not now. Raises: PluginError."""
    return replace(kinds, not_loaded=kinds.not_loaded + consent.missing(before))


def executors(manager: pluggy.PluginManager) -> dict[str, type[Executor]]:
    """Return the executors by name. Raises: PluginError, as ``kinds``."""
    return by_name(_parts(manager.hook.arena_executors))


def by_name(parts: Iterable[type[Part]]) -> dict[str, type[Part]]:
    """Return parts by their names: in a spec, or of an executor on the command line."""
    return {name_of(part): part for part in parts}


def name_of(part: type[Struct]) -> str:
    """Return the name of a part: in a spec, or of an executor on the command line."""
    return str(part.__struct_config__.tag)


def _parts(hook: pluggy.HookCaller) -> tuple[Any, ...]:
    """Return the parts of one kind, arena's own first. Raises: PluginError, also for two with one name."""
    parts = tuple(chain.from_iterable(answers(hook)))
    names = [name_of(part) for part in parts]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        modules = " and ".join(part.__module__ for part in parts if name_of(part) == repeated[0])
        raise PluginError(f"two parts are called {repeated[0]!r}: {modules}")
    return parts


def _tie_breaks(hook: pluggy.HookCaller) -> tuple[TieBreak, ...]:
    """Return the tie-breaks, arena's own first. Raises: PluginError, also for two with one name."""
    found = tuple(chain.from_iterable(answers(hook)))
    names = [one.name for one in found]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise PluginError(f"two tie-breaks are called {repeated[0]!r}; expected another name for the plugin's")
    return found
