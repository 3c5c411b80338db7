"""What arena has to know of a Python source: what it imports, and which names it gives. The source is parsed and never run.

The values are plain, so that a confined process can parse a stranger's source and send them
(:mod:`arena.runs.submissions.reader`).
"""

import ast
import warnings
from collections.abc import Iterator

from msgspec import Struct

LARGEST = 1 << 20  # bytes of a source; a larger one could take more than seconds to parse


class UnreadableError(ValueError):
    """A text cannot be read; ``line`` counts from 1, and is None where no line is at fault."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.line = line


class Import(Struct, frozen=True):
    """An import statement."""

    line: int
    names: tuple[str, ...]  # what is imported: modules, or with ``from`` names of the module
    bound: tuple[str, ...]  # the names that it gives; ``*`` stands for any
    module: str | None = None  # after ``from``, empty where only dots follow; None: a statement without ``from``
    level: int = 0  # dots after ``from``


class Definition(Struct, frozen=True):
    """A class or function."""

    name: str
    line: int
    is_class: bool
    is_top: bool  # at the top level of its module
    bases: tuple[str, ...] = ()  # of a class: the last name of each base, empty for one without a name
    is_made: bool = False  # whether a class has bases, keywords or decorators, which may make it a bot


class Outline(Struct, frozen=True):
    """A source, as far as arena has to know it."""

    imports: tuple[Import, ...]
    definitions: tuple[Definition, ...]
    names: frozenset[str]  # every other name in it


def outline(content: bytes) -> Outline:
    """Return the outline of a source. Raises: UnreadableError."""
    tree = _parsed(content)
    top = set(map(id, tree.body))
    nodes = list(ast.walk(tree))
    return Outline(
        imports=tuple(_imports(nodes)),
        definitions=tuple(_definition(node, is_top=id(node) in top) for node in nodes if isinstance(node, _DEFINITIONS)),
        names=frozenset(node.id for node in nodes if isinstance(node, ast.Name)),
    )


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _parsed(content: bytes) -> ast.Module:
    if len(content) > LARGEST:
        raise UnreadableError(f"larger than {LARGEST} bytes")
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(content)
    except SyntaxError as error:
        raise UnreadableError(f"not valid Python: {error.msg}", error.lineno or 1) from None
    except (RecursionError, MemoryError):  # the parser raises either for an expression that is nested too deep
        raise UnreadableError("not valid Python: nested too deeply") from None
    except ValueError as error:
        raise UnreadableError(f"not valid Python: {error}") from None


def _imports(nodes: list[ast.AST]) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound = tuple(alias.asname or alias.name.partition(".")[0] for alias in node.names)
            names = tuple(alias.name for alias in node.names)
            if isinstance(node, ast.Import):
                yield Import(node.lineno, names, bound)
            else:
                yield Import(node.lineno, names, bound, node.module or "", node.level)


def _definition(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, *, is_top: bool) -> Definition:
    if not isinstance(node, ast.ClassDef):
        return Definition(node.name, node.lineno, is_class=False, is_top=is_top)
    is_made = bool(node.bases or node.keywords or node.decorator_list)
    return Definition(node.name, node.lineno, is_class=True, is_top=is_top, bases=tuple(map(_base, node.bases)), is_made=is_made)


def _base(node: ast.expr) -> str:
    """Return the last name of a base; it is not walked, because a long chain of attributes would exhaust the stack."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
    return ""
