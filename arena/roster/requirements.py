"""Finds the installed packages that a Python bot needs, so that a sandbox can grant read access to these and no others.

A bot may read the libraries that it imports and what those require, but of each distribution only the files that it owns. Two kinds
are never granted: a distribution with bots, and one that was installed from a local folder (``pip install -e``,
``pip install ./project``), which may be unpublished work. A list of allowed libraries in the spec would be stricter, but every
league whose bots use numpy would need one.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution

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
