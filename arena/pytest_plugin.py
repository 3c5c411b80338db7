"""Strength as a test: the fixture ``arena``, for authors who keep a bot in its own repository.

    def test_my_bot_is_no_weaker_than_greedy(arena):
        arena.assert_not_weaker("mine.py:Mine", "greedy", within=0.5)

An assertion fails if the comparison decides against it. It also fails, with the interval, if the comparison is undecided when its
budget of hands or seconds is spent, unless ``--arena-undecided`` says ``skip`` or ``xfail``.

No other module of arena is imported before a test asks for the fixture.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from arena.assertions import Arena

OPTIONS = {  # of the command line as --arena-NAME, and of the ini file as arena_NAME
    "hands": ("20000", "hands that one comparison may take"),
    "seconds": ("", "seconds that one comparison may take; empty: no limit"),
    "undecided": ("fail", "outcome of a comparison that is undecided when its budget is spent: fail, skip or xfail"),
    "workers": ("1", "legs played at a time"),
    "sandbox": ("", "the sandbox of the bots; empty: strict on Linux, else standard"),
}
OUTCOMES = ("fail", "skip", "xfail")


@pytest.fixture
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> "Arena":
    """Return assertions about bots: ``assert_not_weaker``, ``assert_stronger``, ``assert_legal``."""

    def option(name: str) -> str:
        value = request.config.getoption(f"arena_{name}")
        return str(value if value is not None else request.config.getini(f"arena_{name}"))

    for name, kind in (("hands", int), ("seconds", float), ("workers", int)):
        _check_number(name, option(name), kind)
    if option("undecided") not in OUTCOMES:
        raise pytest.UsageError(f"arena_undecided: found {option('undecided')!r}; expected one of {', '.join(OUTCOMES)}")
    from arena.assertions import Arena

    return Arena(request.path.parent, tmp_path, option, _reporter(request))


def _check_number(name: str, text: str, kind: type[int] | type[float]) -> None:
    """Raise UsageError for an option that is not a number or too small; seconds may be left empty."""
    least = 2 if name == "hands" else 0  # each deal is played from both seats
    try:
        fits = (name == "seconds" and not text) or (kind(text) >= least and kind(text) > 0)
    except ValueError:
        fits = False
    if not fits:
        numbers = "a whole number" if kind is int else "a number"
        raise pytest.UsageError(f"arena_{name}: found {text!r}; expected {numbers}, {f'{least} or more' if least else 'above 0'}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line options and the keys of the ini file."""
    group = parser.getgroup("arena", "comparing gin rummy bots")
    for name, (default, message) in OPTIONS.items():
        group.addoption(f"--arena-{name}", dest=f"arena_{name}", default=None, help=f"{message} (by default: {default or 'none'})")
        parser.addini(f"arena_{name}", message, default=default)


def _reporter(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Return a function that reports progress to the terminal with -v, otherwise to captured output."""
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    verbose = request.config.get_verbosity() > 0 and "PYTEST_XDIST_WORKER" not in os.environ

    def report(line: str) -> None:
        from arena.text import printable

        line = printable(line)
        if not (verbose and reporter and capture):
            print(line)  # noqa: T201 - pytest keeps it for the report of a failed test
            return
        with capture.global_and_fixture_disabled():
            reporter.ensure_newline()
            reporter.write_line(line)

    return report
