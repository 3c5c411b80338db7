"""The libraries that a bot asks for: names and versions, and nothing that could make a resolver run code or read other places.

Source: the dependency specifiers specification on packaging.python.org (PEP 508), read by the library ``packaging``.
"""

import re
from collections.abc import Iterator, Sequence
from os.path import isfile
from pathlib import Path

from arena import disk, distribution
from arena.errors import RosterError
from arena.roster.distributions import normalize

REQUIREMENTS_FILE = "requirements.txt"
MOST = 100  # requirements
LARGEST = 64 * 1024  # bytes


def requirement_lines(folder: Path) -> tuple[str, ...]:
    """Return the lines of a folder's ``requirements.txt`` without comments; runs outside the sandbox. Raises: RosterError."""
    path = folder / REQUIREMENTS_FILE
    if not isfile(path):
        return ()
    try:
        found = disk.read(path, LARGEST).decode().splitlines()
    except (OSError, ValueError) as error:
        raise RosterError(f"{REQUIREMENTS_FILE}: cannot be read: {error}") from None
    texts = (re.split(r"\s#", line, maxsplit=1)[0].strip() for line in found)
    return tuple(text for text in texts if text and not text.startswith("#"))


def applicable_requirements(lines: Sequence[str], extras: Sequence[str], version: str) -> tuple[str, ...]:
    """Return the requirements that apply here, without markers and arena itself, each once and sorted.

    ``extras`` are those that a bot's entry point names, ``version`` is arena's own. Raises: RosterError.
    """
    if len(lines) > MOST:
        raise RosterError(f"{len(lines)} requirements; expected at most {MOST}")
    return tuple(sorted(set(_applicable(lines, ["", *extras], version))))


def _applicable(lines: Sequence[str], extras: Sequence[str], version: str) -> Iterator[str]:
    try:
        from packaging.markers import UndefinedEnvironmentName  # noqa: PLC0415 - an extra
        from packaging.requirements import Requirement  # noqa: PLC0415 - likewise
    except ImportError:
        raise RosterError(f"requirements cannot be read without {distribution.install('libraries')}") from None
    for line in lines:
        try:
            required = Requirement(line)
            applies = required.marker is None or any(required.marker.evaluate({"extra": extra}) for extra in extras)
        except (ValueError, RecursionError, UndefinedEnvironmentName):
            raise RosterError(f"{line[:100]!a} is not a name with versions, as numpy>=2; options are refused") from None
        if required.url:
            raise RosterError(f"{line[:100]!a} names an address; expected a name with versions, from the league's index")
        if not applies:
            continue
        required.marker = None
        name = normalize(required.name)
        if name == distribution.OTHER:
            raise RosterError(f"{line[:100]!a} is another project; expected {distribution.NAME}, which every bot has")
        if name != distribution.NAME:
            yield str(required)
        elif not required.specifier.contains(version, prereleases=True):
            raise RosterError(f"{line[:100]!a}; this is {distribution.NAME} {version}")
