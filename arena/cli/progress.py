"""The progress of a run on standard error.

Comparisons print a line after each round. Other runs show a bar on a terminal, and elsewhere a plain line from time to time.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import typer

from arena.cli import terminal
from arena.compare.duel import ComparisonObserver
from arena.records import MatchRecord, Result, result
from arena.reports import verdict
from arena.reports.numbers import duration
from arena.runs.play import Observer
from arena.stats.duels import ComparisonOutcome
from arena.store.folder import Folder
from arena.tournament import seeds
from arena.tournament.formats.base import details
from arena.tournament.formats.tested import Duel, Gauntlet
from arena.tournament.plan import Plan

if TYPE_CHECKING:
    from rich.progress import Progress

INTERVAL = 10.0  # seconds between two plain lines
LEADERS = 3  # entrants that are named
OTHER_LOAD = 0.3  # cores; less is the usual background, or an error of the short measurement


class Warnings(Observer):
    """Prints warnings, and nothing else."""

    def warning(self, text: str) -> None:
        """Print a warning."""
        terminal.print_error(text)


class ComparisonWarnings(Warnings, ComparisonObserver):
    """Prints warnings of a comparison, and nothing else."""


class Status(Warnings):
    """Prints warnings, the folder of the run, the number of workers, and whether all was played before."""

    def start(self, plan: Plan, folder: Folder) -> None:
        """Print the run's folder and the commitment to its seed."""
        super().start(plan, folder)
        typer.echo(f"results in {folder.path}; seed committed as {seeds.commitment(plan.seed or '')}", err=True)

    def playing(self, workers: str, used_by_others: float) -> None:
        """Print how many workers play, and that the machine has other load, if it has."""
        typer.echo(workers, err=True)
        if used_by_others >= OTHER_LOAD:
            typer.echo(f"other programs use {used_by_others:.1f} cores: matches take longer; results do not change", err=True)

    def already_over(self, played: int) -> None:
        """Print that only the reports are made."""
        typer.echo(f"{played} of {played} matches played before; writing the reports", err=True)


class ComparisonProgress(Status, ComparisonObserver):
    """A line after each round of a comparison, and every INTERVAL seconds in a long one: hands, evidence and the time left."""

    def __init__(self, question: str = "") -> None:
        """``question``: shown first; empty: there is only one."""
        self._question = question
        self._latest: ComparisonOutcome | None = None
        self._hands = self._before = 0
        self._start = self._printed = 0.0

    def start(self, plan: Plan, folder: Folder) -> None:
        """Print the question, the folder and the commitment, and remember the limit of hands."""
        if self._question:
            typer.echo(self._question, err=True)
        super().start(plan, folder)
        assert isinstance(plan.spec.format, Duel | Gauntlet)
        self._most = plan.spec.format.hands

    def already_over(self, played: int) -> None:
        """Print that only the reports are made."""
        typer.echo(f"played before, in {played:,} batches or matches; writing the reports", err=True)

    def results(self, results: Sequence[Result]) -> None:
        """Count the hands on record."""
        self._hands = sum(one.hands for one in results)
        super().results(results)

    def outcome(self, outcome: ComparisonOutcome) -> None:
        """Print a line, if hands were played since the last."""
        if self._latest is None:
            self._before, self._start = self._hands, time.monotonic()
        if self._latest is None or outcome.total_hands > self._latest.total_hands:
            self._latest = outcome
            self._print(time.monotonic())

    def record(self, record: MatchRecord) -> None:
        """Count its hands, and print a line if the last one is old."""
        self._hands += len(record.hands)
        if (now := time.monotonic()) - self._printed >= INTERVAL:
            self._print(now)

    def _print(self, now: float) -> None:
        assert self._latest
        self._printed = now
        rate = (self._hands - self._before) / max(now - self._start, 1e-9)
        typer.echo(verdict.line(self._latest, self._most, self._hands, rate), err=True)


def _answer(plan: Plan, results: Sequence[Result]) -> str:
    """Return the conclusion of the format so far; empty: it draws none."""
    known = details(plan.spec.format, plan.names, lambda: results)
    return known.answer if known else ""


class AnswerProgress(Status):
    """A line after each round of a format that answers a question, and every INTERVAL seconds in a long one."""

    def start(self, plan: Plan, folder: Folder) -> None:
        """Print the run's folder and the commitment to its seed, and remember what is played."""
        super().start(plan, folder)
        self._plan, self._hands, self._answer, self._printed = plan, 0, "", 0.0

    def results(self, results: Sequence[Result]) -> None:
        """Print the answer so far."""
        self._hands = sum(one.hands for one in results)
        self._answer = _answer(self._plan, results)
        self._print()

    def record(self, record: MatchRecord) -> None:
        """Count its hands, and print a line if the last one is old."""
        self._hands += len(record.hands)
        if time.monotonic() - self._printed >= INTERVAL:
            self._print()

    def _print(self) -> None:
        self._printed = time.monotonic()
        typer.echo(f"{self._hands:,} hands; {self._answer}", err=True)


def teller(*, quiet: bool) -> Callable[[str], None]:
    """Return a function that prints a line of progress; with ``quiet`` it does nothing."""
    return (lambda _: None) if quiet else partial(typer.echo, err=True)


def of_comparison(question: str = "", *, quiet: bool) -> ComparisonObserver:
    """Return the observer that shows the progress of a comparison; ``quiet`` shows warnings alone."""
    return ComparisonWarnings() if quiet else ComparisonProgress(question)


@contextmanager
def of(plan: Plan, *, quiet: bool) -> Iterator[Observer]:
    """Yield the observer that shows the progress of a plan; ``quiet`` shows warnings alone."""
    if quiet:
        yield Warnings()
    elif isinstance(plan.spec.format, Duel | Gauntlet):
        yield ComparisonProgress()
    elif _answer(plan, ()):
        yield AnswerProgress()
    elif sys.stderr.isatty():
        bar = BarProgress()
        try:
            yield bar
        finally:
            bar.stop()
    else:
        yield LineProgress()


@contextmanager
def count_bar(verb: str, what: str = "matches", *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many of ``what`` are done: as a bar on a terminal, elsewhere as lines."""
    if quiet:
        yield lambda *_: None
    elif sys.stderr.isatty():
        bar = CountBar(f"{what} {verb}")
        try:
            yield bar.show
        finally:
            bar.stop()
    else:
        yield CountLines(f"{what} {verb}").show


class Leaders:
    """The leading entrants: by matches won, or by points where hands are played in batches."""

    def __init__(self, played: Sequence[Result]) -> None:
        self._won: Counter[str] = Counter()
        for one in played:
            self.add(one)

    def add(self, played: Result) -> None:
        """Count one more result."""
        first, second = played.fixture.seats
        if played.winner is not None:
            self._won[played.fixture.seats[played.winner]] += 1
        elif played.fixture.hands is not None:
            net = played.points[0] - played.points[1]
            self._won[first] += net
            self._won[second] -= net

    def __str__(self) -> str:
        """Return the first few with what they have won, the best first."""
        return ", ".join(f"{name} {won}" for name, won in sorted(self._won.items(), key=lambda row: (-row[1], row[0]))[:LEADERS])


class _MatchCounter(Status):
    """Counts matches, from the first call of ``results`` on; a subclass shows the counts."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._started = False
        self._before = self._done = self._total = 0
        self._leaders = Leaders(())

    def start(self, plan: Plan, folder: Folder) -> None:
        """Print the run's folder and the commitment to its seed, and remember the plan, which says how many matches there are."""
        super().start(plan, folder)
        self._plan = plan

    def results(self, results: Sequence[Result]) -> None:
        """Count what was played before, and what is left: a format may ask for more after each round."""
        if self._plan is None:
            return
        form, names = self._plan.spec.format, self._plan.names
        left = sum(1 for _ in form.fixtures(names, results))
        self._done = len(results)
        self._total = max(self._total, self._done + left, form.least(len(names)))
        if self._started:
            return
        self._started = True
        self._before = self._done
        self._leaders = Leaders(results)
        self._show_start()

    def record(self, record: MatchRecord) -> None:
        """Count one more."""
        self._done += 1
        self._leaders.add(result(record))
        self._show_match()

    def _show_start(self) -> None:
        raise NotImplementedError

    def _show_match(self) -> None:
        raise NotImplementedError


class LineProgress(_MatchCounter):
    """A plain line now and then, for a log or a pipe."""

    def _show_start(self) -> None:
        self._lines = CountLines("matches played", self._before)
        typer.echo(f"{self._done} of {self._total} matches played", err=True)

    def _show_match(self) -> None:
        show = self._lines.print if self._done == self._total else self._lines.show
        show(self._done, self._total, f"; {self._leaders}")


class BarProgress(_MatchCounter):
    """A bar, for a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: CountBar | None = None

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def _show_start(self) -> None:
        self._bar = CountBar("matches", self._before)
        self._show_match()

    def _show_match(self) -> None:
        assert self._bar
        self._bar.show(self._done, self._total, str(self._leaders))


class CountLines:
    """Prints the progress as plain lines."""

    def __init__(self, what: str, before: int = 0) -> None:
        """Count ``what``; ``before`` were done earlier, and do not count for the rate."""
        self._what = what
        self._before = before
        self._start = self._printed = time.monotonic()

    def show(self, done: int, total: int, more: str = "") -> None:
        """Print a line that ends with ``more``, unless the last one is less than INTERVAL seconds old."""
        if time.monotonic() - self._printed >= INTERVAL:
            self.print(done, total, more)

    def print(self, done: int, total: int, more: str = "") -> None:
        """Print a line that ends with ``more``."""
        self._printed = time.monotonic()
        rate = (done - self._before) / max(self._printed - self._start, 1e-9)
        left = f"about {duration(max(total - done, 0) / rate)} left" if rate else "time left unknown"
        typer.echo(f"{done} of {total} {self._what}, {rate:.1f} a second, {left}{more}", err=True)


class CountBar:
    """Shows the progress as a bar, which appears at the first ``show``."""

    def __init__(self, what: str, before: int = 0) -> None:
        """Count ``what``; ``before`` were done earlier, and do not count for the rate."""
        self._what = what
        self._before = before
        self._bar: Progress | None = None

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def show(self, done: int, total: int, more: str = "") -> None:
        """Show what is done, and ``more`` beside it."""
        bar = self._bar = self._bar or self._start()
        rate = f"{(done - self._before) / max(bar.tasks[0].elapsed or 0, 1e-9):.1f}/s"
        bar.update(bar.tasks[0].id, completed=done, total=total, rate=rate, more=more)

    def _start(self) -> "Progress":
        bar = _bar(self._what)
        bar.start()
        terminal.guard()  # rich redirects what is printed meanwhile, and would obey escapes in it
        bar.add_task("", total=None, rate="", more="")
        return bar


def _bar(what: str) -> "Progress":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - 60 ms, on a terminal alone

    rate, more = TextColumn("{task.fields[rate]}"), TextColumn("{task.fields[more]}", markup=False)
    columns = (TextColumn(what), BarColumn(12), MofNCompleteColumn(), rate, TimeRemainingColumn(compact=True), more)
    return Progress(*columns, console=terminal.console(sys.stderr), transient=True)
