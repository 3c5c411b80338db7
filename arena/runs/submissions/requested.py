"""The libraries that a bot asks for: names and versions, and nothing that could make a resolver run code or read other places.

Source: the dependency specifiers specification on packaging.python.org (PEP 508), read by the library ``packaging``.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from arena import bounded, distribution
from arena.bounded import is_file
from arena.errors import RosterError
from arena.roster.distributions import normalized

FILE = "requirements.txt"
MOST = 100  # requirements
LARGEST = 64 * 1024  # bytes


def lines(folder: Path) -> tuple[str, ...]:
    """Return the lines of the ``requirements.txt`` of a folder, if it has one. Raises: RosterError."""
    path = folder / FILE
    if not is_file(path):
        return ()
    try:
        found = bounded.read(path, LARGEST).decode().splitlines()
    except (OSError, ValueError) as error:
        raise RosterError(f"{FILE}: cannot be read: {error}") from None
    texts = (line.partition(" #")[0].strip() for line in found)
    return tuple(text for text in texts if text and not text.startswith("#"))


def applying(wanted: Sequence[str], extras: Sequence[str], version: str) -> tuple[str, ...]:
    """Return the requirements that apply here, each once and in order. Called in the confined process.

    ``extras`` are those that a bot's entry point names, ``version`` is arena's own. Raises: RosterError.
    """
    if len(wanted) > MOST:
        raise RosterError(f"{len(wanted)} requirements; expected at most {MOST}")
    return tuple(sorted(set(_applying(wanted, ["", *extras], version))))


def _applying(lines: Sequence[str], extras: Sequence[str], version: str) -> Iterator[str]:
    try:
        from packaging.markers import UndefinedEnvironmentName  # noqa: PLC0415 - an extra
        from packaging.requirements import Requirement  # noqa: PLC0415 - likewise
    except ImportError:
        raise RosterError(f"requirements cannot be read without {distribution.install('libraries')}") from None
    for line in lines:
        try:
            wanted = Requirement(line)
            applies = wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras)
        except (ValueError, RecursionError, UndefinedEnvironmentName):  # a marker may compare what is not there, or cannot be
            raise RosterError(f"{line[:100]!a} is not a name with versions, as numpy>=2; options are refused") from None
        if wanted.url:
            raise RosterError(f"{line[:100]!a} names an address; expected a name with versions, from the league's index")
        if not applies:
            continue
        wanted.marker = None
        name = normalized(wanted.name)
        if name == distribution.OTHER:
            raise RosterError(f"{line[:100]!a} is another project; expected {distribution.NAME}, which every bot has")
        if name != distribution.NAME:
            yield str(wanted)
        elif not wanted.specifier.contains(version, prereleases=True):
            raise RosterError(f"{line[:100]!a}; this is {distribution.NAME} {version}")
