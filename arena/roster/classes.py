"""Checks that a source has the class that a bot's name refers to, without running the source.

Only a name that certainly is not a bot is refused: one that is imported, assigned or created at run time may be anything.
"""

from arena.errors import RosterError
from arena.roster.outline import Outline

DYNAMIC = frozenset({"__getattr__", "globals", "vars", "setattr", "exec"})  # a module that uses one of these can define any name
EXPECTED = "expected a subclass of arena.sdk.Bot"


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
