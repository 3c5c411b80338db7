"""Finds the bots in a source, and checks that it has the class that a bot's name refers to, without running the source.

Only a name that certainly is not a bot is refused: one that is imported, assigned or created at run time may be anything.
"""

import builtins
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.errors import RosterError
from arena.roster.outline import Outline

DYNAMIC = frozenset({"__getattr__", "globals", "vars", "setattr", "exec"})  # a module that uses one of these can define any name
EXPECTED = "expected a subclass of arena.sdk.Bot"


class BotClasses(NamedTuple):
    """The classes of a module that are bots."""

    certain: list[str]  # that inherit from ``Bot``
    possible: list[str]  # that may, because they inherit from an imported class of others


class NotOneBotError(RosterError):
    """A file has no bot, or several, and none is named."""

    def __init__(self, where: str, bots: Sequence[str]) -> None:
        super().__init__(f"{where}: add the name of the bot's class, as {where}:Class; {listed(bots)}")
        self.bots = bots


def listed(bots: Sequence[str]) -> str:
    """Return which bots were found."""
    return f"found {', '.join(bots[:10])}" if bots else "found no class that inherits from Bot"


def only(source: Outline, where: str) -> str:
    """Return the bot of a module that has only one; ``where`` names the module in errors. Raises: NotOneBotError."""
    found = bots(source).certain or bots(source).possible
    if len(found) != 1:
        raise NotOneBotError(where, found)
    return found[0]


def bots(source: Outline) -> BotClasses:
    """Return the bots among the classes that a module defines."""
    origins = dict(_origins(source))
    ours = {"Bot", *(name for name, package in origins.items() if package == "arena_bots")}
    others = {*dir(builtins), *(name for name, package in origins.items() if package in sys.stdlib_module_names)}
    found = BotClasses([], [])
    for one in (one for one in source.definitions if one.is_class and one.is_top):
        if any(base[0] in ours or base[-1] == "Bot" for base in one.bases):
            ours.add(one.name)
            found.certain.append(one.name)
        elif all(base[0] in others for base in one.bases):
            others.add(one.name)
        else:
            found.possible.append(one.name)
    return found


def _origins(source: Outline) -> Iterator[tuple[str, str]]:
    """Yield each imported name with the top-level package that it comes from; ``arena_bots`` also for the SDK's class."""
    for one in source.imports:
        if one.is_top and not one.level:
            for name, bound in zip(one.names, one.bound, strict=True):
                top = (name if one.module is None else one.module).partition(".")[0]
                yield bound, "arena_bots" if one.module and (top, name) == ("arena", "Bot") else top


def check(source: Outline, name: str, where: str) -> None:
    """Check that a module may have a bot called ``name``; ``where`` names the module in errors. Raises: RosterError."""
    if _may_have_bot(source, name):
        return
    for one in source.definitions:
        if one.name == name:
            problem = f"class {name} has no base class" if one.is_class else f"{name} is a function"
            raise RosterError(f"{where}:{one.line}: {problem}; {EXPECTED}")
    classes = [one.name for one in source.definitions if one.is_class]
    found = f"found {', '.join(classes[:10])}" if classes else "the file has no classes"
    raise RosterError(f"{where}: no class {name!r}; {found}")


def _may_have_bot(source: Outline, name: str) -> bool:
    if name in source.names or not DYNAMIC.isdisjoint(source.names):
        return True
    if any(name in one.bound or "*" in one.bound for one in source.imports):
        return True
    return any(one.name == name and one.is_made if one.is_class else one.name in DYNAMIC for one in source.definitions)
