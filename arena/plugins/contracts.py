"""Holds what plugins return to the contracts of the hooks.

Each function of a plugin that arena calls is wrapped when the plugin is registered: its hooks and, of each part, the methods and
properties that a part may override. An exception, an exit or a wrong value then becomes a PluginError of one line, with the
plugin, its distribution, the hook, what was found and what was expected.

The expected type is the annotation in the base class, so a new method is checked as soon as it has one; ``MEANINGS`` adds what a
type cannot say.

The class of a part is changed, not replaced by a subclass, because a worker finds a class by its name. Arena's own parts are left
as they are: its tests hold them, and some are called for each card.

Nothing limits how long a plugin may take, which depends on the run; the log names a call that took long or was interrupted.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from arena.plugins.checked_calls import wrap
from arena.plugins.command import Command
from arena.plugins.names import check_name
from arena.plugins.source import Source, UnexpectedError
from arena.plugins.typed import data, shown
from arena.roster.distributions import parse_target


def hold_hook(name: str, hook: Callable[..., Any], source: Source) -> Callable[..., Any]:
    """Return the function of a hook, wrapped; one that ``HOOKS`` lacks is returned as it is, and refused by pluggy."""
    here = source.at(f"hook {name}")
    check = HOOKS.get(name)
    return wrap(hook, here, lambda value, _: check(value, here)) if check else hook


def _added_parts(hook: str, value: Any, source: Source) -> Any:  # noqa: ANN401 - of a plugin
    """Return the parts that a hook adds, held to the contracts of their base classes."""
    from arena.plugins import part_contracts  # noqa: PLC0415 - it imports all base classes, which a plugin with a command does not need

    return part_contracts.held(hook, value, source)


def _commands(value: Any, _: Source) -> dict[str, Command | Callable[..., None]]:  # noqa: ANN401 - of a plugin
    """Return the commands that a hook adds."""
    if not isinstance(value, Mapping):
        raise UnexpectedError(shown(value), "a dict of functions by name")
    for name, command in value.items():
        check_name(name, "a command")
        if isinstance(command, Command):
            _check_described(name, data(command, Command))
        elif not callable(command):
            raise UnexpectedError(f"{shown(command)} as the command {name!r}", "a function")
    return dict(value)


def _check_described(name: str, command: Command) -> None:
    """Raise UnexpectedError for a command that cannot be found, or shown in a line of the help."""
    _check_place(command.where, f"the command {name!r}", "module:function")
    for text in (command.line, command.group):
        if not (text.strip() and text.isprintable()):
            raise UnexpectedError(f"{shown(text)} in the help of the command {name!r}", "a line of text")


def _check_place(where: Any, what: str, expected: str) -> None:  # noqa: ANN401 - of a plugin
    """Raise UnexpectedError for what names no attribute of a module."""
    target = parse_target(where) if isinstance(where, str) else None
    if not (target and target.attribute):
        raise UnexpectedError(f"{shown(where)} as the place of {what}", repr(expected))


def _places(what: str, kind: str, value: Any, _: Source) -> dict[str, str]:  # noqa: ANN401 - of a plugin
    """Return the places of classes that a hook adds by name; ``what`` they are, and a ``kind`` of class."""
    if not isinstance(value, Mapping):
        raise UnexpectedError(shown(value), f"a dict of 'module:{kind}' by name")
    for name, where in value.items():
        check_name(name, f"a {what}")
        _check_place(where, f"the {what} {name!r}", f"module:{kind}")
    return dict(value)


def _pages(value: Any, _: Source) -> dict[str, Path]:  # noqa: ANN401 - of a plugin
    """Return the pages that a hook adds."""
    if not isinstance(value, Mapping):
        raise UnexpectedError(shown(value), "a dict of paths by name")
    for name, path in value.items():
        check_name(name, "a page")
        if not (isinstance(path, Path) and path.is_absolute()):
            raise UnexpectedError(f"{shown(path)} as the page {name!r}", "a Path that begins with /")
    return dict(value)


def _nothing(value: Any, _: Source) -> None:  # noqa: ANN401 - of a plugin
    """Return None, the only value of a reaction: a coroutine, say, would never be awaited."""
    if value is not None:
        raise UnexpectedError(shown(value), "None")


PART_HOOKS = (
    "arena_rulesets",
    "arena_formats",
    "arena_sandboxes",
    "arena_executors",
    "arena_ratings",
    "arena_reports",
    "arena_tie_breaks",
)
HOOKS: Mapping[str, Callable[[Any, Source], Any]] = {
    **{hook: partial(_added_parts, hook) for hook in PART_HOOKS},
    "arena_commands": _commands,
    "arena_documents": partial(_places, "document", "Struct"),
    "arena_stored_kinds": partial(_places, "kind of runs", "Class"),
    "arena_pages": _pages,
    **dict.fromkeys(("arena_recorded", "arena_event", "arena_round"), _nothing),
}
