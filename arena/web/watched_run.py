"""A watched run: reads the records that are new, and makes a snapshot of the run for the pages.

Records are only ever appended to a database, so each is read once and added to a ``ReportBuilder``. The records of a finished run
are not read at all if its ``results.json`` belongs to them, which the link in its provenance shows.
"""

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.json import decode
from msgspec.structs import replace

from arena.disk import file_state, real
from arena.errors import MALFORMED, ArenaError
from arena.plugins.manager import naming_missing
from arena.records import MatchRecord
from arena.reports import hands_left
from arena.reports.numbers import duration
from arena.reports.report import About, Report
from arena.reports.report_builder import ReportBuilder
from arena.results import comparison_evidence, headline
from arena.runs import review_cache
from arena.runs.agreement import COIN, LEGS, PLUGINS
from arena.runs.compared_parts import earlier_of_run
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import kind_of, stored_run
from arena.stats.pairs import LegMatcher
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.tournament.completeness import compare
from arena.tournament.formats.base import details
from arena.tournament.spec import Kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.reports.comparison_report import ComparisonReport
    from arena.stats.estimate import Estimate
    from arena.stats.format_details import Details
    from arena.stats.standings import Places

SLICE = 0.25  # seconds of reading at a time, so that a long run does not delay the others
COUNT_PAUSE_FACTOR = 20  # a format that took 1 s to count its missing fixtures is asked again after 20 s
RATE_WINDOW = 60.0  # seconds over which the speed is measured

State = Literal["waiting", "running", "stopped", "finished", "unreadable", "elsewhere"]


class Snapshot(Struct, frozen=True, kw_only=True):
    """The state of a run at one moment."""

    name: str  # of its folder
    state: State
    report: Report | None  # None: not read yet, or ``problem`` says why it cannot be read
    played: int = 0  # fixtures; hands of a comparison
    total: int | None = None  # of fixtures; at most, of hands of a comparison; None: not known
    at_least: bool = False  # whether results may add fixtures to the total
    left: str = ""  # speed and remaining time, as text
    problem: str = ""
    featured: str = ""  # a fixture of which every hand may be shown while the run is played; empty: there is none


class FeaturedMatch:
    """Chooses a match that pages show card by card while its run is played: the last one whose cards can help no bot.

    Both legs of its pair are over: they have the same deals, so while the other leg is to come, a reader could tell a bot its
    opponent's cards. Pairings that may share deals with others are never chosen. A run whose bots are not isolated shows no hand at
    all before it is finished.
    """

    def __init__(self) -> None:
        self.fixture = ""  # empty: there is none
        self._legs = LegMatcher()

    def add(self, record: MatchRecord) -> None:
        """Choose the match of a record, if it completes a pair and may be shown."""
        pair = self._legs.add(record)
        if pair and pair.legs == 2 and not pair.may_share_deals and record.hands:
            self.fixture = record.fixture.id


class WatchedRun:
    """Reads one run, whenever ``poll`` is called. Not thread-safe: only ``rate`` may run in another thread."""

    def __init__(self, folder: Folder, kinds: Kinds) -> None:
        self.folder = folder
        self._kinds = kinds
        self._seen: tuple[object, ...] = ()
        self._reset("")

    def _reset(self, run: str, *, coin: bool = False) -> None:
        """Forget all that was read; ``coin``: in the run a coin decides which of two legs is played first."""
        self.snapshot = Snapshot(name=self.folder.path.name, state="waiting", report=None)
        self._run = run  # its commitment; a different one means that a new run has replaced it in the folder
        self._builder = ReportBuilder(lambda _: coin)
        self._featured = FeaturedMatch()
        self._caught_up = False
        self.rated = 0  # the number of records when the last rating was started
        self._ratings: Mapping[str, Estimate] = {}
        self._fixtures: int | None = None  # in all, when the format was asked last; None: not known
        self._places: Places | None = None  # the ranking by the format, when it was asked last; None: by matches won
        self._details: Details | None = None  # what else the format shows, as then
        self._comparison: ComparisonReport | None = None  # when the format was asked last; None: not a comparison
        self._asked = 0  # the number of records when the format was asked last
        self._due = 0.0  # monotonic time when it may be asked again
        self._pace: list[tuple[float, int, int]] = []  # monotonic time, number of fixtures and of hands

    def poll(self) -> bool:
        """Read new records for at most ``SLICE`` seconds; return whether the snapshot has changed."""
        before = self.snapshot
        try:
            running = self.folder.is_played  # by any process; by this one, if it plays games of bots that run elsewhere
            mark = (running, *_marks(self.folder))
            if mark == self._seen and self._caught_up and (self._asked == self.count or time.monotonic() < self._due):
                return False
            self._seen = mark
            self.snapshot = self._read(running=running)
        except (ArenaError, OSError) as error:
            self._caught_up = False  # so that the next look tries again
            problem = str(error).replace(f"{self.folder.path.parent}/", "")  # visitors must not see where the folder is
            self.snapshot = Snapshot(name=self.folder.path.name, state="unreadable", report=None, problem=problem)
        return self.snapshot != before

    def rate(self) -> None:
        """Compute the ratings from all stored records, which may take seconds. Raises: ArenaError."""
        with Store(self.folder.database) as store:
            run = stored_run(self.folder, store, self._kinds)
            rating, records = run.spec.rating, store.records()
            self._ratings = rating.rate_scheduled(records, run.names) if run.spec.format.scheduled else rating.rate(records)
        self._caught_up = False  # so that the next look makes a new snapshot

    @property
    def count(self) -> int:
        """Return the number of records read; 0 for a run whose stored report is used."""
        return self._builder.read

    def _read(self, *, running: bool) -> Snapshot:
        with Store(self.folder.database) as store:
            facts = store.facts()
            if not facts:
                return Snapshot(name=self.folder.path.name, state="waiting", report=None, problem="nothing has been played yet")
            kinds = naming_missing(self._kinds, facts.get(PLUGINS, ""))
            if command := kind_of(self.folder, facts, kinds).own_pages:
                self._caught_up = True  # it is not looked at again until it changes
                hint = f"it has pages of its own: {command.format(folder=shlex.quote(self.folder.path.name))}"
                return Snapshot(name=self.folder.path.name, state="elsewhere", report=None, problem=hint)
            if facts["commitment"] != self._run:
                self._reset(facts["commitment"], coin=facts.get(LEGS) == COIN)
            if "finished" in facts and (stored := _stored_report(self.folder, store)):
                self._caught_up = True
                return Snapshot(name=self.folder.path.name, state="finished", report=for_visitors(stored, self.folder.path))
            self._catch_up(store)
            run = stored_run(self.folder, store, self._kinds)
            total = self._total(store, run)
            if 0 < self._asked < self.count and self.snapshot.report:  # until the format is asked again, all stays as it was then
                return self.snapshot if running or run.finished else replace(self.snapshot, state="stopped", left="", featured="")
            known = headline.about(self.folder, store, run, run.field, self._places, self._details, self._comparison)
            return self._make_snapshot(known, total, at_least=not run.spec.format.is_fixed, running=running)

    def _catch_up(self, store: Store) -> None:
        until = time.monotonic() + SLICE
        self._caught_up = True
        for record in store.records(after=self._builder.read):
            self._builder.add(record)
            self._featured.add(record)
            if time.monotonic() > until:
                self._caught_up = False
                break
        if self._caught_up:  # while it catches up, the speed would be that of reading
            self._pace = [past for past in self._pace if past[0] > time.monotonic() - RATE_WINDOW]
            self._pace.append((time.monotonic(), self._builder.read, self._builder.hands))

    def _make_snapshot(self, known: About, total: int | None, *, at_least: bool, running: bool) -> Snapshot:
        state: State = "finished" if known.finished else "running" if running else "stopped"
        report = for_visitors(self._builder.report(known, self._ratings), self.folder.path)
        left = "" if self._caught_up else "still reading"
        played = self._builder.read
        if self._comparison:
            played, total = self._builder.hands, max(self._comparison.most_hands, self._builder.hands)
        if state == "running" and self._caught_up:
            left = self._time_left(total, at_least=at_least)
        featured = self._featured.fixture if state == "running" and self._caught_up and report.isolation.isolated else ""
        name = self.folder.path.name
        return Snapshot(
            name=name, state=state, report=report, played=played, total=total, at_least=at_least, left=left, featured=featured
        )

    def _total(self, store: Store, run: StoredRun) -> int | None:
        """Return the number of all fixtures, or the least one; None until all records are read, or where no least one is known.

        Ask the format for its ranking as well. Both need all results,
        so they are computed again only after a pause that is much longer than the computation.
        """
        if not self._caught_up:
            return None
        start = time.monotonic()
        if start >= self._due or run.finished:
            self._asked = self.count
            results, earlier = store.results(), earlier_of_run(self.folder, run.facts).results
            spec, names = run.spec, run.names
            least = spec.format.least(len(names))
            known = len(results) + compare(spec, names, results, earlier).missing
            self._fixtures = max(known, least) if least or spec.format.scheduled else None
            self._places = run.places(lambda: results)
            self._details = details(spec.format, names, lambda: results)
            self._comparison = comparison_evidence.comparison_report(spec, names, lambda: [*earlier, *results])
            self._due = start + COUNT_PAUSE_FACTOR * (time.monotonic() - start)
        return self._fixtures and max(self._fixtures, self._builder.read)

    def _time_left(self, total: int | None, *, at_least: bool) -> str:
        (start, first, first_hands), (end, last, last_hands) = self._pace[0], self._pace[-1]
        seconds = end - start
        if self._comparison:
            rate = (last_hands - first_hands) / seconds if seconds > 0 else 0.0
            return hands_left.beside_bar(self._comparison.outcome, self._comparison.most_hands, last_hands, rate)
        if last <= first or seconds <= 0:
            return ""
        rate = (last - first) / seconds
        remaining = "" if total is None else f", {'at least' if at_least else 'about'} {duration(max(total - last, 0) / rate)} left"
        return f"{rate:.1f} {'batches' if self.snapshot.report and self.snapshot.report.batches else 'matches'} a second{remaining}"


def shown_path(path: Path) -> str | None:
    """Return the path of a run below the working directory; None for one elsewhere, whose path visitors must not see."""
    here = real(Path.cwd())
    return str(path.relative_to(here)) if path.is_relative_to(here) else None


def for_visitors(report: Report, path: Path) -> Report:
    """Return the report of the run in ``path`` with that path as visitors may see it in its command, or without the command."""
    command, shown = report.answer.command, shown_path(path)
    if str(path) not in command:
        return report
    return replace(report, answer=replace(report.answer, command=command.replace(str(path), shown) if shown else ""))


def _marks(folder: Folder) -> tuple[object, ...]:
    """Return the times and sizes of the files that change when something is stored."""
    names = (DATABASE, f"{DATABASE}-wal", "results.json", review_cache.SHOWN_FILE)
    return tuple(file_state(folder.path / name) for name in names)


def _stored_report(folder: Folder, store: Store) -> Report | None:
    """Return the report in ``results.json`` if it can be read and belongs to the stored records, else None."""
    try:
        stored = decode((folder.path / "results.json").read_bytes(), type=Report)
    except (OSError, *MALFORMED):
        return None
    field = {bot.name for bot in store.field()}
    same = stored.provenance.get("link") == store.last_link() and {row.entrant for row in stored.standings} == field
    return stored if stored.finished and same else None
