"""Strength as a test: the fixture ``arena``, for whoever keeps a bot in a repository of its own.

    def test_my_bot_is_no_weaker_than_greedy(arena):
        arena.assert_not_weaker("mine.py:Mine", "greedy", within=0.5)

A comparison that finds the bot weaker fails. One that its budget of hands or seconds leaves undecided is neither passed nor failed:
it is told with its interval, and counts as a failure unless ``--arena-undecided`` says ``skip`` or ``xfail``.

Nothing of arena is imported before a test asks for the fixture.
"""

import os
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, ParamSpec, TypeVar

import pytest

if TYPE_CHECKING:
    from arena.stats.outcome import Outcome
    from arena.tournament.plan import Plan

OPTIONS = {  # of the command line as --arena-NAME, and of the ini file as arena_NAME
    "hands": ("20000", "hands that one comparison may take"),
    "seconds": ("", "seconds that one comparison may take; empty: no limit"),
    "undecided": ("fail", "what a comparison is that its budget left undecided: fail, skip or xfail"),
    "workers": ("1", "legs played at a time"),
    "sandbox": ("", "what walls the bots in; empty: strict on Linux, else standard"),
}
WAYS = ("fail", "skip", "xfail")


class Undecided(AssertionError):  # noqa: N818 - it says what happened
    """A comparison that its budget was too small for."""


P = ParamSpec("P")
R = TypeVar("R")


def _told_in_a_line(method: Callable[P, R]) -> Callable[P, R]:
    """Have a test fail by what its author can mend, as a bot that is not there, without our frames."""

    @wraps(method)
    def called(*given: P.args, **named: P.kwargs) -> R:
        __tracebackhide__ = True
        from arena.errors import ArenaError

        try:
            return method(*given, **named)
        except ArenaError as error:
            pytest.fail(str(error), pytrace=False)

    return called


class Arena:
    """What the fixture ``arena`` is. Bots are named as in a spec; paths are sought from the test's folder first."""

    def __init__(self, folder: Path, scratch: Path, option: Callable[[str], str], tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._scratch = scratch
        self._option = option
        self._tell = tell
        self._runs = 0

    @_told_in_a_line
    def assert_not_weaker(
        self, bot: str, against: str, *, within: float = 0.5, hands: int | None = None, seconds: float | None = None
    ) -> "Outcome":
        """Fail if ``bot`` is weaker than ``against``: not as good as it, rather than better than ``-within`` points a hand."""
        __tracebackhide__ = True
        return self._asserted(bot, against, (-within, 0.0), "weaker than", hands, seconds)

    @_told_in_a_line
    def assert_stronger(
        self, bot: str, against: str, *, by: float = 0.5, hands: int | None = None, seconds: float | None = None
    ) -> "Outcome":
        """Fail if ``bot`` is not stronger than ``against``: not as good as ``by`` points a hand, rather than better than none."""
        __tracebackhide__ = True
        return self._asserted(bot, against, (0.0, by), "not stronger than", hands, seconds)

    @_told_in_a_line
    def assert_legal(self, bot: str, *, hands: int = 200) -> None:
        """Fail if ``bot`` fails the audition of `arena bots check`: its start, its answers, its time, memory and walls."""
        __tracebackhide__ = True
        from arena.cli.check import told
        from arena.cli.parts import audition

        for finding in audition(bot, hands, self._option("sandbox") or None, self._folder).findings():
            lines = "\n".join(told(finding, bot))
            self._tell(lines)
            if not finding.passed:
                raise AssertionError(lines)

    def _asserted(
        self, bot: str, against: str, bounds: tuple[float, float], failed: str, hands: int | None, seconds: float | None
    ) -> "Outcome":
        __tracebackhide__ = True
        from arena.cli import comparing, contenders
        from arena.cli.outcomes import line
        from arena.stats.sequential import Verdict

        field = contenders.found((bot, against), ("", "2"), self._folder)
        most = hands or int(self._option("hands"))
        seed = ":".join(bot.entrant.digest for bot in field)  # the same bots give the same verdict; changed ones get other deals
        plan = comparing.duel(field, comparing.Terms(bounds=bounds, hands=most, sandbox=self._option("sandbox") or None), seed)
        outcome = self._played(plan, seconds or float(self._option("seconds") or "inf"))
        said = f"{field[0].name} against {field[1].name}: {' '.join(line(outcome).split())}"
        self._tell(said)
        if outcome.verdict is Verdict.BETTER:
            return outcome
        if outcome.verdict is Verdict.NOT_AS_GOOD:
            raise AssertionError(f"{field[0].name} is {failed} {field[1].name}: {said}")
        return self._undecided(
            f"undecided within the budget of {most} hands and {seconds or self._option('seconds') or 'any'} s: {said}"
        )

    def _undecided(self, said: str) -> NoReturn:
        __tracebackhide__ = True
        way = self._option("undecided")
        if way == "skip":
            pytest.skip(said)
        if way == "xfail":
            pytest.xfail(said)
        raise Undecided(said)

    def _played(self, plan: "Plan", seconds: float) -> "Outcome":
        """Play a comparison in a folder of its own, in this process; its progress is told as it goes."""
        from arena.cli import session
        from arena.cli.comparing import Comparison
        from arena.cli.log import log_nowhere
        from arena.cli.outcomes import line
        from arena.cli.venue import Venue
        from arena.plugins import manager
        from arena.store.folder import Folder
        from arena.store.store import Store
        from arena.tournament import plan as plans

        self._runs += 1
        workers = int(self._option("workers"))
        venue = Venue(manager.load(), "local" if workers > 1 else "serial", workers)
        folder, end = Folder(self._scratch / f"arena-{self._runs}"), time.monotonic() + seconds
        with folder.locked(), Store(folder.database, write=True) as store:
            plan = session.begin(plan, folder, store, plans.walled_in(plan))
            session.call_the_roll(plan, store)
            comparison = Comparison(plan, lambda outcome: self._tell(line(outcome).strip()))
            return comparison.play(folder, store, venue, log_nowhere, lambda: time.monotonic() > end).outcome


@pytest.fixture
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Arena:
    """Compare bots, and try them: ``assert_not_weaker``, ``assert_stronger``, ``assert_legal``."""

    def option(name: str) -> str:
        given = request.config.getoption(f"arena_{name}")
        return str(given if given is not None else request.config.getini(f"arena_{name}"))

    for name, kind in (("hands", int), ("seconds", float), ("workers", int)):
        _check_number(name, option(name), kind)
    if option("undecided") not in WAYS:
        raise pytest.UsageError(f"arena_undecided: found {option('undecided')!r}; expected one of {', '.join(WAYS)}")
    return Arena(request.path.parent, tmp_path, option, _teller(request))


def _check_number(name: str, text: str, kind: type[int] | type[float]) -> None:
    """Raise UsageError for what is no number, or none that a budget may be; seconds may be left empty."""
    least = 2 if name == "hands" else 0
    try:
        fits = (name == "seconds" and not text) or (kind(text) >= least and kind(text) > 0)
    except ValueError:
        fits = False
    if not fits:
        numbers = "a whole number" if kind is int else "a number"
        raise pytest.UsageError(f"arena_{name}: found {text!r}; expected {numbers}, {f'{least} or more' if least else 'above 0'}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the keys of the ini file that stand for them."""
    group = parser.getgroup("arena", "comparing gin rummy bots")
    for name, (default, told) in OPTIONS.items():
        group.addoption(f"--arena-{name}", dest=f"arena_{name}", default=None, help=f"{told} (by default: {default or 'none'})")
        parser.addini(f"arena_{name}", told, default=default)


def _teller(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Return what tells progress: on the terminal under -v, where this process has one, and else with what a test prints."""
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    asked = request.config.get_verbosity() > 0 and "PYTEST_XDIST_WORKER" not in os.environ

    def tell(line: str) -> None:
        if not (asked and reporter and capture):
            print(line)  # noqa: T201 - pytest keeps it for the report of a failed test
            return
        with capture.global_and_fixture_disabled():
            reporter.ensure_newline()
            reporter.write_line(line)

    return tell
