"""Reads the files from which a bot is found: Python sources and manifests.

The caller chooses the reader.

The bots of the user are read in this process. Those of strangers are read by a confined one, which parses their text and sends
back values (:mod:`arena.runs.confined_reading`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from arena import disk
from arena.errors import RosterError
from arena.roster import python_source
from arena.roster.manifest import Manifest, parse
from arena.roster.python_source import Outline, UnreadableError

LARGEST = 64 * 1024  # bytes


Value = TypeVar("Value")


class Reader:
    """Reads files in this process; a subclass parses them elsewhere."""

    def source(self, path: Path) -> Outline:
        """Return the outline of a Python source. Raises: RosterError."""
        return parse_file(path, python_source.LARGEST, python_source.outline)

    def manifest(self, path: Path) -> Manifest:
        """Return a manifest. Raises: RosterError."""
        return parse_file(path, LARGEST, parse)


DIRECT = Reader()


def parse_file(path: Path, largest: int, parse: Callable[[bytes], Value]) -> Value:
    """Return the parsed content of a file of at most ``largest`` bytes. Raises: RosterError, which names file and line."""
    try:
        return parse(disk.read(path, largest))
    except OSError as error:
        raise RosterError(f"{path}: cannot be read: {error.strerror}") from None
    except disk.TooLargeError as error:
        raise RosterError(f"{path}: {error}") from None
    except UnreadableError as error:
        place = path if error.line is None else f"{path}:{error.line}"
        raise RosterError(f"{place}: {error}") from None
