"""Finds the files of a Python bot: its module and what that imports from its own root, by parsing and without running any.

So the digest of one bot in a package does not change with another bot of the package.
"""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena import bounded
from arena.bounded import is_file
from arena.errors import RosterError
from arena.roster.requirements import HARNESS
from arena.roster.root import Root

OWN = (".json", ".txt", ".csv", ".bin", ".npz")  # data files that a module may have beside it, under its own name
LARGEST = 1 << 20  # bytes of a source; a larger one could take more than seconds to parse
MOST = 1000  # files
Import = ast.Import | ast.ImportFrom


class Content(Struct, frozen=True):
    """The files and imports of a Python bot."""

    files: tuple[Path, ...]
    imported: frozenset[str]  # top-level names of what its sources import
    main: ast.Module  # its own module


def read(root: Root) -> Content:
    """Return the content of the bot with this root. Raises: RosterError, for a syntax error or an import out of the root."""
    trees: dict[Path, ast.Module] = {}
    data: set[Path] = set()
    waiting = [root.module]
    while waiting:
        path = waiting.pop()
        if path not in trees:
            trees[path] = _parsed(path)
            data.update(_data(path, root))
            waiting += [*_packages(path, root), *_imported(path, trees[path], root)]
        if len(trees) + len(data) > MOST:
            raise RosterError(f"{root.module}: its imports lead to more than {MOST} files")
    imported = frozenset(name for tree in trees.values() for node in _imports(tree) for name in _top_levels(node))
    files = {file for path in (*trees, *data) for file in (path, path.resolve())}  # a link and its target
    return Content(tuple(sorted(files)), imported, trees[root.module])


def check_alone(content: Content, root: Root) -> None:
    """Check that a bot in a single file imports no file beside it, which may belong to something else. Raises: RosterError."""
    if root.package is not None or root.installed is not None:
        return
    for name in sorted(content.imported - {HARNESS}):
        for found in _module(root.module.parent, [name]):
            if found != root.module:
                raise RosterError(
                    f"{root.module}: imports {found}, which is not part of the bot: a bot in a single file is only that file;"
                    " if the whole folder belongs to the bot, add an empty __init__.py"
                )


def _parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a source. Raises: RosterError."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(bounded.read(path, LARGEST))
    except SyntaxError as error:
        raise RosterError(f"{path}:{error.lineno or 1}: not valid Python: {error.msg}") from None
    except (RecursionError, MemoryError):  # the parser raises either for an expression that is nested too deep
        raise RosterError(f"{path}: not valid Python: nested too deeply") from None
    except OSError as error:
        raise RosterError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RosterError(f"{path}: not valid Python: {error}") from None


def _data(path: Path, root: Root) -> Iterator[Path]:
    """Yield the data files with the name of a module."""
    for suffix in OWN:
        if is_file(beside := path.with_suffix(suffix)) and root.holds(beside):
            yield beside


def _packages(path: Path, root: Root) -> Iterator[Path]:
    """Yield the ``__init__.py`` of each package around a module; they run before it."""
    for folder in path.parents:
        if not is_file(folder / "__init__.py") or not root.holds(folder / "__init__.py"):
            return
        yield folder / "__init__.py"


def _imports(tree: ast.Module) -> Iterator[Import]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _top_levels(node: Import) -> Iterator[str]:
    """Yield the top-level names that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in node.names)
    elif node.module and not node.level:
        yield node.module.partition(".")[0]


def _imported(path: Path, tree: ast.Module, root: Root) -> Iterator[Path]:
    """Yield the bot's own files that the import statements of a source name. Raises: RosterError."""
    for node in _imports(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from _relative(path, node, root)
        else:
            for steps in _absolute_names(node):
                yield from (found for found in _absolute(steps, root) if root.holds(found))


def _relative(path: Path, node: ast.ImportFrom, root: Root) -> list[Path]:
    """Return the files that ``from ..package import name`` means. Raises: RosterError, if it leads out of the root."""
    steps = node.module.split(".") if node.module else []
    names = [steps, *([*steps, alias.name] for alias in node.names)]
    folder = path.parents[node.level - 1] if node.level <= len(path.parents) else None
    found = [file for name in names for file in _module(folder, name)] if folder else []
    own = [file for file in found if root.holds(file)]
    inside = folder is not None and root.package is not None and folder.is_relative_to(root.package)
    if not inside and (not own or own != found):
        raise RosterError(f"{path}:{node.lineno}: imports from outside the bot's own package; expected a module inside it")
    return own


def _absolute_names(node: Import) -> list[list[str]]:
    if isinstance(node, ast.Import):
        return [alias.name.split(".") for alias in node.names]
    steps = (node.module or "").split(".")
    return [steps, *([*steps, alias.name] for alias in node.names)]


def _absolute(steps: list[str], root: Root) -> Iterator[Path]:
    """Yield the modules that an absolute import may mean, where the bot's own modules are."""
    if steps[0] == HARNESS:
        return
    if root.search:
        yield from _module(root.search, steps)
    if root.package and tuple(steps[: len(root.prefix)]) == root.prefix:
        yield from _module(root.package, steps[len(root.prefix) :])


def _module(folder: Path, steps: list[str]) -> Iterator[Path]:
    whole = folder.joinpath(*steps)
    for path in (whole.with_suffix(".py"), whole / "__init__.py"):
        if steps and is_file(path):
            yield path
