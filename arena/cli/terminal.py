"""What a terminal can show: signs that its encoding lacks are written with those it has, and colour can be done without."""

import codecs
import os
import sys
from io import TextIOWrapper

PLAIN = {
    **dict(zip("♣♦♥♠", "cdhs", strict=True)),
    **dict(zip("–—×·•", "--x..", strict=True)),
    "…": "...",
    **dict.fromkeys("─━═╌╴╶╸╺", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("█▓▒░", "#"),
}


def fall_back() -> None:
    """Have standard output and error write ``c`` for a suit that their encoding lacks, ``-`` for a dash, and ``?`` for the rest."""
    codecs.register_error("arena", _plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="arena")


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in lacking), error.end


def without_colour() -> None:
    """Have nothing coloured from here on. Source: no-color.org."""
    os.environ["NO_COLOR"] = "1"
