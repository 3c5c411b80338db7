"""Finds the files of a Python bot by parsing, without running any: its module, and what that imports from the bot's root.

Only these files count in the bot's digest, so it does not change with another bot of the same package.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution
from os.path import isdir, isfile
from pathlib import Path

from msgspec import Struct

from arena.disk import real
from arena.errors import RosterError
from arena.roster import distributions
from arena.roster.distributions import Recorded
from arena.roster.needed_packages import HARNESS
from arena.roster.python_source import Import, Outline
from arena.roster.reader import DIRECT, Reader


class Root(Struct, frozen=True, kw_only=True):
    """The files that can belong to a bot."""

    module: Path  # with links resolved
    package: Path | None  # the outermost package around the module; None: the module is in no package
    prefix: tuple[str, ...] = ()  # the name by which the package is imported
    search: Path | None = None  # the folder that its absolute imports search for its own modules
    installed: Recorded | None = None  # the distribution that installed the module, if any
    rest: tuple[Recorded, ...] = ()  # the other distributions
    bots: Mapping[Path, str] = {}  # names of other bots, by module or by folder

    def holds(self, path: Path) -> bool:
        """Tell whether a file belongs to the bot. Raises: RosterError, for a file in the root that belongs to something else."""
        if not self._encloses(path):
            return False
        target = real(path)
        if target != path and not self._encloses(target):
            raise RosterError(f"{path}: a link out of the bot's own files, to {target}; expected a file")
        for file in (path, target):
            self._check_owner(file)
        return True

    def _encloses(self, path: Path) -> bool:
        if self.package is not None and path.is_relative_to(self.package):
            return True
        if self.installed is not None:
            return distributions.owns(self.installed, path, self.rest)
        return self.package is None and (path.parent, path.stem) == (self.module.parent, self.module.stem)

    def _check_owner(self, path: Path) -> None:
        """Raise RosterError for a file of another bot, or of another distribution."""
        for place in (path, *path.parents):
            if place in self.bots:
                owner_text = f"the bot {self.bots[place]!r}; expected shared code in a module that belongs to no bot"
                raise RosterError(f"{self.module}: imports {path}, which is {owner_text}")
        if owner := distributions.recorded_by(self.rest, path):
            raise RosterError(f"{self.module}: imports {path}, which belongs to the distribution {owner}")


def root_of_path(module: Path, bots: Iterable[tuple[Path, str]]) -> Root:
    """Return the root of a bot that is named by the path of its module; ``bots`` are the installed bots."""
    around = distributions.in_folder_of(module)
    installed = next((one for one in around if one.has(module)), None)
    rest = distributions.without(installed, around)
    package = _outermost(module, installed, rest)
    return Root(
        module=module,
        package=package,
        prefix=(package.name,) if package else (),
        search=module.parent,
        installed=installed,
        rest=rest,
        bots=_bots_elsewhere(bots, module),
    )


def root_of_point(module: Path, name: str, owner: Distribution, bots: Iterable[tuple[Path, str]]) -> Root:
    """Return the root of a distribution's bot, whose module is imported as ``name``; ``bots`` are the installed bots.

    A module that the distribution does not record was installed from a local folder, as by ``pip install -e``.
    """
    installed = distributions.read_record(owner)
    rest = distributions.without(installed, distributions.in_folder_of(module))
    mine = installed if installed.has(module) else None
    package = _outermost(module, mine, rest)
    steps = name.split(".")
    path = module.parent if module.name == "__init__.py" else module
    inner = path.relative_to(package).parts if package else ()  # the names from the package down to the module
    return Root(
        module=module,
        package=package,
        prefix=tuple(steps[: len(steps) - len(inner)]),
        search=mine.home if mine else None,
        installed=mine,
        rest=rest,
        bots=_bots_elsewhere(bots, module),
    )


def _outermost(module: Path, installed: Recorded | None, rest: tuple[Recorded, ...]) -> Path | None:
    """Return the outermost package around a module; None: there is none, or the module's distribution does not own it."""
    package = None
    for folder in module.parents:
        if not isfile(folder / "__init__.py"):
            break
        package = folder
    if package and installed and not distributions.owns(installed, package / "__init__.py", rest):
        return None
    return package


def _bots_elsewhere(bots: Iterable[tuple[Path, str]], module: Path) -> dict[Path, str]:
    """Return the bots but those whose place is ``module`` or a folder around it: such a package is imported before the module."""
    return {path: name for path, name in bots if path != module and path not in module.parents}


TRAINING, NEEDED_IN_TRAINING = "arena.train", ("numpy",)  # the part of arena whose libraries must be granted to a bot
DATA_SUFFIXES = (".json", ".txt", ".csv", ".bin", ".npz")  # data files that a module may have beside it, under its own name
MOST = 1000  # files
Holds = Callable[[Path], bool]  # as ``Root.holds``


class Content(Struct, frozen=True):
    """The files and imports of a Python bot."""

    files: tuple[Path, ...]
    imported: frozenset[str]  # top-level names of what its sources import, and of what ``arena.train`` needs if they import that
    main: Outline  # its own module


def read(root: Root, reader: Reader = DIRECT) -> Content:
    """Return the content of the bot with this root. Raises: RosterError, for a syntax error or an import out of the root."""
    sources: dict[Path, Outline] = {}
    data: set[Path] = set()
    waiting = [root.module]
    holds = cache(root.holds)  # a source may import the same file again and again
    while waiting:
        path = waiting.pop()
        if path not in sources:
            sources[path] = reader.source(path)
            data.update(_data(path, holds))
            waiting += dict.fromkeys((*_packages(path, holds), *_imports(path, sources[path], root, holds)))
        if len(sources) + len(data) > MOST:
            raise RosterError(f"{root.module}: its imports lead to more than {MOST} files")
    imported = frozenset(name for source in sources.values() for one in source.imports for name in _top_levels(one))
    files = {file for path in (*sources, *data) for file in (path, real(path))}  # a link and its target
    return Content(tuple(sorted(files)), imported, sources[root.module])


def check_alone(content: Content, root: Root) -> None:
    """Check that a bot in a single file imports no file beside it, which may belong to something else. Raises: RosterError."""
    if root.package is not None or root.installed is not None:
        return
    for name in sorted(content.imported - {HARNESS}):
        for found in module_files(root.module.parent, [name]):
            if found != root.module:
                raise RosterError(
                    f"{root.module}: imports {found}, which is not part of the bot: a bot in a single file is only that file;"
                    " if the whole folder belongs to the bot, add an empty __init__.py"
                )


def _data(path: Path, holds: Holds) -> Iterator[Path]:
    """Yield the data files with the name of a module."""
    for suffix in DATA_SUFFIXES:
        if isfile(beside := path.with_suffix(suffix)) and holds(beside):
            yield beside


def _packages(path: Path, holds: Holds) -> Iterator[Path]:
    """Yield the ``__init__.py`` of each package around a module; they run before it."""
    for folder in path.parents:
        if not isfile(folder / "__init__.py") or not holds(folder / "__init__.py"):
            return
        yield folder / "__init__.py"


def _top_levels(statement: Import) -> Iterator[str]:
    """Yield the top-level names that a statement imports, and those of what ``arena.train`` needs, if it imports that."""
    if not statement.level and any(f"{name}.".startswith(f"{TRAINING}.") for name in _modules_of_arena(statement)):
        yield from NEEDED_IN_TRAINING
    if statement.module is None:
        yield from (name.partition(".")[0] for name in statement.names)
    elif statement.module and not statement.level:
        yield statement.module.partition(".")[0]


def _modules_of_arena(statement: Import) -> Iterator[str]:
    """Yield what a statement without dots imports, as far as it may be of arena, as ``arena.train``."""
    if statement.module is None:
        yield from statement.names
    elif statement.module == HARNESS:
        yield from (f"{HARNESS}.{name}" for name in statement.names)
    else:
        yield statement.module


def _imports(path: Path, source: Outline, root: Root, holds: Holds) -> Iterator[Path]:
    """Yield the bot's own files that the import statements of a source name. Raises: RosterError."""
    for statement in source.imports:
        if statement.level:
            yield from _relative(path, statement, root, holds)
        elif statement.module is not None:
            yield from filter(holds, _absolute(statement.module.split("."), statement.names, root))
        else:
            for name in statement.names:
                yield from filter(holds, _absolute(name.split("."), (), root))


def _relative(path: Path, statement: Import, root: Root, holds: Holds) -> list[Path]:
    """Return the files that ``from ..package import name`` may mean. Raises: RosterError, if it leads out of the root."""
    steps = statement.module.split(".") if statement.module else []
    folder = path.parents[statement.level - 1] if statement.level <= len(path.parents) else None
    found = list(_files(folder, steps, statement.names)) if folder else []
    own = list(filter(holds, found))
    inside = folder is not None and root.package is not None and folder.is_relative_to(root.package)
    if not (inside or (own and own == found)):
        raise RosterError(f"{path}:{statement.line}: imports from outside the bot's own package; expected a module inside it")
    return own


def _absolute(steps: list[str], names: tuple[str, ...], root: Root) -> Iterator[Path]:
    """Yield the files that an absolute import of a module, and of names in it, may mean, where the bot's own modules are."""
    if steps[0] == HARNESS:
        return
    if root.search:
        yield from _files(root.search, steps, names)
    if root.package and tuple(steps[: len(root.prefix)]) == root.prefix:
        yield from _files(root.package, steps[len(root.prefix) :], names)


def _files(folder: Path, steps: list[str], names: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of a module, and of those names in it that are modules too."""
    yield from module_files(folder, steps)
    inner = folder.joinpath(*steps)
    if names and isdir(inner):  # noqa: PTH112 - Path.is_dir() fails for a path that is too long
        for name in dict.fromkeys(names):
            yield from module_files(inner, [name])


def module_files(folder: Path, steps: list[str]) -> Iterator[Path]:
    """Yield the file or the ``__init__.py`` of a module, if it exists; nothing for the folder itself, which has no steps."""
    if not steps:
        return
    whole = folder.joinpath(*steps)
    for path in (whole.with_suffix(".py"), whole / "__init__.py"):
        if isfile(path):
            yield path
