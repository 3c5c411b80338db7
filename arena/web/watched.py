"""One run as it is watched: its records are counted as they are filed, and never twice."""

import time
from typing import TYPE_CHECKING, Literal

from msgspec import DecodeError, Struct
from msgspec.json import decode

from arena.errors import ArenaError
from arena.reports.about import about
from arena.reports.report import About, Growing, Report
from arena.reports.tables import duration
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.tournament import spec as specs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.stats.ratings.base import Estimate

SLICE = 0.25  # seconds of reading in one look, so that every run has its turn
SHARE = 20  # who took a second to ask for what is left is asked again after twenty
RECENT = 60.0  # seconds over which a rate is measured

State = Literal["running", "stopped", "finished", "unreadable"]


class Snapshot(Struct, frozen=True, kw_only=True):
    """A run at one moment."""

    name: str  # of its folder
    state: State
    report: Report | None  # None: nothing could be read yet, or ``problem`` says why nothing can be
    played: int = 0  # fixtures
    total: int | None = None  # likewise, as far as can be known
    left: str = ""  # how fast it goes and how long it takes
    problem: str = ""


class Watched:
    """Looks at one run when it is told to, from one thread."""

    def __init__(self, folder: Folder, kinds: specs.Kinds) -> None:
        self.folder = folder
        self._kinds = kinds
        self._seen: tuple[object, ...] = ()
        self._forget("")
        self.snapshot = Snapshot(name=folder.path.name, state="stopped", report=None)

    def _forget(self, run: str) -> None:
        self._run = run  # the run's commitment: another one in the same folder is another run
        self._growing = Growing()
        self._caught_up = False
        self._ratings: Mapping[str, Estimate] = {}
        self._asked_for = 0  # fixtures, when the format was last asked
        self._total_due = 0.0  # when it may be asked again
        self._pace: list[tuple[float, int]] = []  # when, and how many fixtures there were

    def look(self) -> bool:
        """Read what is new, for ``SLICE`` at the most; tell whether there is anything new to show."""
        before = self.snapshot
        try:
            running = self.folder.held()
            mark = (running, *_marks(self.folder))
            if mark == self._seen and self._caught_up:
                return False
            self._seen = mark
            self.snapshot = self._read(running=running)
        except (ArenaError, OSError, KeyError, DecodeError) as error:
            self.snapshot = Snapshot(name=self.folder.path.name, state="unreadable", report=None, problem=str(error))
        return self.snapshot != before

    def rate(self) -> None:
        """Rate the field anew, from the records on file; it may take seconds. Raises: ArenaError."""
        with Store(self.folder.database) as store:
            self._ratings = specs.parse(store.facts()["spec"], self._kinds, "spec.yaml").rating.rate(store.records())
        self._caught_up = False  # what is shown has changed

    @property
    def counted(self) -> int:
        """Return how many records were counted by this watch; a report on file is not counted again."""
        return self._growing.read

    def _read(self, *, running: bool) -> Snapshot:
        with Store(self.folder.database) as store:
            facts = store.facts()
            if not facts:
                return Snapshot(name=self.folder.path.name, state="stopped", report=None, problem="has not begun")
            if facts["commitment"] != self._run:
                self._forget(facts["commitment"])
            if "finished" in facts and (filed := _filed(self.folder)) and filed.finished:
                self._caught_up = True
                return Snapshot(name=self.folder.path.name, state="finished", report=filed)
            self._catch_up(store)
            spec = specs.parse(facts["spec"], self._kinds, "spec.yaml")
            known = about(facts, store.field(), spec.rules, spec.rating, spec.sandbox)
            return self._counted(known, self._total(store, spec, known.field), running=running)

    def _catch_up(self, store: Store) -> None:
        until = time.monotonic() + SLICE
        self._caught_up = True
        for record in store.records(after=self._growing.read):
            self._growing.add(record)
            if time.monotonic() > until:
                self._caught_up = False
                break
        self._pace = [(when, count) for when, count in self._pace if when > time.monotonic() - RECENT]
        self._pace.append((time.monotonic(), self._growing.read))

    def _counted(self, known: About, total: int | None, *, running: bool) -> Snapshot:
        state: State = "finished" if known.finished else "running" if running else "stopped"
        report = self._growing.report(known, self._ratings)
        left = "" if self._caught_up else "still being read"
        if state == "running" and self._caught_up:
            left = self._left(total)
        return Snapshot(name=self.folder.path.name, state=state, report=report, played=self._growing.read, total=total, left=left)

    def _total(self, store: Store, spec: specs.Spec, field: tuple[str, ...]) -> int | None:
        """Return how many fixtures the format asks for, asked again for a small share of the time; None while records are read."""
        if not self._caught_up:
            return None
        start = time.monotonic()
        if start >= self._total_due:
            results = store.results()
            self._asked_for = len(results) + sum(1 for _ in spec.format.fixtures(field, results))
            self._total_due = start + SHARE * (time.monotonic() - start)
        return max(self._asked_for, self._growing.read)

    def _left(self, total: int | None) -> str:
        (start, first), (end, last) = self._pace[0], self._pace[-1]
        if last <= first or end <= start:
            return ""
        rate = (last - first) / (end - start)
        seconds = "" if total is None else f", about {duration((total - last) / rate)} left"
        return f"{rate:.1f} matches a second{seconds}"


def _marks(folder: Folder) -> tuple[object, ...]:
    """Return what changes whenever something is filed."""
    marks: list[object] = []
    for name in (DATABASE, f"{DATABASE}-wal", "results.json"):
        try:
            found = (folder.path / name).stat()
        except FileNotFoundError:
            marks.append(None)
        else:
            marks.append((found.st_mtime_ns, found.st_size, found.st_ino))
    return tuple(marks)


def _filed(folder: Folder) -> Report | None:
    """Return the report that the run has left, if it can be read."""
    try:
        return decode((folder.path / "results.json").read_bytes(), type=Report)
    except (OSError, DecodeError):
        return None
