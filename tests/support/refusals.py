"""Refusals as a golden page: a test names the causes and the class of their error, the page holds the wording."""

from collections.abc import Callable, Mapping
from pathlib import Path

LONGEST = 160  # characters of a cause, of which the page shows the beginning


def page(kind: type[Exception], causes: Mapping[str, Callable[[], object]], *, hidden: Path | None = None) -> str:
    """Return each cause with the one line of the error of a kind that it raises. ``hidden``: a folder that is shown as ``…``."""
    return "".join(f"{_shown(cause)}\n    {_line(kind, cause, call, hidden)}\n" for cause, call in causes.items())


def _shown(cause: str) -> str:
    written = cause if cause.isprintable() and cause.strip() == cause != "" else repr(cause)
    return written if len(written) <= LONGEST else f"{written[:LONGEST]}…"


def _line(kind: type[Exception], cause: str, call: Callable[[], object], hidden: Path | None) -> str:
    try:
        call()
    except kind as error:
        message = str(error).replace(str(hidden), "…") if hidden else str(error)
        assert len(message.splitlines()) == 1, message
        return message
    raise AssertionError(f"{cause!r} is not refused")
