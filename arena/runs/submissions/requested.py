"""The libraries that a bot asks for: names and versions, and nothing that could make a resolver run code or read other places.

Source: the dependency specifiers specification on packaging.python.org (PEP 508), read by the library ``packaging``.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from arena import bounded, distribution
from arena.bounded import is_file
from arena.errors import RosterError
from arena.roster.distributions import normalized

FILE = "requirements.txt"
MOST = 100  # requirements
LARGEST = 64 * 1024  # bytes


def beside(folder: Path) -> tuple[str, ...]:
    """Return the requirements in the ``requirements.txt`` of a folder, if it has one. Raises: RosterError."""
    path = folder / FILE
    if not is_file(path):
        return ()
    try:
        lines = bounded.read(path, LARGEST).decode().splitlines()
    except (OSError, ValueError) as error:
        raise RosterError(f"{FILE}: cannot be read: {error}") from None
    texts = (line.partition(" #")[0].strip() for line in lines)
    return checked((text for text in texts if text and not text.startswith("#")), FILE)


def checked(texts: Iterable[str], where: str, extras: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the requirements that apply here, each once and in order; ``where`` names their file in errors.

    ``extras`` are those that a bot's entry point names. Raises: RosterError.
    """
    lines = list(texts)
    if not lines:
        return ()
    if len(lines) > MOST:
        raise RosterError(f"{where}: {len(lines)} requirements; expected at most {MOST}")
    return tuple(sorted(set(_applying(lines, where, ["", *extras]))))


def _applying(lines: list[str], where: str, extras: list[str]) -> Iterator[str]:
    try:
        from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - an extra
    except ImportError:
        raise RosterError(f"{where}: its requirements cannot be read without {distribution.install('libraries')}") from None
    for line in lines:
        try:
            wanted = Requirement(line)
        except (InvalidRequirement, RecursionError):
            raise RosterError(f"{where}: {line[:100]!a} is not a name with versions, as numpy>=2; options are refused") from None
        if wanted.url:
            raise RosterError(f"{where}: {line[:100]!a} names an address; expected a name with versions, from the league's index")
        if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        wanted.marker = None
        name = normalized(wanted.name)
        if name == distribution.OTHER:
            raise RosterError(f"{where}: {line[:100]!a} is another project; expected {distribution.NAME}, which every bot has")
        if name != distribution.NAME:
            yield str(wanted)
        elif not wanted.specifier.contains(distribution.version(), prereleases=True):
            raise RosterError(f"{where}: {line[:100]!a}; this is {distribution.NAME} {distribution.version()}")
