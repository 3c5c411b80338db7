"""Builds the pluggy plugin manager and collects the parts that plugins add."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from traceback import walk_tb
from types import MemberDescriptorType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import pluggy
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from arena.confinement.profiles import Sandbox
from arena.errors import PluginError
from arena.gin.rules import Rules
from arena.plugins import builtin, consent, hookspecs, webhook
from arena.reports.base import Renderer
from arena.roster.distributions import EntryPoint
from arena.stats.estimate import Rating
from arena.stats.standings import TieBreak
from arena.tournament.executors import Executor
from arena.tournament.formats.base import Format
from arena.tournament.spec import Kinds

# Finds class attributes of a part that look like defaults of its options but are not.
#
# ``target = 50`` in a ruleset, without a type, is not a new default: msgspec keeps the field unchanged, and whether Python finds
# the attribute or the field depends on the order of the bases. The game could be played to one number and the database contain the
# other. So such a part is refused when the parts are collected.


def check_options(part: type[Struct]) -> None:
    """Raise PluginError, with the line to write instead, if an attribute of ``part`` or of a base has the name of an option."""
    for base in part.__mro__:
        for name in part.__struct_fields__:
            found = vars(base).get(name, NODEFAULT)
            if found is not NODEFAULT and not isinstance(found, MemberDescriptorType):
                raise PluginError(_hidden_option_message(part, base, name, found))


def _hidden_option_message(part: type[Struct], base: type, name: str, found: object) -> str:
    """Return the message, of one line: the part, the attribute and the expected declaration."""
    field = next(field for field in fields(part) if field.name == name)
    is_value = not hasattr(type(found), "__get__")  # else a property, a method or another descriptor
    attribute = f"{name} = {found!r}" if is_value else f"{name}, a {type(found).__name__}"
    default = found if is_value else field.default
    line = f"{name}: {_annotation(field.type)}{'' if default is NODEFAULT else f' = {default!r}'}"
    return (
        f"part {part.__struct_config__.tag!r}, {part.__module__}.{part.__qualname__}: `{attribute}` in class {base.__qualname__} "
        f"hides the option and does not set its default; write in class {part.__qualname__}: {line}"
    )


def _annotation(hint: Any) -> str:  # noqa: ANN401 - a type hint is anything
    """Return a type as an author would write it, without bounds."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Annotated, ClassVar):
        return _annotation(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(map(_annotation, arguments))
    if hint is NoneType:
        return "None"
    return str(hint).replace("typing.", "") if arguments else str(getattr(hint, "__name__", hint))


Part = TypeVar("Part", bound=Struct)


def load(*, entry_points: bool = True) -> pluggy.PluginManager:
    """Return a new manager with arena's own parts, the webhook of the environment and, with ``entry_points``, the allowed plugins.

    Raises: PluginError.
    """
    manager = pluggy.PluginManager(hookspecs.hookspec.project_name)
    manager.add_hookspecs(hookspecs)
    manager.register(builtin, "arena")
    for point in consent.allowed_plugins() if entry_points else ():
        with _plugin_errors(f"plugin {point.name!r}, {point.value!r} of {point.owner} cannot be loaded"):
            manager.register(_import(point), point.name)
    if hook := webhook.from_environment():
        manager.register(hook)  # without a name: a plugin may be called ``webhook``
    with _plugin_errors("a plugin cannot be loaded"):
        manager.check_pending()
    return manager


def _import(point: EntryPoint) -> object:
    """Import a plugin and return the module or object with its hooks. Raises: any exception of the plugin's code."""
    target = point.target
    if target is None:
        raise ValueError("expected a module or module:object")
    module = import_module(target.module)
    return getattr(module, target.attribute) if target.attribute else module


@contextmanager
def _plugin_errors(problem: str) -> Iterator[None]:
    """Turn any exception of a plugin's code into one line. Raises: PluginError."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise PluginError(f"{problem}: {_describe(error)}") from error


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def fault_of_plugin(error: Exception) -> str:
    """Return an error in one line, if the code of a plugin has raised it, itself or in a library that it called; else nothing."""
    plugins = {point.target.module.partition(".")[0]: point for point in consent.allowed_plugins() if point.target}
    for frame, line in reversed([*walk_tb(error.__traceback__)]):
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if point := plugins.get(package):
            where = f"{frame.f_code.co_name}, line {line} of {frame.f_code.co_filename}"
            return f"plugin {point.name!r} of {point.owner}: {where}: {_describe(error)}"
        if package == "arena":
            break
    return ""


def kinds(manager: pluggy.PluginManager) -> Kinds:
    """Return every part that a spec can name.

    Raises: PluginError, for a hook that fails, two parts with one name, a part of another kind, and an option that is not declared
    as one.
    """
    hook = manager.hook
    return Kinds(
        rules=_parts(hook.arena_rulesets, Rules),
        formats=_parts(hook.arena_formats, Format),
        sandboxes=_parts(hook.arena_sandboxes, Sandbox),
        ratings=_parts(hook.arena_ratings, Rating),
        reports=_parts(hook.arena_reports, Renderer),
        tie_breaks=_tie_breaks(hook.arena_tie_breaks),
        not_loaded=consent.hint(),
    )


def executors(manager: pluggy.PluginManager) -> dict[str, type[Executor]]:
    """Return the executors by name. Raises: PluginError, as ``kinds``."""
    return by_name(_parts(manager.hook.arena_executors, Executor))


def by_name(parts: Iterable[type[Part]]) -> dict[str, type[Part]]:
    """Return parts by their names: in a spec, or of an executor on the command line."""
    return {name_of(part): part for part in parts}


def commands(manager: pluggy.PluginManager) -> dict[str, Callable[..., None]]:
    """Return the commands of all plugins, by name.

    Raises: PluginError, for a hook that fails, for what is not a function, and for two commands with one name.
    """
    found: dict[str, Callable[..., None]] = {}
    for added in _answers(manager.hook.arena_commands, Mapping):
        for name, command in added.items():
            if name in found:
                raise PluginError(f"two plugins add a command {name!r}: {found[name].__module__} and {command.__module__}")
            if not callable(command):
                raise PluginError(f"hook arena_commands: found {command!r} as the command {name!r}; expected a function")
            found[name] = command
    return found


def name_of(part: type[Struct]) -> str:
    """Return the name of a part: in a spec, or of an executor on the command line."""
    return str(part.__struct_config__.tag)


def _answers(hook: pluggy.HookCaller, kind: type) -> Iterator[Any]:
    """Yield the answer of each plugin to a hook, arena's own first. Raises: PluginError, also for an exception in a plugin."""
    with _plugin_errors(f"hook {hook.name} of a plugin fails"):
        found = hook()
    for answer in reversed(found):  # pluggy calls the plugin that was registered last first
        if not isinstance(answer, kind):
            raise PluginError(f"hook {hook.name}: found {answer!r}; expected a {'dict' if kind is Mapping else 'list'}")
        yield answer


def _parts(hook: pluggy.HookCaller, base: type) -> tuple[type, ...]:
    """Return the parts of one kind, the subclasses of ``base`` that a hook yields; arena's own first. Raises: PluginError."""
    parts = tuple(chain.from_iterable(_answers(hook, Iterable)))
    for part in parts:
        if not (isinstance(part, type) and issubclass(part, base)):
            raise PluginError(f"hook {hook.name}: found {part!r}; expected subclasses of {base.__module__}.{base.__qualname__}")
    names = [name_of(part) for part in parts]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        modules = " and ".join(part.__module__ for part in parts if name_of(part) == repeated[0])
        raise PluginError(f"two parts are called {repeated[0]!r}: {modules}")
    for part in parts:
        check_options(part)
    return parts


def _tie_breaks(hook: pluggy.HookCaller) -> tuple[TieBreak, ...]:
    """Return the tie-breaks, arena's own first. Raises: PluginError, for two with one name and for any other object."""
    found = tuple(chain.from_iterable(_answers(hook, Iterable)))
    for one in found:
        if not isinstance(one, TieBreak):
            raise PluginError(f"hook arena_tie_breaks: found {one!r}; expected a TieBreak of arena.stats.standings")
    names = [one.name for one in found]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise PluginError(f"two tie-breaks are called {repeated[0]!r}; expected another name for the plugin's")
    return found
