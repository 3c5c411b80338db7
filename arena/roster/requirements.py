"""Which installed packages a Python bot needs, so that a sandbox can grant these and not its neighbours.

Read from its import statements and from what distributions say that they require; nothing is imported. A distribution that
brings bots is never granted to another bot.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from arena.roster import content

BOTS = "arena.bots"  # group of entry points


def packages(files: Iterable[Path]) -> tuple[str, ...]:
    """Return the folders and files of every package that the sources among ``files`` import, and of what those require."""
    wanted = {name for file in files if file.suffix == ".py" for name in _imported(file)} - sys.stdlib_module_names - {"arena"}
    if not wanted:
        return ()
    providers = packages_distributions()
    names = {provider for name in wanted for provider in providers.get(name, ())}
    return tuple(sorted({entry for found in _with_required(names) for entry in _entries(found)}))


def missing(point: EntryPoint) -> Iterator[str]:
    """Yield what an entry point's extras ask for and is not installed: ``mine = "my_bots.mine:Mine [torch]"``."""
    for requirement in (point.dist.requires or ()) if point.dist else ():
        if any(re.search(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]", requirement) for extra in point.extras):
            try:
                distribution(_name(requirement))
            except PackageNotFoundError:
                yield _name(requirement)


def _imported(file: Path) -> Iterator[str]:
    """Yield the top-level names that a source imports."""
    for node in content.imports(file):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif node.module and not node.level:
            yield node.module.partition(".")[0]


def _with_required(names: Iterable[str]) -> Iterator[Distribution]:
    """Yield the distributions of some names, and all that they require, without those that bring bots."""
    waiting, seen = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # an extra that is not installed
            continue
        if not any(point.group == BOTS for point in found.entry_points):
            yield found
            waiting += [_name(requirement) for requirement in found.requires or ()]


def _name(requirement: str) -> str:
    """Return the name at the head of a requirement, ``numpy>=2; python_version > "3"``."""
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


def _entries(found: Distribution) -> Iterator[str]:
    """Yield what a distribution has put into the folder of packages, whole folders by their name."""
    for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
        yield str(found.locate_file(top))
