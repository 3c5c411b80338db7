"""How a run is going: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import typer

EVERY = 10.0  # seconds between two plain lines


class Progress(Protocol):
    """Is told of every fixture that was played."""

    def expect(self, total: int) -> None:
        """Learn how many fixtures there are, as far as can be known."""

    def step(self) -> None:
        """Count one more."""


@contextmanager
def shown(done: int) -> Iterator[Progress]:
    """Show progress on stderr while the context lasts; ``done`` fixtures were played before."""
    if sys.stderr.isatty():
        with _bar(done) as bar:
            yield bar
    else:
        yield _Lines(done)


class _Lines:
    def __init__(self, done: int) -> None:
        self._done = self._before = done
        self._total = done
        self._start = self._told = time.monotonic()

    def expect(self, total: int) -> None:
        self._total = total
        typer.echo(f"{self._done} of {total} matches played", err=True)

    def step(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._told >= EVERY or self._done == self._total:
            self._told = now
            rate = (self._done - self._before) / max(now - self._start, 1e-9)
            left = (self._total - self._done) / rate
            typer.echo(f"{self._done} of {self._total} matches played, {rate:.1f} a second, about {left:.0f} s left", err=True)


@contextmanager
def _bar(done: int) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("matches"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _RichBar(bar, done)


class _RichBar:
    def __init__(self, bar: "object", done: int) -> None:
        from rich.progress import Progress as Bar

        assert isinstance(bar, Bar)
        self._bar = bar
        self._before = done
        self._task = bar.add_task("", total=None, completed=done, rate="")

    def expect(self, total: int) -> None:
        self._bar.update(self._task, total=total)

    def step(self) -> None:
        task = self._bar.tasks[self._task]
        played = task.completed + 1 - self._before
        self._bar.update(self._task, advance=1, rate=f"{played / max(task.elapsed or 0, 1e-9):.1f} a second")
