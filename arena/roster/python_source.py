"""Reads what arena has to know of a Python source: its imports, definitions and names.

The source is parsed and never run.

The values are plain, so that a confined process can parse a stranger's source and send them (:mod:`arena.runs.reader`).
"""

import ast
import warnings
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import astuple

from arena.parameters import Parameter

Numbers = tuple[int | float | None, ...]  # the arguments of a ``Parameter``

LARGEST = 1 << 20  # bytes of a source; a larger one could take too long to parse


class UnreadableError(ValueError):
    """A text cannot be read; ``line`` counts from 1, and is None if no line is at fault."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.line = line


class Import(Struct, frozen=True):
    """An import statement."""

    line: int
    is_top: bool  # at the top level of its module
    names: tuple[str, ...]  # what is imported: modules, or with ``from`` names of the module
    bound: tuple[str, ...]  # the name that each of them defines in the module; ``*`` stands for any
    module: str | None = None  # after ``from``, empty where only dots follow; None: a statement without ``from``
    level: int = 0  # dots after ``from``


class Definition(Struct, frozen=True):
    """A class or function."""

    name: str
    line: int
    is_class: bool
    is_top: bool  # at the top level of its module
    bases: tuple[tuple[str, ...], ...] = ()  # of a class: the names of each base, as ``("sdk", "Bot")``
    may_be_bot: bool = False  # whether a class has bases, keywords or decorators, which may make it a bot
    parameters: tuple[tuple[str, Numbers], ...] = ()  # of a class, declared by plain numbers


class Outline(Struct, frozen=True):
    """The imports, definitions and names of a source."""

    imports: tuple[Import, ...]
    definitions: tuple[Definition, ...]
    names: frozenset[str]  # every variable that it reads or assigns, without attributes


def outline(content: bytes) -> Outline:
    """Return the outline of a source. Raises: UnreadableError."""
    tree = _parse(content)
    top = set(map(id, tree.body))
    nodes = list(ast.walk(tree))
    return Outline(
        imports=tuple(_import(node, is_top=id(node) in top) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)),
        definitions=tuple(_definition(node, is_top=id(node) in top) for node in nodes if isinstance(node, _DEFINITIONS)),
        names=frozenset(node.id for node in nodes if isinstance(node, ast.Name)),
    )


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _parse(content: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(content)
    except SyntaxError as error:
        raise UnreadableError(f"not valid Python: {error.msg}", error.lineno or 1) from None
    except (RecursionError, MemoryError):  # the parser raises either for an expression that is nested too deep
        raise UnreadableError("not valid Python: nested too deeply") from None
    except ValueError as error:
        raise UnreadableError(f"not valid Python: {error}") from None


def _import(node: ast.Import | ast.ImportFrom, *, is_top: bool) -> Import:
    names = tuple(alias.name for alias in node.names)
    bound = tuple(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    if isinstance(node, ast.Import):
        return Import(node.lineno, is_top, names, bound)
    return Import(node.lineno, is_top, names, bound, node.module or "", node.level)


def _definition(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, *, is_top: bool) -> Definition:
    if not isinstance(node, ast.ClassDef):
        return Definition(node.name, node.lineno, is_class=False, is_top=is_top)
    may_be_bot = bool(node.bases or node.keywords or node.decorator_list)
    return Definition(
        node.name,
        node.lineno,
        is_class=True,
        is_top=is_top,
        bases=tuple(map(_base, node.bases)),
        may_be_bot=may_be_bot,
        parameters=tuple(_parameters(node)),
    )


def _parameters(node: ast.ClassDef) -> Iterator[tuple[str, Numbers]]:
    """Yield each ``name = Parameter(...)`` of a class; one with invalid arguments may be of another library, and is left out."""
    for one in node.body:
        if not isinstance(one, ast.Assign | ast.AnnAssign) or not isinstance(one.value, ast.Call):
            continue
        if _base(one.value.func)[-1] != "Parameter":
            continue
        try:
            numbers = [ast.literal_eval(argument) for argument in one.value.args]
            named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in one.value.keywords}
            found: Parameter[float] = Parameter(*numbers, **named)
        except (ValueError, TypeError):  # if it is arena's own Parameter, the bot's process raises the error
            continue
        targets = one.targets if isinstance(one, ast.Assign) else [one.target]
        yield from ((target.id, astuple(found)) for target in targets if isinstance(target, ast.Name))


def _base(node: ast.expr) -> tuple[str, ...]:
    """Return the names of a dotted expression, the first empty if it is not a variable; a long chain must not exhaust the stack."""
    names: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else "", *reversed(names))
