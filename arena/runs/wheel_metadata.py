"""The metadata of a wheel: the version of its format, its requirements, and its entry points.

Source: the binary distribution format (PEP 427), core metadata and entry points on packaging.python.org.
"""

from email.message import Message
from email.parser import HeaderParser

from msgspec import Struct

from arena.roster import distributions
from arena.roster.needed_packages import BOTS
from arena.roster.python_source import UnreadableError


class WheelMetadata(Struct, frozen=True):
    """The metadata of a wheel."""

    version: str  # of the format
    requires: tuple[str, ...]  # unchecked
    groups: tuple[str, ...]  # of its entry points
    bots: tuple[tuple[str, str], ...]  # name and value of each entry point of the group of bots


def parse_wheel(wheel: bytes, metadata: bytes, entry_points: bytes) -> WheelMetadata:
    """Return the metadata in the files ``WHEEL``, ``METADATA`` and ``entry_points.txt``. Raises: UnreadableError."""
    points = _text(entry_points, "entry_points.txt")
    return WheelMetadata(
        version=str(_headers(wheel, "WHEEL")["Wheel-Version"] or ""),
        requires=tuple(map(str, _headers(metadata, "METADATA").get_all("Requires-Dist") or ())),
        groups=tuple(distributions.groups(points)),
        bots=tuple(distributions.lines(points, BOTS)),
    )


def _headers(content: bytes, file: str) -> Message:
    return HeaderParser().parsestr(_text(content, file))


def _text(content: bytes, file: str) -> str:
    try:
        return content.decode()
    except ValueError as error:
        raise UnreadableError(f"{file}: cannot be read: {error}") from None
