"""Finds the files of a Python bot by parsing, without running any: its module, and what that imports from the bot's root.

Only these files count in the bot's digest, so it does not change with another bot of the same package.
"""

import builtins
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import Distribution
from os.path import isdir, isfile
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.disk import real
from arena.errors import RosterError
from arena.roster import distributions
from arena.roster.distributions import HARNESS, Import, Outline, Recorded
from arena.roster.manifest import DIRECT, Reader

# Decides which files may belong to a Python bot: its module, its package, and what its distribution has installed.
#
# A bot's source must not decide what the bot may read: an import statement that never runs could otherwise open an opponent's
# source. So the root is fixed before the source is parsed. It is the outermost package around the module, or the module alone; the
# bot of a distribution may also have top-level modules that the same distribution owns. Files in the root that belong to another
# bot or another distribution are refused.


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


# Finds the bots in a source, and checks that it has the class that a bot's name refers to, without running the source.
#
# ``check`` refuses a name only if it certainly is not a bot: what is imported, assigned or created at run time may be anything.

DYNAMIC = frozenset({"__getattr__", "globals", "vars", "setattr", "exec"})  # a module that uses one of these can define any name
_NOT_THE_CLASS = {("arena", "Bot"), ("arena", "bot"), ("arena.sdk", "bot")}  # mistakes for ``from arena.sdk import Bot``
EXPECTED = "expected a subclass of arena.sdk.Bot"


class BotClasses(NamedTuple):
    """The classes of a module that are bots."""

    certain: list[str]  # those that inherit from ``Bot``
    possible: list[str]  # those that may, because they inherit from a class of unknown origin


class NotOneBotError(RosterError):
    """A file has no bot, or several, and none is named."""

    def __init__(self, where: str, bots: Sequence[str]) -> None:
        found = list_names(bots)
        cure = f"name one, as {where}:{bots[0]}" if bots else "write `class Mine(Bot)`, with `from arena.sdk import Bot`"
        super().__init__(f"{where}: {found}; {cure}")
        self.bots = bots


def list_names(bots: Sequence[str]) -> str:
    """Return ``found A, B`` for at most ten names, for a message."""
    return f"found {', '.join(bots[:10])}" if bots else "found no class that inherits from Bot"


def only_bot(source: Outline, where: str) -> str:
    """Return the bot of a module that has only one; ``where`` names the module in errors. Raises: NotOneBotError."""
    _check_base(source, where)
    classes = bots(source)
    found = classes.certain or classes.possible
    if len(found) != 1:
        raise NotOneBotError(where, found)
    return found[0]


def bots(source: Outline) -> BotClasses:
    """Return the bots among the classes that a module defines at its top level."""
    origins = dict(_origins(source))
    bot_names = {"Bot", *(name for name, package in origins.items() if package == "arena_bots")}
    other_names = {*dir(builtins), *(name for name, package in origins.items() if package in sys.stdlib_module_names)}
    found = BotClasses([], [])
    for definition in (one for one in source.definitions if one.is_class and one.is_top):
        if any(base[0] in bot_names or base[-1] == "Bot" for base in definition.bases):
            bot_names.add(definition.name)
            found.certain.append(definition.name)
        elif all(base[0] in other_names for base in definition.bases):
            other_names.add(definition.name)
        else:
            found.possible.append(definition.name)
    return found


def bots_of_several(sources: Mapping[str, Outline]) -> list[str]:
    """Return the bots of several modules, by their names, as ``module:Class``; without those from which others of them inherit.

    Only if no class certainly inherits from ``Bot``, those that may are returned.
    """
    classes = {name: bots(source) for name, source in sources.items()}
    certain = {(name, bot) for name, found in classes.items() for bot in found.certain}
    bases = {(name, bot): found for name, source in sources.items() for bot, found in _base_names(source)}
    possible = [(name, bot) for name, found in classes.items() for bot in found.possible]
    for _ in possible:  # each may inherit from the one before
        certain |= {one for one in possible if bases[one] & {bot for _, bot in certain}}
    inherited = {base for one in certain for base in bases[one]}
    leaves = [one for one in sorted(certain) if one[1] not in inherited] or possible
    return [f"{name}:{bot}" for name, bot in leaves]


def _base_names(source: Outline) -> Iterator[tuple[str, set[str]]]:
    """Yield each class of a module with the names of its bases, as the modules that define them call them."""
    called = {bound: name for one in source.imports for name, bound in zip(one.names, one.bound, strict=True)}
    for one in source.definitions:
        yield one.name, {called.get(base[-1], base[-1]) for base in one.bases}


def _origins(source: Outline) -> Iterator[tuple[str, str]]:
    """Yield each imported name with its top-level package; the SDK's ``Bot`` counts as ``arena_bots``, whose classes are bots."""
    for statement in source.imports:
        if statement.is_top and not statement.level:
            for name, bound in zip(statement.names, statement.bound, strict=True):
                top = (name if statement.module is None else statement.module).partition(".")[0]
                yield bound, "arena_bots" if statement.module and (top, name) == ("arena", "Bot") else top


def check(source: Outline, name: str, where: str) -> None:
    """Check that a module may have a bot called ``name``; ``where`` names the module in errors. Raises: RosterError."""
    _check_base(source, where)
    if _may_have_bot(source, name):
        return
    for definition in source.definitions:
        if definition.name == name:
            problem = f"class {name} has no base class" if definition.is_class else f"{name} is a function"
            raise RosterError(f"{where}:{definition.line}: {problem}; {EXPECTED}")
    classes = [definition.name for definition in source.definitions if definition.is_class]
    found = f"found {', '.join(classes[:10])}" if classes else "the file has no classes"
    raise RosterError(f"{where}: no class {name!r}; {found}")


def _check_base(source: Outline, where: str) -> None:
    """Check that no class inherits from what a mistaken import of the SDK's ``Bot`` gives. Raises: RosterError."""
    bases = {base for one in source.definitions if one.is_class and one.is_top for base in one.bases}
    for statement in source.imports:
        module = statement.module
        for name, bound in zip(statement.names, statement.bound, strict=True):
            if module in ("arena", "arena.sdk") and (bound,) in bases and (module, name) in _NOT_THE_CLASS:
                raise RosterError(
                    f"{where}:{statement.line}: found `from {module} import {name}`; expected `from arena.sdk import Bot`"
                )


def _may_have_bot(source: Outline, name: str) -> bool:
    if name in source.names or not DYNAMIC.isdisjoint(source.names):
        return True
    if any(name in one.bound or "*" in one.bound for one in source.imports):
        return True
    classes = [one for one in source.definitions if one.is_class]
    functions = [one for one in source.definitions if not one.is_class]
    return any(one.name == name and one.may_be_bot for one in classes) or any(one.name in DYNAMIC for one in functions)
