"""Opens untrusted paths: a file is read only up to a limit, and an impossible path is simply not a file."""

from pathlib import Path


class TooLargeError(ValueError):
    """A file is larger than its limit."""


def read(path: Path, most: int) -> bytes:
    """Return a file's content. Raises: TooLargeError, if it has more than ``most`` bytes; OSError."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise TooLargeError(f"larger than {most} bytes")
    return content


def is_file(path: Path) -> bool:
    """Return whether a path is a file; False for a name that is too long and for an unreadable folder."""
    try:
        return path.is_file()
    except OSError:
        return False
