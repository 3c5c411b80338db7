"""Redacts the paths of a server's folders in texts.

Tracebacks of bots and errors name files by their full paths. An author sees only the path inside the bot; server paths are not
disclosed. A bot can still send the name of its folder out in an encoded form.
"""

import re
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from markupsafe import escape

from arena.disk import real
from arena.league.intake.copies import BOTS, ENVIRONMENTS
from arena.league.leagues import BODY, JOBS
from arena.path_texts import path_text
from arena.players.shortened_paths import SHARED, installation
from arena.text import json_text

INSIDE = rf"(?:(?:(?:{BOTS}|{ENVIRONMENTS})/[\w.-]+|{JOBS}/\d+/{BODY})/)?".encode()  # of a league: where a bot or its libraries are
LEAGUE, SERVER = b"the league", b"a folder of the server"  # replace the folders themselves


class PathRedactor:
    """Redacts the folders of a server and of one league."""

    def __init__(self, league: Path) -> None:
        names = [*_spellings(league.absolute()), *_spellings(real(league))]
        leagues = b"|".join(_longest_first(names))
        # the folders of the server that a bot or an error may name
        folders = installation() | ({Path.home(), Path.cwd(), Path(tempfile.gettempdir())} - SHARED)
        others = b"|".join(_longest_first(name for folder in folders for name in _spellings(folder)))
        end = rb"(?![\w-]|\.\w)"
        self._pattern = re.compile(rb"(?:%b)(?P<inside>/%b|%b)|(?:%b)(?P<below>/|%b)" % (leagues, INSIDE, end, others, end))

    def redact(self, text: bytes) -> bytes:
        """Return a text with each path relative to the bot's folder, else to the league's, else to another folder of the server."""
        return self._pattern.sub(lambda found: LEAGUE if found["inside"] == b"" else SERVER if found["below"] == b"" else b"", text)


_redactor = lru_cache(16)(PathRedactor)


def redact_paths(league: Path, text: str) -> str:
    """Return a text without the server's folders; files of the league in the folder ``league`` keep their relative paths."""
    return _redactor(league).redact(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def _spellings(folder: Path) -> set[bytes]:
    """Return the spellings of a folder's path in text, in pages and in JSON."""
    name = str(folder)
    texts = (name, str(escape(name)), json_text(name)[1:-1], path_text(name))
    return {text.encode("utf-8", "surrogateescape") for text in texts}


def _longest_first(names: Iterator[bytes] | list[bytes]) -> list[bytes]:
    return [re.escape(name) for name in sorted(set(names), key=len, reverse=True)]
