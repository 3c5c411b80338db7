"""An entrant, its content digest, and the command that starts it."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct


class Launch(Struct, frozen=True, kw_only=True):
    """How a bot's process is started. A sandbox turns one launch into another."""

    command: tuple[str, ...]
    folder: str  # the bot's own; its working directory
    files: tuple[str, ...] = ()  # the bot's own where others share its folder; none: the whole folder is the bot's
    environment: tuple[tuple[str, str], ...] = ()  # all that the process gets to see
    reads: tuple[str, ...] = ()  # files and folders it needs beside its own folder and the system's libraries
    threads: int = 1  # what its manifest asks for
    scratch_mb: int = 0  # size of the private temporary folder that its manifest asks for
    memory_mb: int | None = None  # the limit that a sandbox has set; None: none
    reports: bool = False  # whether the command is a launcher that reports on a status pipe; see players/sandboxes/birth.py


class Entrant(Struct, frozen=True, kw_only=True):
    """A bot that may be entered in a tournament."""

    name: str
    version: str
    source: str  # where it was found, as a person would name it
    digest: str  # SHA-256 of its files, hexadecimal
    launch: Launch


def digest(files: Iterable[Path], root: Path) -> str:
    """Return the SHA-256 of some files: for each, in the order of their names, its path below ``root`` and its content."""
    whole = hashlib.sha256()
    for path in sorted(files):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return whole.hexdigest()
