"""The progress of a run on standard error.

Comparisons print a line after each round. Other runs show a bar on a terminal, and elsewhere a plain line from time to time. In a
notebook all this is one line, which is rewritten.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from arena.cli import terminal
from arena.compare.dueling import ComparisonObserver
from arena.records import MatchRecord, Result, result
from arena.reports import hands_left
from arena.reports.numbers import duration
from arena.runs.play import Observer
from arena.stats.duels import ComparisonOutcome
from arena.store.folder import Folder
from arena.text import in_one_line, shorten
from arena.tournament import seeds
from arena.tournament.formats.base import details, plays_batches
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.plan import Plan

if TYPE_CHECKING:
    from rich.progress import Progress

INTERVAL = 10.0  # seconds between two plain lines
LEADERS = 3  # entrants that are named
BAR = 12  # columns of the bar
LEAST_MORE = 12  # columns beside the bar; in fewer nothing is shown there
OTHER_LOAD = 0.3  # cores; less is the usual background, or an error of the short measurement


class _Line:
    """The line of a notebook that shows the progress, rewritten each time: many lines would push the results out of sight."""

    def __init__(self) -> None:
        self._longest = 0  # characters so far, which spaces cover

    def rewrite(self, text: str) -> None:
        """Replace what the line shows."""
        self._longest = max(self._longest, len(text))
        sys.stderr.write(f"\r{text:<{self._longest}}")
        sys.stderr.flush()


_line = _Line()


def tell(text: str) -> None:
    """Print a line of progress on standard error; in a notebook, in place of the one before."""
    if "ipykernel" in sys.modules and not sys.stderr.isatty():
        _line.rewrite(in_one_line(text))
    else:
        typer.echo(text, err=True)


class Warnings(Observer):
    """Prints warnings, and nothing else."""

    def warning(self, text: str) -> None:
        """Print a warning."""
        terminal.print_error(text)


class Status(Warnings):
    """Prints warnings, the folder of the run, the number of workers, and whether all was played before."""

    def start(self, plan: Plan, folder: Folder) -> None:
        """Print the run's folder and the commitment to its seed, and remember what is played."""
        super().start(plan, folder)
        self._plan = plan
        tell(f"results in {folder.path}; seed committed as {seeds.commitment(plan.seed or '')}")

    def playing(self, workers: str, used_by_others: float) -> None:
        """Print how many workers play, and that the machine has other load, if it has."""
        tell(workers)
        if used_by_others >= OTHER_LOAD:
            tell(f"other programs use {used_by_others:.1f} cores: matches take longer; results do not change")

    def already_over(self, played: int) -> None:
        """Print that only the reports are made."""
        tell(f"{played} of {played} {_things(self._plan)} played before; writing the reports")


class _TimedLines(Status):
    """Counts hands, and prints a line every INTERVAL seconds; a subclass makes the line, and may print it more often."""

    def __init__(self) -> None:
        self._hands, self._printed = 0, 0.0

    def results(self, results: Sequence[Result]) -> None:
        """Count the hands on record."""
        self._hands = sum(one.hands for one in results)
        super().results(results)

    def record(self, record: MatchRecord) -> None:
        """Count its hands, and print a line if the last one is old."""
        self._hands += len(record.hands)
        if time.monotonic() - self._printed >= INTERVAL:
            self._print()

    def _print(self) -> None:
        self._printed = time.monotonic()
        tell(self._line())

    def _line(self) -> str:
        raise NotImplementedError


class ComparisonProgress(_TimedLines, ComparisonObserver):
    """A line after each round of a comparison, and now and then in a long one: hands, evidence and the time left."""

    def __init__(self, question: str = "") -> None:
        """``question``: the name of this comparison, shown first; empty: there is only one comparison."""
        super().__init__()
        self._question = question
        self._latest: ComparisonOutcome | None = None
        self._before = 0
        self._start = 0.0

    def start(self, plan: Plan, folder: Folder) -> None:
        """Print the question, the folder and the commitment, and remember the limit of hands."""
        if self._question:
            tell(self._question)
        super().start(plan, folder)
        assert isinstance(plan.spec.format, Duel | Gauntlet)
        self._most = plan.spec.format.hands

    def already_over(self, played: int) -> None:
        """Print that only the reports are made."""
        tell(f"played before, in {played:,} batches or matches; writing the reports")

    def outcome(self, outcome: ComparisonOutcome) -> None:
        """Print a line, if hands were played since the last."""
        if self._latest is None:
            self._before, self._start = self._hands, time.monotonic()
        if self._latest is None or outcome.hands > self._latest.hands:
            self._latest = outcome
            self._print()

    def _line(self) -> str:
        assert self._latest
        rate = (self._hands - self._before) / max(self._printed - self._start, 1e-9)
        return hands_left.line(self._latest, self._most, self._hands, rate)


def _things(plan: Plan) -> str:
    """Return what a plan plays, as a plural."""
    return "batches" if plays_batches(plan.spec.format, plan.names) else "matches"


def _answer(plan: Plan, results: Sequence[Result]) -> str:
    """Return the conclusion of the format so far; empty: it draws none."""
    known = details(plan.spec.format, plan.names, lambda: results)
    return known.answer if known else ""


class AnswerProgress(_TimedLines):
    """A line after each round of a format that answers a question, and now and then in a long one."""

    def __init__(self) -> None:
        super().__init__()
        self._answer = ""

    def results(self, results: Sequence[Result]) -> None:
        """Print the answer so far."""
        super().results(results)
        self._answer = _answer(self._plan, results)
        self._print()

    def _line(self) -> str:
        return f"{self._hands:,} hands; {self._answer}"


def teller(*, quiet: bool) -> Callable[[str], None]:
    """Return a function that prints a line of progress; with ``quiet`` it does nothing."""
    return (lambda _: None) if quiet else tell


def of_comparison(question: str = "", *, quiet: bool) -> Observer:
    """Return the observer that shows the progress of a comparison; ``quiet`` shows warnings alone."""
    return Warnings() if quiet else ComparisonProgress(question)


@contextmanager
def of(plan: Plan, *, quiet: bool) -> Iterator[Observer]:
    """Yield the observer that shows the progress of a plan; ``quiet`` shows warnings alone."""
    if quiet:
        yield Warnings()
    elif isinstance(plan.spec.format, Duel | Gauntlet):
        yield ComparisonProgress()
    elif _answer(plan, ()):
        yield AnswerProgress()
    else:
        fixed, things = plan.spec.format.is_fixed, _things(plan)
        with _counter(things if fixed else f"{things}, of at least", f"{things} played", at_least=not fixed) as counter:
            yield MatchProgress(counter)


@contextmanager
def count_bar(verb: str, what: str = "matches", *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many of ``what`` are done: as a bar on a terminal, elsewhere as lines."""
    if quiet:
        yield lambda *_: None
    else:
        with _counter(f"{what} {verb}", f"{what} {verb}") as counter:
            yield counter.show


@contextmanager
def _counter(beside_bar: str, in_lines: str, *, at_least: bool = False) -> "Iterator[CountBar | CountLines]":
    """Yield a bar on a terminal, else a printer of lines; the texts say what is counted, ``at_least`` whether there may be more."""
    if not sys.stderr.isatty():
        yield CountLines(in_lines, at_least=at_least)
        return
    bar = CountBar(beside_bar)
    try:
        yield bar
    finally:
        bar.stop()


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


class MatchProgress(Status):
    """Counts matches, from the first call of ``results`` on."""

    def __init__(self, counter: "CountBar | CountLines") -> None:
        self._counter = counter
        self._started = False
        self._done = self._total = 0
        self._leaders = Leaders(())

    def results(self, results: Sequence[Result]) -> None:
        """Count what was played before, and what is left: a format may ask for more after each round."""
        form, names = self._plan.spec.format, self._plan.names
        left = sum(1 for _ in form.fixtures(names, results))
        self._done = len(results)
        self._total = max(self._total, self._done + left, form.least(len(names)))
        if not self._started:
            self._started = True
            self._leaders = Leaders(results)
            self._counter.begin(self._done, self._total, str(self._leaders))

    def record(self, record: MatchRecord) -> None:
        """Count one more."""
        self._done += 1
        self._leaders.add(result(record))
        self._counter.show(self._done, self._total, str(self._leaders), last=self._done == self._total)


class CountLines:
    """Prints the progress as plain lines, for a log or a pipe."""

    def __init__(self, what: str, *, at_least: bool = False) -> None:
        """Take what is counted; ``at_least``: results may add to the total."""
        self._what, self._least, self._about = what, *(("at least ", "at least") if at_least else ("", "about"))
        self._before = 0
        self._start = self._printed = time.monotonic()

    def begin(self, done: int, total: int, _: str) -> None:
        """Print what was done earlier, which does not count for the rate."""
        self._before = done
        self._start = self._printed = time.monotonic()
        tell(f"{done} of {self._least}{total} {self._what}")

    def show(self, done: int, total: int, more: str | None = None, *, last: bool = False) -> None:
        """Print a line that ends with ``more``; but for the ``last``, only if INTERVAL seconds have passed since the one before."""
        if not last and time.monotonic() - self._printed < INTERVAL:
            return
        self._printed = time.monotonic()
        rate = (done - self._before) / max(self._printed - self._start, 1e-9)
        left = f"{self._about} {duration(max(total - done, 0) / rate)} left" if rate else "time left unknown"
        end = "" if more is None else f"; {more}"
        tell(f"{done} of {self._least}{total} {self._what}, {rate:.1f} a second, {left}{end}")


class CountBar:
    """Shows the progress as a bar, which appears at the first ``show``."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._before = 0
        self._bar: Progress | None = None

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def begin(self, done: int, total: int, more: str) -> None:
        """Show what was done earlier, which does not count for the rate."""
        self._before = done
        self.show(done, total, more)

    def show(self, done: int, total: int, more: str = "", *, last: bool = False) -> None:  # noqa: ARG002 - as of lines
        """Show what is done, and ``more`` beside it."""
        bar = self._bar = self._bar or self._start()
        rate = f"{(done - self._before) / max(bar.tasks[0].elapsed or 0, 1e-9):.1f}/s"
        taken = len(f"{self._what} {done}/{total} {rate} ") + BAR + len(" 0:00:00 ") + len(str(total)) - len(str(done))
        room = bar.console.width - taken
        more = shorten(more, room) if room >= LEAST_MORE else ""  # otherwise all columns would be cut
        bar.update(bar.tasks[0].id, completed=done, total=total, rate=rate, more=more)

    def _start(self) -> "Progress":
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - 60 ms, on a terminal alone

        rate, more = TextColumn("{task.fields[rate]}"), TextColumn("{task.fields[more]}", markup=False)
        columns = (TextColumn(self._what), BarColumn(BAR), MofNCompleteColumn(), rate, TimeRemainingColumn(compact=True), more)
        bar = Progress(*columns, console=terminal.console(sys.stderr), transient=True)
        bar.start()
        terminal.guard()  # rich redirects what is printed meanwhile, and would obey escapes in it
        bar.add_task("", total=None, rate="", more="")
        return bar
