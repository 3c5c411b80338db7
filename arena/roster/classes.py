"""Checks that a source has the class that a bot's name refers to, without running the source.

Only a name that certainly is not a bot is refused: one that is imported, assigned or created at run time may be anything.
"""

import ast

from arena.errors import RosterError

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
DYNAMIC = frozenset({"__getattr__", "globals", "vars", "setattr", "exec"})  # a module that uses one of these can define any name
EXPECTED = "expected a subclass of arena.sdk.Bot"


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
