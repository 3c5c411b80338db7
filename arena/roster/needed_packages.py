"""Finds the installed packages that a Python bot needs, so that a sandbox can grant read access to these and no others.

A bot may read the libraries that it imports and what those require, but of each distribution only the files that the distribution
owns. Two kinds are never granted: a distribution with bots, and one that was installed from a local folder (``pip install -e``,
``pip install ./project``), which may be unpublished work. A list of allowed libraries in the spec would be stricter, but every
league whose bots use numpy would need one.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution
from pathlib import Path

from arena.roster.distributions import (
    EntryPoint,
    Recorded,
    entries,
    everything,
    find_distribution,
    has,
    is_local_project,
    name_of,
    normalize,
    points,
    read_record,
    requirements,
    top_levels,
    without,
)

BOTS = "arena.bots"  # group of entry points
HARNESS = "arena"  # a bot's process has imported it before the bot, so it is never a library or a file of the bot


def packages(imported: frozenset[str], folders: Iterable[Path] | None = None) -> tuple[str, ...]:
    """Return the files and folders of each library with one of these top-level names, and of all that it requires, if granted.

    ``folders``: as for ``everything``.
    """
    wanted = imported - sys.stdlib_module_names - {HARNESS}
    if not wanted:
        return ()
    every = everything(folders)
    providers = [one.distribution for one in every if wanted & top_levels(one)]
    found = [read_record(one) for one in _with_required(providers, every)]
    return tuple(sorted({str(entry) for one in found for entry in entries(one, without(one, every))}))


def missing(point: EntryPoint, extras: tuple[str, ...]) -> Iterator[str]:
    """Yield a text for each requirement of an entry point's extras, as in ``my_bots.mine:Mine [torch]``, that is not usable.

    Such a distribution is not installed, or has no RECORD, which old ways of installing do not write: then no file is known to
    belong to it, so no sandbox lets a bot read it. The text has the name, the reason and the remedy. A requirement with a further
    condition, such as ``sys_platform == "win32"``, is not checked.
    """
    wanted = [re.compile(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]") for extra in extras]
    for requirement in requirements(point.distribution):
        condition = requirement.rpartition(";")[2].strip()
        if not any(extra.fullmatch(condition) for extra in wanted):
            continue
        name = _name(requirement)
        found = find_distribution(name)
        if found is None:
            yield f"{name}, which is not installed: pip install '{point.owner}[{','.join(extras)}]'"
        elif not read_record(found).hashes:
            again = f"pip install --force-reinstall --no-deps --use-pep517 {name}"
            yield f"{name}, which was installed without a RECORD of its files, so that no sandbox admits it: {again}"


def with_bots(except_for: str) -> set[str]:
    """Return the normalized names of the distributions with bots and of all that they require.

    ``except_for``: a normalized name, left out with what only that distribution requires.
    """
    waiting = [name_of(point.distribution) for point in points(BOTS)]
    seen = {except_for}
    while waiting:
        name = normalize(waiting.pop())
        if name not in seen:
            seen.add(name)
            dist = find_distribution(name)
            waiting += map(_name, requirements(dist)) if dist else ()
    return seen - {except_for}


def _with_required(providers: Iterable[Distribution], every: Iterable[Recorded]) -> Iterator[Distribution]:
    """Yield distributions and those of ``every`` that they require; leave out what no bot may read, and what only that requires."""
    named: dict[str, Distribution] = {}
    for one in every:
        named.setdefault(normalize(name_of(one.distribution)), one.distribution)
    waiting, seen = list(providers), set[str]()
    while waiting:
        dist = waiting.pop()
        name = normalize(name_of(dist))
        if name in seen:
            continue
        seen.add(name)
        if not has(dist, BOTS) and not is_local_project(dist):
            yield dist
            waiting += filter(None, (named.get(normalize(_name(requirement))) for requirement in requirements(dist)))


def _name(requirement: str) -> str:
    """Return the name at the beginning of a requirement, as in ``numpy>=2; python_version > "3"``."""
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
