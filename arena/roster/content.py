"""Which files a Python bot consists of: its module, and what that imports from its own folder, read without running any."""

import ast
from collections.abc import Iterator
from pathlib import Path

OWN = (".json", ".txt", ".csv", ".bin", ".npz")  # what a bot may keep beside its module under the module's name


def files(module: Path) -> list[Path]:
    """Return the files of the bot in ``module``: sources that its imports lead to, package files, and its own other files."""
    found: set[Path] = set()
    waiting = [module.resolve()]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            found.update(beside for beside in path.parent.glob(f"{path.stem}.*") if beside.suffix in OWN)
            waiting += _packages(path)
            waiting += _imported(path)
    return sorted(found)


def _packages(path: Path) -> Iterator[Path]:
    """Yield what the packages that a module stands in run before it."""
    for folder in path.parents:
        if not (folder / "__init__.py").is_file():
            return
        yield folder / "__init__.py"


def imports(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Return the import statements of a source; what cannot be read or parsed has none."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _imported(path: Path) -> Iterator[Path]:
    """Yield the files in the folders around ``path`` that its import statements name."""
    for node in imports(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _absolute(path, alias.name.split("."))
            continue
        steps = node.module.split(".") if node.module else []
        for name in [[], *([alias.name] for alias in node.names)]:
            if node.level:
                yield from _module(path.parents[node.level - 1], steps + name)
            else:
                yield from _absolute(path, steps + name)


def _absolute(path: Path, steps: list[str]) -> Iterator[Path]:
    """Yield a module that stands beside ``path``, or in the packages that ``path`` is in."""
    folder = path.parent
    yield from _module(folder, steps)
    while (folder / "__init__.py").is_file():
        if steps and steps[0] in (folder.name, _known_as(folder)):
            yield from _module(folder, steps[1:])
        folder = folder.parent


def _known_as(folder: Path) -> str:
    """Return the import package of the bots that come with arena, which stand in a folder of another name."""
    return "arena_bots" if folder.name == "bots" else folder.name


def _module(folder: Path, steps: list[str]) -> Iterator[Path]:
    whole = folder.joinpath(*steps)
    for path in (whole.with_suffix(".py"), whole / "__init__.py"):
        if steps and path.is_file():
            yield path
