"""Finds the bots in a source, and checks that it has the class that a bot's name refers to, without running the source.

``check`` refuses a name only if it certainly is not a bot: what is imported, assigned or created at run time may be anything.
"""

import builtins
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.errors import RosterError
from arena.roster.python_source import Outline

DYNAMIC = frozenset({"__getattr__", "globals", "vars", "setattr", "exec"})  # a module that uses one of these can define any name
_NOT_THE_CLASS = {("arena", "Bot"), ("arena", "bot"), ("arena.sdk", "bot")}  # mistakes for ``from arena.sdk import Bot``
EXPECTED = "expected a subclass of arena.sdk.Bot"


class BotClasses(NamedTuple):
    """The classes of a module that are bots."""

    certain: list[str]  # those that inherit from ``Bot``
    possible: list[str]  # those that may, because they inherit from a class of unknown origin


class NotOneBotError(RosterError):
    """A file has no bot, or several, and none is named."""

    def __init__(self, where: str, bots: Sequence[str]) -> None:
        found = list_names(bots)
        cure = f"name one, as {where}:{bots[0]}" if bots else "write `class Mine(Bot)`, with `from arena.sdk import Bot`"
        super().__init__(f"{where}: {found}; {cure}")
        self.bots = bots


def list_names(bots: Sequence[str]) -> str:
    """Return ``found A, B`` for at most ten names, for a message."""
    return f"found {', '.join(bots[:10])}" if bots else "found no class that inherits from Bot"


def only_bot(source: Outline, where: str) -> str:
    """Return the bot of a module that has only one; ``where`` names the module in errors. Raises: NotOneBotError."""
    _check_base(source, where)
    classes = bots(source)
    found = classes.certain or classes.possible
    if len(found) != 1:
        raise NotOneBotError(where, found)
    return found[0]


def bots(source: Outline) -> BotClasses:
    """Return the bots among the classes that a module defines at its top level."""
    origins = dict(_origins(source))
    bot_names = {"Bot", *(name for name, package in origins.items() if package == "arena_bots")}
    other_names = {*dir(builtins), *(name for name, package in origins.items() if package in sys.stdlib_module_names)}
    found = BotClasses([], [])
    for definition in (one for one in source.definitions if one.is_class and one.is_top):
        if any(base[0] in bot_names or base[-1] == "Bot" for base in definition.bases):
            bot_names.add(definition.name)
            found.certain.append(definition.name)
        elif all(base[0] in other_names for base in definition.bases):
            other_names.add(definition.name)
        else:
            found.possible.append(definition.name)
    return found


def bots_of_several(sources: Mapping[str, Outline]) -> list[str]:
    """Return the bots of several modules, by their names, as ``module:Class``; without those from which others of them inherit.

    Only if no class certainly inherits from ``Bot``, those that may are returned.
    """
    classes = {name: bots(source) for name, source in sources.items()}
    certain = {(name, bot) for name, found in classes.items() for bot in found.certain}
    bases = {(name, bot): found for name, source in sources.items() for bot, found in _base_names(source)}
    possible = [(name, bot) for name, found in classes.items() for bot in found.possible]
    for _ in possible:  # each may inherit from the one before
        certain |= {one for one in possible if bases[one] & {bot for _, bot in certain}}
    inherited = {base for one in certain for base in bases[one]}
    leaves = [one for one in sorted(certain) if one[1] not in inherited] or possible
    return [f"{name}:{bot}" for name, bot in leaves]


def _base_names(source: Outline) -> Iterator[tuple[str, set[str]]]:
    """Yield each class of a module with the names of its bases, as the modules that define them call them."""
    called = {bound: name for one in source.imports for name, bound in zip(one.names, one.bound, strict=True)}
    for one in source.definitions:
        yield one.name, {called.get(base[-1], base[-1]) for base in one.bases}


def _origins(source: Outline) -> Iterator[tuple[str, str]]:
    """Yield each imported name with its top-level package; the SDK's ``Bot`` counts as ``arena_bots``, whose classes are bots."""
    for statement in source.imports:
        if statement.is_top and not statement.level:
            for name, bound in zip(statement.names, statement.bound, strict=True):
                top = (name if statement.module is None else statement.module).partition(".")[0]
                yield bound, "arena_bots" if statement.module and (top, name) == ("arena", "Bot") else top


def check(source: Outline, name: str, where: str) -> None:
    """Check that a module may have a bot called ``name``; ``where`` names the module in errors. Raises: RosterError."""
    _check_base(source, where)
    if _may_have_bot(source, name):
        return
    for definition in source.definitions:
        if definition.name == name:
            problem = f"class {name} has no base class" if definition.is_class else f"{name} is a function"
            raise RosterError(f"{where}:{definition.line}: {problem}; {EXPECTED}")
    classes = [definition.name for definition in source.definitions if definition.is_class]
    found = f"found {', '.join(classes[:10])}" if classes else "the file has no classes"
    raise RosterError(f"{where}: no class {name!r}; {found}")


def _check_base(source: Outline, where: str) -> None:
    """Check that no class inherits from what a mistaken import of the SDK's ``Bot`` gives. Raises: RosterError."""
    bases = {base for one in source.definitions if one.is_class and one.is_top for base in one.bases}
    for statement in source.imports:
        module = statement.module
        for name, bound in zip(statement.names, statement.bound, strict=True):
            if module in ("arena", "arena.sdk") and (bound,) in bases and (module, name) in _NOT_THE_CLASS:
                raise RosterError(
                    f"{where}:{statement.line}: found `from {module} import {name}`; expected `from arena.sdk import Bot`"
                )


def _may_have_bot(source: Outline, name: str) -> bool:
    if name in source.names or not DYNAMIC.isdisjoint(source.names):
        return True
    if any(name in one.bound or "*" in one.bound for one in source.imports):
        return True
    classes = [one for one in source.definitions if one.is_class]
    functions = [one for one in source.definitions if not one.is_class]
    return any(one.name == name and one.may_be_bot for one in classes) or any(one.name in DYNAMIC for one in functions)
