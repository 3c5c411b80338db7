"""An entrant, its content digest, and the command that starts it."""

import hashlib
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}\Z", description="an entrant's name")]


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
    cpu_seconds: float = math.inf  # of its whole life, at which the kernel kills it
    reports: bool = False  # whether the command is a launcher that reports on a status pipe; see players/sandboxes/birth.py


class Entered(Struct, frozen=True):
    """Which bot it was: what is kept of an entrant when the tournament is over."""

    name: str
    version: str
    source: str  # where it was found, as a person would name it
    digest: str  # SHA-256 of its files, hexadecimal


class Entrant(Entered, frozen=True):
    """A bot that may be entered in a tournament."""

    launch: Launch


def digest(files: Iterable[Path]) -> str:
    """Return the SHA-256 of some files: of a line for each, its path from the folder that holds all and its content's digest."""
    paths = list(files)
    root = Path(os.path.commonpath([path.parent for path in paths]))
    lines = sorted(f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()
