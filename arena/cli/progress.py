"""How a run is going: a bar on a terminal, a plain line now and then elsewhere; how fast, how long yet, and who leads."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import typer

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from arena.records import Result

EVERY = 10.0  # seconds between two plain lines
LEADERS = 3


class Progress(Protocol):
    """Is told of every fixture that was played."""

    def expect(self, total: int) -> None:
        """Learn how many fixtures there are, as far as can be known."""

    def step(self, result: "Result") -> None:
        """Count one more."""


@contextmanager
def shown(played: "Sequence[Result]", *, quiet: bool = False) -> Iterator[Progress]:
    """Show progress on stderr while the context lasts, after what was ``played`` before."""
    if quiet:
        yield _Silent()
    elif sys.stderr.isatty():
        with _bar(played) as bar:
            yield bar
    else:
        yield _Lines(played)


class Leaders:
    """Who has won most: matches, or points where no match is won."""

    def __init__(self, played: "Sequence[Result]") -> None:
        self._won: Counter[str] = Counter()
        for result in played:
            self.add(result)

    def add(self, result: "Result") -> None:
        """Count one more result."""
        zero, one = result.fixture.seats
        if result.winner is not None:
            self._won[result.fixture.seats[result.winner]] += 1
        elif result.fixture.hands is not None:
            net = result.points[0] - result.points[1]
            self._won[zero] += net
            self._won[one] -= net

    def told(self) -> str:
        """Return the first few with what they have won, the best first."""
        return ", ".join(f"{name} {won}" for name, won in sorted(self._won.items(), key=lambda row: (-row[1], row[0]))[:LEADERS])


class _Silent:
    def expect(self, total: int) -> None:
        pass

    def step(self, result: "Result") -> None:
        pass


class _Lines:
    def __init__(self, played: "Sequence[Result]") -> None:
        self._done = self._before = len(played)
        self._total = len(played)
        self._leaders = Leaders(played)
        self._start = self._told = time.monotonic()

    def expect(self, total: int) -> None:
        self._total = total
        typer.echo(f"{self._done} of {total} matches played", err=True)

    def step(self, result: "Result") -> None:
        self._done += 1
        self._leaders.add(result)
        now = time.monotonic()
        if now - self._told >= EVERY or self._done == self._total:
            self._told = now
            typer.echo(self._line(now), err=True)

    def _line(self, now: float) -> str:
        rate = (self._done - self._before) / max(now - self._start, 1e-9)
        left = f"about {(self._total - self._done) / rate:.0f} s left"
        return f"{self._done} of {self._total} matches played, {rate:.1f} a second, {left}; {self._leaders.told()}"


@contextmanager
def _bar(played: "Sequence[Result]") -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    rate, leaders = TextColumn("{task.fields[rate]}"), TextColumn("{task.fields[leaders]}", markup=False)
    columns = (TextColumn("matches"), BarColumn(12), MofNCompleteColumn(), rate, TimeRemainingColumn(compact=True), leaders)
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _RichBar(bar, played)


class _RichBar:
    def __init__(self, bar: "Bar", played: "Sequence[Result]") -> None:
        self._bar = bar
        self._before = len(played)
        self._leaders = Leaders(played)
        self._task = bar.add_task("", total=None, completed=len(played), rate="", leaders=self._leaders.told())

    def expect(self, total: int) -> None:
        self._bar.update(self._task, total=total)

    def step(self, result: "Result") -> None:
        self._leaders.add(result)
        task = self._bar.tasks[self._task]
        played = task.completed + 1 - self._before
        rate = f"{played / max(task.elapsed or 0, 1e-9):.1f}/s"
        self._bar.update(self._task, advance=1, rate=rate, leaders=self._leaders.told())
