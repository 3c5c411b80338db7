"""An entrant, its content digest, and the command that starts it."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct


class Launch(Struct, frozen=True, kw_only=True):
    """How a bot's process is started. A sandbox turns one launch into another."""

    command: tuple[str, ...]
    folder: str  # the bot's own; its working directory
    environment: tuple[tuple[str, str], ...] = ()  # all that the process gets to see
    reads: tuple[str, ...] = ()  # files and folders it needs beside its own folder and the system's libraries
    threads: int = 1  # what its manifest asks for
    scratch_mb: int = 0  # size of the private temporary folder that its manifest asks for


class Entered(Struct, frozen=True):
    """Which bot it was: what is kept of an entrant when the tournament is over."""

    name: str
    version: str
    source: str  # where it was found, as a person would name it
    digest: str  # SHA-256 of its files, hexadecimal


class Entrant(Entered, frozen=True):
    """A bot that may be entered in a tournament."""

    launch: Launch


def digest(files: Iterable[Path], root: Path) -> str:
    """Return the SHA-256 of some files: for each, in the order of their names, its path below ``root`` and its content."""
    whole = hashlib.sha256()
    for path in sorted(files):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return whole.hexdigest()
