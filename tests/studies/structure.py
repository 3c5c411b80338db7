"""``python tests/studies/structure.py [MODULE]``: thermometers of the tree, or the modules that one reaches.

What a module reaches is itself, all that it imports outside functions, also for types alone, and what these reach. Lines are those
of ``wc``. The figures describe; ``tests/test_layers.py`` holds only that none of the entries reaches more than it does.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
MOST_REACHED = {  # entries, with the most lines that they may reach
    "arena.tournament.spec": 9_525,
    "arena.runs.play": 21_880,
    "arena.results.publish": 26_200,
    "arena.cli.run": 32_090,
}
BANNER = re.compile(r"(?<=\n\n)(?: *#.*\n)+(?=\n)")  # a comment between blank lines, which names what follows
FROM = re.compile(r"\bfrom (arena[\w.]*) import (\([\s\S]*?\n *\)|[^\n]*)")
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
IMPORTS = ast.Import | ast.ImportFrom
VALUES = {"Struct", "NamedTuple", "Enum", "StrEnum", "IntEnum"}  # bases of types that only hold values


class Figure(Struct, frozen=True):
    """A measured number."""

    name: str
    value: float


@cache
def files(folder: str = "arena") -> tuple[Path, ...]:
    """Return the Python files below a folder of the repository that are not empty."""
    return tuple(path for path in sorted((ROOT / folder).rglob("*.py")) if path.stat().st_size)


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """Return all statements of a file, also those inside others; their expressions are most of a tree, and are passed over."""
    found: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in found:
        found += _inside(node)
    return tuple(found[1:])


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        yield from (inner for inner in getattr(node, block, None) or () if isinstance(inner, ast.AST))


@cache
def modules() -> Mapping[str, Path]:
    """Return each module of the product by its dotted name."""
    names = {path: path.relative_to(ROOT).with_suffix("") for path in files()}
    return {".".join(name.parts).removesuffix(".__init__"): path for path, name in names.items()}


@cache
def imports(module: str, *, in_functions: bool = True) -> frozenset[str]:
    """Return the modules of the product that one imports by name, also for types alone."""
    known, found = modules(), set[str]()
    for node in statements(known[module]) if in_functions else _outside_functions(known[module]):
        if isinstance(node, ast.ImportFrom) and node.module:
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (named & known.keys()) or ({node.module} & known.keys())
    return frozenset(found)


def mentioned(module: str) -> frozenset[str]:
    """Return the modules of the product that one imports by name or mentions so in a text; no statement is read."""
    known, found = modules(), set[str]()
    for package, names in FROM.findall(known[module].read_text(encoding="utf-8")):
        named = {f"{package}.{name}" for name in re.findall(r"\w+", names)}
        found |= (named & known.keys()) or ({package} & known.keys())
    return frozenset(found - {module})


def _outside_functions(path: Path) -> list[ast.AST]:
    found: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in found:
        found += (inner for inner in _inside(node) if not isinstance(inner, FUNCTIONS))
    return found


def reached(module: str) -> set[str]:
    """Return the modules that one reaches, itself included."""
    found, ahead = {module}, [module]
    while ahead:
        new = imports(ahead.pop(), in_functions=False) - found
        found |= new
        ahead += new
    return found


def lines(names: set[str]) -> int:
    """Return the lines of modules together."""
    return sum(len(modules()[name].read_text(encoding="utf-8").splitlines()) for name in names)


def _definitions() -> Iterator[DEFINITIONS]:
    """Yield the functions, methods and classes of the product with a public name."""
    for path in files():
        yield from (node for node in statements(path) if isinstance(node, DEFINITIONS) and not node.name.startswith("_"))


def _holds_values(node: ast.AST) -> bool:
    """Tell whether a class is a type of values alone."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return any(ast.unparse(base).rpartition(".")[2] in VALUES for base in bases)


def _renamed() -> Iterator[ast.alias]:
    """Yield the imports of the product's own names under another name."""
    for path in files():
        for node in statements(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("arena"):
                yield from (alias for alias in node.names if alias.asname not in {None, alias.name})


def figures() -> list[Figure]:
    """Return every figure of the product."""
    public = list(_definitions())
    functions = [node for path in files() for node in statements(path) if isinstance(node, FUNCTIONS)]
    explained = sum(ast.get_docstring(node) is not None for node in functions)
    return [
        *(Figure(f"lines that {entry} reaches", lines(reached(entry))) for entry in MOST_REACHED),
        Figure("modules", len(files())),
        Figure("lines", lines(set(modules()))),
        Figure("public names", len(public)),
        Figure("types of values", sum(map(_holds_values, public))),
        Figure("banners", sum(len(BANNER.findall(path.read_text(encoding="utf-8"))) for path in files())),
        Figure("imports under another name", len(list(_renamed()))),
        Figure("functions with a docstring, in %", round(100 * explained / len(functions))),
    ]


def main(names: list[str]) -> None:
    """Print the figures, or the modules that each of some reaches."""
    for name in names:
        sys.stdout.write("".join(f"{one}\n" for one in sorted(reached(name))))
    for figure in () if names else figures():
        sys.stdout.write(f"{figure.name}: {figure.value:,g}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
