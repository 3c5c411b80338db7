"""Finds the files of a Python bot: its module and what that imports from its own root, by parsing and without running any.

So the digest of one bot in a package does not change with another bot of the package.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.bounded import is_file
from arena.errors import RosterError
from arena.roster.outline import Import, Outline
from arena.roster.reading import DIRECT, Reader
from arena.roster.requirements import HARNESS
from arena.roster.root import Root

OWN = (".json", ".txt", ".csv", ".bin", ".npz")  # data files that a module may have beside it, under its own name
MOST = 1000  # files


class Content(Struct, frozen=True):
    """The files and imports of a Python bot."""

    files: tuple[Path, ...]
    imported: frozenset[str]  # top-level names of what its sources import
    main: Outline  # its own module


def read(root: Root, reader: Reader = DIRECT) -> Content:
    """Return the content of the bot with this root. Raises: RosterError, for a syntax error or an import out of the root."""
    sources: dict[Path, Outline] = {}
    data: set[Path] = set()
    waiting = [root.module]
    while waiting:
        path = waiting.pop()
        if path not in sources:
            sources[path] = reader.source(path)
            data.update(_data(path, root))
            waiting += [*_packages(path, root), *_imported(path, sources[path], root)]
        if len(sources) + len(data) > MOST:
            raise RosterError(f"{root.module}: its imports lead to more than {MOST} files")
    imported = frozenset(name for source in sources.values() for one in source.imports for name in _top_levels(one))
    files = {file for path in (*sources, *data) for file in (path, path.resolve())}  # a link and its target
    return Content(tuple(sorted(files)), imported, sources[root.module])


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


def _top_levels(one: Import) -> Iterator[str]:
    """Yield the top-level names that a statement imports."""
    if one.module is None:
        yield from (name.partition(".")[0] for name in one.names)
    elif one.module and not one.level:
        yield one.module.partition(".")[0]


def _imported(path: Path, source: Outline, root: Root) -> Iterator[Path]:
    """Yield the bot's own files that the import statements of a source name. Raises: RosterError."""
    for one in source.imports:
        if one.level:
            yield from _relative(path, one, root)
        else:
            for steps in _absolute_names(one):
                yield from (found for found in _absolute(steps, root) if root.holds(found))


def _relative(path: Path, one: Import, root: Root) -> list[Path]:
    """Return the files that ``from ..package import name`` means. Raises: RosterError, if it leads out of the root."""
    steps = one.module.split(".") if one.module else []
    names = [steps, *([*steps, name] for name in one.names)]
    folder = path.parents[one.level - 1] if one.level <= len(path.parents) else None
    found = [file for name in names for file in _module(folder, name)] if folder else []
    own = [file for file in found if root.holds(file)]
    inside = folder is not None and root.package is not None and folder.is_relative_to(root.package)
    if not inside and (not own or own != found):
        raise RosterError(f"{path}:{one.line}: imports from outside the bot's own package; expected a module inside it")
    return own


def _absolute_names(one: Import) -> list[list[str]]:
    if one.module is None:
        return [name.split(".") for name in one.names]
    steps = one.module.split(".")
    return [steps, *([*steps, name] for name in one.names)]


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
