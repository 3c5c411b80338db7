"""``python tests/studies/house.py``: the figures of the tree, each beside its goal.

Lines are those of ``wc``; studies are not counted among the tests. ``tests/test_house.py`` holds the goals that are reached.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

from msgspec import Struct

ROOT = Path(__file__).parents[2]
PARTICIPLES = {
    "made", "sent", "kept", "found", "told", "given", "taken", "shown", "known", "drawn", "read",
    "put", "met", "left", "held", "built", "begun", "chosen", "written", "heard", "run", "split",
    "cut", "spent", "lost", "won", "paid", "seen", "said", "thrown", "dealt",
}  # fmt: skip
NOT_PARTICIPLES = {  # a verb in the present
    "read", "run", "split", "cut", "put", "feed", "seed", "speed", "need", "embed", "proceed", "shed",
}  # fmt: skip
VAGUE = re.compile(r"\b(nobody|everybody|somebody)\b", re.IGNORECASE)
CAME = re.compile(r"what came of", re.IGNORECASE)
OPENERS = re.compile(r"Return (what|how|whether)\b")


class Figure(Struct, frozen=True):
    """A measured number, and what it should be at most."""

    name: str
    value: float
    most: float


@cache
def files(folder: str) -> tuple[Path, ...]:
    """Return the Python files below a folder that are not empty."""
    return tuple(path for path in sorted((ROOT / folder).rglob("*.py")) if path.stat().st_size)


def lines(paths: tuple[Path, ...]) -> list[int]:
    """Return the number of lines of each file."""
    return [len(path.read_text(encoding="utf-8").splitlines()) for path in paths]


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """Return all statements of a file, also those inside others; their expressions are most of a tree, and are passed over."""
    found: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in found:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += [inner for inner in getattr(node, block, None) or () if isinstance(inner, ast.AST)]
    return tuple(found[1:])


@cache
def functions() -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """Return every function and method of the product."""
    found = (node for path in files("arena") for node in statements(path))
    return tuple(node for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def is_participle(name: str) -> bool:
    """Tell whether a name is one lone participle, as ``played`` or ``_found``."""
    word = name.strip("_")
    return "_" not in word and word not in NOT_PARTICIPLES and (word in PARTICIPLES or (word.endswith("ed") and len(word) > 3))


def twins() -> list[str]:
    """Return the stems that stand in two packages or more."""
    places = defaultdict(set)
    for path in files("arena"):
        places[path.stem].add(path.parent)
    return sorted(stem for stem, packages in places.items() if len(packages) > 1 and stem != "__init__")


def imports() -> Iterator[int]:
    """Yield the number of lines of each import statement of the product."""
    for path in files("arena"):
        for node in statements(path):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield (node.end_lineno or node.lineno) - node.lineno + 1


def texts() -> str:
    """Return all Python files and pages of the product as one text."""
    pages = [path for path in (ROOT / "arena").rglob("*.md") if path.name != "CHANGELOG.md"]
    return "\n".join(path.read_text(encoding="utf-8") for path in (*files("arena"), *pages))


def figures() -> list[Figure]:
    """Return every figure."""
    product, names = lines(files("arena")), [node.name for node in functions()]
    checks = tuple(path for path in files("tests") if "studies" not in path.parts)
    docs = [ast.get_docstring(node) or "" for node in functions()]
    text = texts()
    return [
        Figure("modules of arena/", len(product), 230),
        Figure("lines of arena/", sum(product), 40_000),
        Figure("lines of the median module, at most", median(product), 250),
        Figure("lines of the largest module", max(product), 600),
        Figure("lines that import, in %", round(100 * sum(imports()) / sum(product), 1), 6),
        Figure("stems in two packages or more", len(twins()), 20),
        Figure("lines of tests for a line of product", round(sum(lines(checks)) / sum(product), 2), 0.9),
        Figure("functions named by a lone participle, in %", round(100 * sum(map(is_participle, names)) / len(names), 2), 1),
        Figure("nobody, everybody, somebody", len(VAGUE.findall(text)), 20),
        Figure("what came of", len(CAME.findall(text)), 0),
        Figure("docstrings that begin with Return what, how or whether", sum(bool(OPENERS.match(doc)) for doc in docs), 20),
        Figure("words of README.md", len((ROOT / "README.md").read_text(encoding="utf-8").split()), 900),
    ]


def main() -> None:
    """Print the figures, and with --names what stands behind those of names."""
    for one in figures():
        mark = " " if one.value <= one.most else "*"
        sys.stdout.write(f"{mark} {one.name}: {one.value:g} (at most {one.most:g})\n")
    if "--names" in sys.argv:
        counted = Counter(node.name for node in functions() if is_participle(node.name))
        sys.stdout.write("\n".join(f"{name} {count}" for name, count in counted.most_common()) + "\n")
        sys.stdout.write("\n".join(twins()) + "\n")


if __name__ == "__main__":
    main()
