"""Finds the installed packages that a Python bot needs, so that a sandbox can grant read access to these and no others.

A bot may read the libraries that it imports and what those require, but of each distribution only the files that it owns. Two kinds
are never granted: a distribution with bots, and one that was installed from a local folder (``pip install -e``,
``pip install ./project``), which may be unpublished work. A list of allowed libraries in the spec would be stricter, but every
league whose bots use numpy would need one.
"""

import ast
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution

from msgspec import Struct
from msgspec.structs import astuple

from arena.parameters import Parameter
from arena.roster import distributions
from arena.roster.distributions import EntryPoint, Recorded

BOTS = "arena.bots"  # group of entry points
HARNESS = "arena"  # a bot's process has imported it before the bot, so it is never a library or a file of the bot


def packages(imported: frozenset[str]) -> tuple[str, ...]:
    """Return the files and folders of every library with one of these top-level names, and of what it requires."""
    wanted = imported - sys.stdlib_module_names - {HARNESS}
    if not wanted:
        return ()
    every = distributions.everything()
    providers = [one.distribution for one in every if wanted & distributions.top_levels(one)]
    found = [distributions.read_record(one) for one in _with_required(providers)]
    return tuple(sorted({str(entry) for one in found for entry in _entries(one, every)}))


def missing(point: EntryPoint, extras: Iterable[str]) -> Iterator[str]:
    """Yield each requirement of an entry point's extras that a bot cannot have, as for ``mine = "my_bots.mine:Mine [torch]"``.

    With the name stand the reason and the remedy. Without a RECORD, which old ways of installing do not write, no file is known to
    be the requirement's own, so no sandbox lets a bot read it.
    """
    extras = tuple(extras)
    wanted = [re.compile(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]") for extra in extras]
    for requirement in distributions.requirements(point.distribution):
        if not any(extra.search(requirement) for extra in wanted):
            continue
        name = _name(requirement)
        found = distributions.find_distribution(name)
        if found is None:
            yield f"{name}, which is not installed: pip install '{point.owner}[{','.join(extras)}]'"
        elif not distributions.read_record(found).hashes:
            again = f"pip install --force-reinstall --no-deps --use-pep517 {name}"
            yield f"{name}, which was installed without a RECORD of its files, so that no sandbox admits it: {again}"


def with_bots(except_for: str) -> set[str]:
    """Return the normalized names of all distributions with bots, except one, and of everything that they require."""
    waiting = [distributions.name_of(point.distribution) for point in distributions.points(BOTS)]
    seen = {except_for}
    while waiting:
        name = distributions.normalize(waiting.pop())
        if name not in seen:
            seen.add(name)
            one = distributions.find_distribution(name)
            waiting += map(_name, distributions.requirements(one)) if one else ()
    return seen - {except_for}


def _entries(one: Recorded, every: list[Recorded]) -> Iterator[object]:
    return distributions.entries(one, distributions.without(one, every))


def _with_required(providers: Iterable[Distribution]) -> Iterator[Distribution]:
    """Yield distributions and everything that they require, without those that no bot may read."""
    waiting, seen = list(providers), set[str]()
    while waiting:
        one = waiting.pop()
        name = distributions.normalize(distributions.name_of(one))
        if name in seen:
            continue
        seen.add(name)
        if not distributions.has(one, BOTS) and not distributions.is_local_project(one):
            yield one
            waiting += filter(None, map(distributions.find_distribution, map(_name, distributions.requirements(one))))


def _name(requirement: str) -> str:
    """Return the name at the beginning of a requirement, as in ``numpy>=2; python_version > "3"``."""
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


# What arena has to know of a Python source: what it imports, and which names it gives. The source is parsed and never run.
#
# The values are plain, so that a confined process can parse a stranger's source and send them
# (:mod:`arena.runs.reader`).

Numbers = tuple[int | float | None, ...]  # of a parameter, as its class takes them

LARGEST = 1 << 20  # bytes of a source; a larger one could take more than seconds to parse


class UnreadableError(ValueError):
    """A text cannot be read; ``line`` counts from 1, and is None where no line is at fault."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.line = line


class Import(Struct, frozen=True):
    """An import statement."""

    line: int
    is_top: bool  # at the top level of its module
    names: tuple[str, ...]  # what is imported: modules, or with ``from`` names of the module
    bound: tuple[str, ...]  # the name that each of them gives; ``*`` stands for any
    module: str | None = None  # after ``from``, empty where only dots follow; None: a statement without ``from``
    level: int = 0  # dots after ``from``


class Definition(Struct, frozen=True):
    """A class or function."""

    name: str
    line: int
    is_class: bool
    is_top: bool  # at the top level of its module
    bases: tuple[tuple[str, ...], ...] = ()  # of a class: the names of each base, as ``("sdk", "Bot")``; empty where it has none
    is_made: bool = False  # whether a class has bases, keywords or decorators, which may make it a bot
    parameters: tuple[tuple[str, Numbers], ...] = ()  # of a class, declared by plain numbers


class Outline(Struct, frozen=True):
    """A source, as far as arena has to know it."""

    imports: tuple[Import, ...]
    definitions: tuple[Definition, ...]
    names: frozenset[str]  # every other name in it


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


def _import(node: ast.Import | ast.ImportFrom, *, is_top: bool) -> Import:
    names = tuple(alias.name for alias in node.names)
    bound = tuple(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    if isinstance(node, ast.Import):
        return Import(node.lineno, is_top, names, bound)
    return Import(node.lineno, is_top, names, bound, node.module or "", node.level)


def _definition(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, *, is_top: bool) -> Definition:
    if not isinstance(node, ast.ClassDef):
        return Definition(node.name, node.lineno, is_class=False, is_top=is_top)
    is_made = bool(node.bases or node.keywords or node.decorator_list)
    return Definition(
        node.name,
        node.lineno,
        is_class=True,
        is_top=is_top,
        bases=tuple(map(_base, node.bases)),
        is_made=is_made,
        parameters=tuple(_parameters(node)),
    )


def _parameters(node: ast.ClassDef) -> Iterator[tuple[str, Numbers]]:
    """Yield each attribute ``name = Parameter(...)`` of a class; anything else of this name may be of another library."""
    for one in node.body:
        if not isinstance(one, ast.Assign) or not isinstance(one.value, ast.Call) or _base(one.value.func)[-1] != "Parameter":
            continue
        try:
            numbers = [ast.literal_eval(argument) for argument in one.value.args]
            named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in one.value.keywords}
            found: Parameter[float] = Parameter(*numbers, **named)
        except (ValueError, TypeError):  # the class itself raises it where the bot runs
            continue
        yield from ((target.id, astuple(found)) for target in one.targets if isinstance(target, ast.Name))


def _base(node: ast.expr) -> tuple[str, ...]:
    """Return the names of a base; an expression without a name has an empty one. A long chain must not exhaust the stack."""
    names: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else "", *reversed(names))
