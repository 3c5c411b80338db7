"""The pytest fixture ``arena``: assertions about the strength and the legality of bots."""

import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import NoReturn, ParamSpec, TypeVar

import pytest
from msgspec.structs import replace

from arena.compare import dueling
from arena.compare.dueling import ComparisonObserver
from arena.errors import ArenaError
from arena.plugins import manager
from arena.reports.verdict import decision_words, limits, progress_line
from arena.runs import chosen
from arena.runs.audition_steps import describe
from arena.runs.named_parts import audition
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.store.folder import Folder
from arena.text import in_one_line
from arena.tournament.plan import Plan


class UndecidedError(AssertionError):
    """A comparison is undecided, because its budget was too small."""


P = ParamSpec("P")
R = TypeVar("R")


def _fail_in_one_line(method: Callable[P, R]) -> Callable[P, R]:
    """Turn an ArenaError into a test failure of one line, without frames of arena."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True

        try:
            return method(*args, **kwargs)
        except ArenaError as error:
            pytest.fail(in_one_line(str(error)), pytrace=False)

    return call


class Arena:
    """The fixture ``arena``. Bots are named as in a spec; paths are relative to the test's folder."""

    def __init__(self, folder: Path, scratch: Path, option: Callable[[str], str], report: Callable[[str], None]) -> None:
        """``option`` returns the value of an option by its name; empty: it is not set."""
        self._folder = folder
        self._scratch = scratch
        self._option = option
        self._report = report
        self._runs = 0

    @_fail_in_one_line
    def assert_not_weaker(
        self,
        bot: str,
        against: str,
        *,
        within: float = 0.5,
        hands: int | None = None,
        seconds: float | None = None,
    ) -> ComparisonOutcome:
        """Pass if ``bot`` is not weaker than ``against`` by ``within`` points a hand or more; fail if it is weaker.

        An undecided test fails, is skipped or xfails, by the option ``undecided``; ``hands`` and ``seconds`` have options too.
        """
        __tracebackhide__ = True
        terms = dueling.DuelTerms(bounds=(-within, 0.0))
        return self._assert_outcome(bot, against, terms, "weaker than", hands, seconds)

    @_fail_in_one_line
    def assert_stronger(
        self,
        bot: str,
        against: str,
        *,
        by: float = 0.5,
        hands: int | None = None,
        seconds: float | None = None,
    ) -> ComparisonOutcome:
        """Pass if ``bot`` is stronger than ``against``; fail if it is not stronger by ``by`` points a hand or more.

        All else is as in ``assert_not_weaker``.
        """
        __tracebackhide__ = True
        terms = dueling.DuelTerms(bounds=(0.0, by))
        return self._assert_outcome(bot, against, terms, "not stronger than", hands, seconds)

    @_fail_in_one_line
    def assert_legal(self, bot: str, *, hands: int = 200) -> None:
        """Fail if ``bot`` fails the audition of `arena bots check`: its start, its answers, its time, memory and sandbox."""
        __tracebackhide__ = True

        for finding in audition(bot, hands, self._option("sandbox") or None, self._folder).findings():
            lines = "\n".join(map(in_one_line, describe(finding, bot)))
            self._report(lines)
            if not finding.passed:
                raise AssertionError(lines)

    def _assert_outcome(
        self, bot: str, against: str, terms: dueling.DuelTerms, failure: str, hands: int | None, seconds: float | None
    ) -> ComparisonOutcome:
        __tracebackhide__ = True

        field = chosen.resolve((bot, against), suffixes=("", "2"), folder=self._folder)
        most = hands or int(self._option("hands"))
        seed = ":".join(bot.entrant.digest for bot in field)  # the same bots give the same verdict; changed ones get other deals
        plan = dueling.duel(field, replace(terms, hands=most, sandbox=self._option("sandbox") or None), seed)
        outcome = self._play(plan, seconds or float(self._option("seconds") or "inf"))
        answer = decision_words(outcome.verdict, outcome.bounds)
        summary = f"{field[0].name} against {field[1].name}: {answer}: {' '.join(progress_line(outcome).split())}"
        self._report(summary)
        if outcome.verdict is Verdict.BETTER:
            for limit in limits(outcome):
                self._report(limit)
            return outcome
        if outcome.verdict is Verdict.NOT_AS_GOOD:
            raise AssertionError(f"{field[0].name} is {failure} {field[1].name}: {summary}")
        limit = f" and {seconds or self._option('seconds')} s" if seconds or self._option("seconds") else ""
        return self._handle_undecided(f"undecided within the budget of {most} hands{limit}: {summary}")

    def _handle_undecided(self, message: str) -> NoReturn:
        __tracebackhide__ = True
        outcome = self._option("undecided")
        if outcome == "skip":
            pytest.skip(message)
        if outcome == "xfail":
            pytest.xfail(message)
        raise UndecidedError(message)

    def _play(self, plan: Plan, seconds: float) -> ComparisonOutcome:
        """Play a comparison in a folder of its own, in this process unless workers are asked for."""
        self._runs += 1
        workers = int(self._option("workers"))
        end = time.monotonic() + seconds
        runner = Runner(manager.load(), "local" if workers > 1 else "serial", workers, until=end)
        start = RunStart(plan=plan, folder=Folder(self._scratch / f"arena-{self._runs}"))
        return dueling.play_comparison(start, runner, _Reporting(self._report), log_level=None).outcome


class _Reporting(ComparisonObserver):
    """Reports each round."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report

    def outcome(self, outcome: ComparisonOutcome) -> None:
        self._report(progress_line(outcome).strip())
