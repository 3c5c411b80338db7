"""Shortens the names of files in what a bot writes: its own are relative to its folder, others to that of Python or arena.

So the record of a fault is the same wherever a match is played, and does not name folders of that machine. This is no protection
against a bot that encodes the name of its folder.
"""

import re
import sys
from functools import cache, lru_cache
from pathlib import Path

import arena

SHARED = {Path("/"), Path("/usr"), Path("/usr/local")}  # folders of every machine


@cache
def installation() -> frozenset[Path]:
    """Return the folders of this Python and of arena, except those that every machine has."""
    return frozenset({Path(arena.__file__).parent.parent, Path(sys.prefix), Path(sys.base_prefix)} - SHARED)


def shorten_paths(text: str, own: tuple[str, ...]) -> str:
    """Return a text of a bot with short names of files; ``own`` are the folders of the bot and of its libraries."""
    return _pattern(own).sub("", text)


@lru_cache(1024)
def _pattern(own: tuple[str, ...]) -> re.Pattern[str]:
    folders = {str(folder) for folder in (*installation(), *map(Path, own)) if folder not in SHARED}
    folders |= set(map(in_stack, folders))
    names = "|".join(re.escape(name) for name in sorted(folders, key=len, reverse=True))
    return re.compile(rf"(?<![\w./-])(?:{names})/")


def in_stack(name: str) -> str:
    """Return the name of a file as faulthandler writes it: in ASCII, any other character by its number."""
    return name.encode("ascii", "backslashreplace").decode()
