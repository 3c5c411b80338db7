"""Finds the bots in a source, and checks that it has the class that a bot's name refers to, without running the source.

Only a name that certainly is not a bot is refused: one that is imported, assigned or created at run time may be anything.
"""

import ast
import builtins
import sys
from collections.abc import Iterator
from typing import NamedTuple

from arena.errors import RosterError

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
DYNAMIC = frozenset({"__getattr__", "globals", "vars", "setattr", "exec"})  # a module that uses one of these can define any name
EXPECTED = "expected a subclass of arena.sdk.Bot"


class BotClasses(NamedTuple):
    """The classes of a module that are bots."""

    certain: list[str]  # that inherit from ``Bot``
    possible: list[str]  # that may, because they inherit from an imported class of others


def only(tree: ast.Module, where: str) -> str:
    """Return the bot of a module that has only one; ``where`` names the module in errors. Raises: RosterError."""
    found = bots(tree).certain or bots(tree).possible
    if len(found) != 1:
        shown = f"found {', '.join(found[:10])}" if found else "found no class that inherits from Bot"
        raise RosterError(f"{where}: add the name of the bot's class, as {where}:Class; {shown}")
    return found[0]


def bots(tree: ast.Module) -> BotClasses:
    """Return the bots among the classes that a module defines."""
    origins = dict(_origins(tree))
    ours = {"Bot", *(name for name, package in origins.items() if package == "arena_bots")}
    others = {*dir(builtins), *(name for name, package in origins.items() if package in sys.stdlib_module_names)}
    found = BotClasses([], [])
    for node in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        bases = list(map(_dotted, node.bases))
        if any(base[0] in ours or base[-1] == "Bot" for base in bases):
            ours.add(node.name)
            found.certain.append(node.name)
        elif all(base[0] in others for base in bases):
            others.add(node.name)
        else:
            found.possible.append(node.name)
    return found


def _origins(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each imported name with the top-level package that it comes from; ``arena_bots`` also for the SDK's class."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield alias.asname or top, top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            top = (node.module or "").partition(".")[0]
            for alias in node.names:
                yield alias.asname or alias.name, "arena_bots" if (top, alias.name) == ("arena", "Bot") else top


def _dotted(base: ast.expr) -> tuple[str, ...]:
    """Return the names of a base class, as ``("sdk", "Bot")``; an expression without a name has an empty one."""
    names: list[str] = []
    while isinstance(base, ast.Attribute | ast.Subscript):
        if isinstance(base, ast.Attribute):
            names.append(base.attr)
        base = base.value
    return (base.id if isinstance(base, ast.Name) else "", *reversed(names))


def check(tree: ast.Module, name: str, where: str) -> None:
    """Check that a module may have a bot called ``name``; ``where`` names the module in errors. Raises: RosterError."""
    nodes = list(ast.walk(tree))
    if any(_may_be_bot(node, name) for node in nodes):
        return
    for node in nodes:
        if isinstance(node, ast.ClassDef) and node.name == name:
            raise RosterError(f"{where}:{node.lineno}: class {name} has no base class; {EXPECTED}")
        if isinstance(node, Definition) and node.name == name:
            raise RosterError(f"{where}:{node.lineno}: {name} is a function; {EXPECTED}")
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    found = f"found {', '.join(classes[:10])}" if classes else "the file has no classes"
    raise RosterError(f"{where}: no class {name!r}; {found}")


def _may_be_bot(node: ast.AST, name: str) -> bool:
    match node:
        case ast.ClassDef():
            return node.name == name and bool(node.bases or node.keywords or node.decorator_list)
        case ast.Import() | ast.ImportFrom():
            return any(alias.name == "*" or (alias.asname or alias.name.partition(".")[0]) == name for alias in node.names)
        case ast.Name():
            return node.id == name or node.id in DYNAMIC
        case ast.FunctionDef():
            return node.name in DYNAMIC
    return False
