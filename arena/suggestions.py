"""Suggestions for a mistyped name."""

from collections.abc import Iterable
from pathlib import Path


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name most like this one; empty: none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - only after a mistake

    return next(iter(get_close_matches(name, list(known), n=1)), "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the nearest known name, and a space after it; empty: none is near."""
    near = nearest(name, known)
    return f"did you mean {near!r}? " if near else ""


def suggest(path: Path) -> str:
    """Return the end of a message about a missing file or folder: a similar name beside it; empty: there is none."""
    try:
        names = [one.name for one in path.parent.iterdir() if one.name != path.name]
    except (OSError, ValueError):
        return ""
    near = nearest(path.name, names)
    return f"; did you mean {str(path.with_name(near))!r}?" if near else ""


def capital(text: str) -> str:
    """Return text with its first letter as a capital, and the others as they are."""
    return f"{text[:1].upper()}{text[1:]}"
