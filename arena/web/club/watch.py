"""A thread that follows a league's database for all browsers, and makes a snapshot whenever it has changed.

Events and records are only ever added, so each is read once. Ratings are computed in the same thread. If they take long, they are
computed less often, so that they take at most a fifth of one core from play, unless pages request more snapshots (``renew``).
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.disk import file_state
from arena.errors import ArenaError
from arena.league import leagues
from arena.league.leagues import LiveLeague
from arena.league.rules.events import NO_REASON, AnyEvent, Reason
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History
from arena.league.rules.league_table import LeagueTable
from arena.league.rules.likeness import Likeness, likenesses, nearest
from arena.league.rules.rounds import Calendar
from arena.league.rules.spec import LeagueSpec
from arena.league.rules.table_changes import anchors_in, scale_shift
from arena.league.rules.table_making import make_table
from arena.moments import Moment, moment, now
from arena.records import Fixture, MatchRecord, Result, result
from arena.runs.background import IN_ARENA, BackgroundThread
from arena.stats.estimate import Estimate
from arena.stats.pairs import Pair
from arena.stats.tally import Tally, TallyBuilder
from arena.store.file import identity
from arena.store.folder import DATABASE, Folder
from arena.web.club.endings import EndedHands, EndingCounts

log = logging.getLogger(__name__)

UNREADABLE = "the league cannot be read at the moment"
PAUSE = 0.5  # seconds between two looks
BUG_PAUSE = 30.0  # seconds after a bug of ours, because the whole league is read again then
PATIENCE = 5.0  # seconds that a request waits for a snapshot with its own change
LEAST_PAUSE = 2.0  # seconds from the start of a snapshot to the next, at least; each is sent to all browsers
PAUSE_FACTOR = 5  # from the start of a snapshot to the next, at least this many times its duration
TREND = "1d"  # the age of the table with which the table is compared
TREND_SECONDS = 300.0  # until that older table is computed again
LATEST = 20  # matches that are shown
CURVE = 40  # points of a rating curve
CURVE_WORK = 4000  # ratings that are computed for the first curves: in a large field they have fewer points
PACE_SECONDS = 300.0  # over which the speed is measured


class CurvePoint(Struct, frozen=True):
    """The ratings by the results up to a round; some of the next one may be included."""

    round: int
    ratings: Mapping[str, Estimate]  # by version


class LeagueSnapshot(Struct, frozen=True, kw_only=True, eq=False):  # eq=False: a key of caches, by identity
    """A league at one moment."""

    spec: LeagueSpec
    at: Moment
    since: Moment  # of the older table
    field: LeagueField
    calendar: Calendar
    events: tuple[AnyEvent, ...]
    history: History
    table: LeagueTable
    then: LeagueTable  # the older table
    left: tuple[Fixture, ...]  # fixtures of the open round that are not played yet
    latest: tuple[Result, ...]  # the last one first
    curve: tuple[CurvePoint, ...]  # on the scale of the last point
    nearest: Mapping[str, Likeness]  # by version: the version of another bot that plays most like it
    alike: Mapping[str, Likeness]  # by version: one of another bot that is marked as playing alike
    tally: Tally  # the counts of every version against every other
    endings: Mapping[str, list[EndedHands]]  # by version that has played: its hands by ending, the costliest first
    matches: int  # records
    faults: int  # matches with a fault
    pace: float  # matches a minute
    running: bool  # whether a process plays it


class _Compared(Struct, frozen=True):
    """Which versions play alike, by the answers that were stored."""

    answered: Mapping[str, str]  # by version or template: the positions in which it was asked
    nearest: Mapping[str, Likeness]
    alike: Mapping[str, Likeness]


class LeagueWatch(BackgroundThread):
    """Follows the league in a folder; ``changed`` is called in the thread with each new snapshot."""

    def __init__(self, path: Path, changed: Callable[[LeagueSnapshot], None]) -> None:
        super().__init__("league watch", grace=0.0)  # ``stop`` does not wait: a snapshot may take long
        self.path = path
        self.snapshot: LeagueSnapshot | None = None  # None: not read yet
        self.problem = NO_REASON  # why it cannot be read; empty: it can
        self._changed = changed
        self._due = 0.0
        self.first_read = threading.Event()  # set by the first snapshot or problem
        self._renewed = threading.Condition()
        self._asked = self._answered = 0  # requests for a new snapshot so far, and how many of them are answered
        self._forget()

    def read_once(self) -> LeagueSnapshot:
        """Return a snapshot, without starting the thread. Raises: StoreError, SpecError."""
        with leagues.open_league(self.path) as league:
            live = LiveLeague(league.store, added=self._add)
            return self._with_curve(league, self._make_snapshot(league, live, running=False))

    def renew(self) -> None:
        """Wait for a snapshot with everything that was stored before this call; not longer than ``PATIENCE``."""
        with self._renewed:
            self._asked += 1
            mine = self._asked
            self.wake()
            self._renewed.wait_for(lambda: self._answered >= mine, PATIENCE)

    def poll(self) -> float:
        """Follow the league until the thread is stopped or the league cannot be read; return the seconds until the next try."""
        try:
            with leagues.open_league(self.path) as league:
                self._follow(league)
        except ArenaError as error:
            problem = Reason(UNREADABLE, str(error))
            if problem != self.problem:  # once, not at every try
                log.warning("%s: %s", self.path, error)
            self.problem = problem
        except Exception:  # our bug: it is logged, and the pages keep showing the last snapshot
            self.problem = Reason(IN_ARENA)
            log.exception("%s: reading failed", self.path)
            return BUG_PAUSE
        finally:
            self.first_read.set()
        return PAUSE

    def _follow(self, league: leagues.OpenLeague) -> None:
        """Follow an open league until the thread is stopped, or its database is replaced by another. Raises: StoreError."""
        self._forget()
        live = LiveLeague(league.store, added=self._add)
        opened = identity(league.folder.database)
        while not self._stopped.is_set() and identity(league.folder.database) == opened:
            self._look(league, live)
            self._wake.wait(PAUSE)
            self._wake.clear()

    def _forget(self) -> None:
        """Forget all that was read."""
        self._tally, self._endings = TallyBuilder(), EndingCounts()
        self._seen: tuple[object, ...] = ()
        self._latest: deque[Result] = deque(maxlen=LATEST)
        self._curve: list[CurvePoint] = []
        self._pace: deque[tuple[float, int]] = deque()
        self._then: tuple[float, Moment, LeagueTable] | None = None
        self._compared: _Compared | None = None
        self._records = self._faults = 0

    def _look(self, league: leagues.OpenLeague, live: LiveLeague) -> None:
        folder = Folder(self.path)
        running = folder.is_locked()
        seen = (running, *(file_state(self.path / name) for name in (DATABASE, f"{DATABASE}-wal")))
        asked = self._asked
        if asked == self._answered and (seen == self._seen or time.monotonic() < self._due):
            return
        self._seen = seen
        start = time.monotonic()
        live.catch_up()
        made = self._make_snapshot(league, live, running=running)
        if self.snapshot is None:
            self._publish(made)  # at once: the first curve takes longer
        self._publish(self._with_curve(league, made))
        self._due = start + max(LEAST_PAUSE, PAUSE_FACTOR * (time.monotonic() - start))
        with self._renewed:
            self._answered = asked
            self._renewed.notify_all()

    def _publish(self, snapshot: LeagueSnapshot) -> None:
        self.snapshot, self.problem = snapshot, NO_REASON
        self.first_read.set()
        self._changed(snapshot)

    def _add(self, record: MatchRecord) -> None:
        self._records += 1
        self._faults += bool(record.faults)
        self._tally.add(record)
        self._endings.add(record)
        self._latest.appendleft(result(record))

    def _make_snapshot(self, league: leagues.OpenLeague, live: LiveLeague, *, running: bool) -> LeagueSnapshot:
        history = live.history()
        since, then = self._earlier_table(league, history)
        shown, compared = make_table(history, league.spec.rating_terms), self._compare(league.spec, live)
        return LeagueSnapshot(
            spec=league.spec,
            at=now(),
            since=since,
            field=live.field,
            calendar=live.calendar,
            events=history.events,
            history=history,
            table=shown,
            then=then,
            left=live.remaining(),
            latest=tuple(self._latest),
            curve=tuple(self._curve),
            nearest=compared.nearest,
            alike=compared.alike,
            tally=self._tally.tally(),
            endings=self._endings.by_version(),
            matches=self._records,
            faults=self._faults,
            pace=self._speed(),
            running=running,
        )

    def _earlier_table(self, league: leagues.OpenLeague, history: History) -> tuple[Moment, LeagueTable]:
        """Return the moment a day ago and the table then, which are computed again after ``TREND_SECONDS``."""
        if self._then is None or time.monotonic() > self._then[0] + TREND_SECONDS:
            since = moment(TREND, now())
            self._then = (time.monotonic(), since, make_table(history.until(since), league.spec.rating_terms))
        return self._then[1:]

    def _compare(self, spec: LeagueSpec, live: LiveLeague) -> _Compared:
        """Return which versions play alike, which is computed again only after another bot has answered."""
        if spec.templates:  # of a course: there only organisers see who plays alike
            return _Compared({}, {}, {})
        if self._compared is None or self._compared.answered != live.answered:
            versions = live.field.versions
            alike = likenesses(versions, live.events, spec.likeness) if spec.likeness else []
            ids = {version.id for version in versions}
            both = [one for one in alike if one.one in ids]  # not those that play like a template
            marked = {one.other: one for one in both} | {one.one: replace(one, one=one.other, other=one.one) for one in both}
            self._compared = _Compared(dict(live.answered), nearest(versions, live.events), marked)
        return self._compared

    def _with_curve(self, league: leagues.OpenLeague, snapshot: LeagueSnapshot) -> LeagueSnapshot:
        """Return a snapshot with the rating curves, and add a point if a round was closed since the last one.

        The point has the ratings of the snapshot, so results of an open round count too. The first curves have points at equal
        distances of rounds.
        """
        closed, history = len(snapshot.calendar.closed), snapshot.history
        points = max(2, min(CURVE, CURVE_WORK // max(len(snapshot.table.rows), 1)))
        if not self._curve and closed > 1:
            for number in sorted({round(closed * step / points) for step in range(1, points)} - {0, closed}):
                self._curve.append(
                    CurvePoint(number, _estimates(make_table(history.with_rounds(number), league.spec.rating_terms)))
                )
        if closed and (not self._curve or self._curve[-1].round < closed):
            anchors = anchors_in(snapshot.table, league.spec.anchors)
            self._curve = on_one_scale([*self._curve, CurvePoint(closed, _estimates(snapshot.table))], anchors)
        if len(self._curve) > 2 * CURVE:
            del self._curve[1::2]
        return replace(snapshot, curve=tuple(self._curve))

    def _speed(self) -> float:
        """Return the matches a minute over the last ``PACE_SECONDS``."""
        present = time.monotonic()
        self._pace.append((present, self._records))
        while self._pace[0][0] < present - PACE_SECONDS:
            self._pace.popleft()
        (start, first), (end, last) = self._pace[0], self._pace[-1]
        return 60 * (last - first) / (end - start) if end > start else 0.0


def pairs_by_opponent(snapshot: LeagueSnapshot, version: str) -> dict[str, list[Pair]]:
    """Return the pairs of a version, by opponent, the first one first."""
    found: dict[str, list[Pair]] = {}
    for pair in snapshot.history.played:
        if version in (pair.entrant, pair.opponent):
            found.setdefault(pair.opponent if pair.entrant == version else pair.entrant, []).append(pair)
    return found


def net_points(pair: Pair, version: str) -> int:
    """Return the points of a version in one of its pairs, less those of its opponent."""
    return (pair.points[0] - pair.points[1]) * (1 if pair.entrant == version else -1)


def on_one_scale(points: Sequence[CurvePoint], anchors: Collection[str] = ()) -> list[CurvePoint]:
    """Return rating curves on the scale of their last point, so that a newcomer does not move the lines of other versions."""
    return [_shift(point, points[-1].ratings, anchors) for point in points]


def _shift(point: CurvePoint, last: Mapping[str, Estimate], anchors: Collection[str]) -> CurvePoint:
    then, now = ({name: found.value for name, found in one.items()} for one in (point.ratings, last))
    shift = scale_shift(then, now, anchors)
    moved = {one: Estimate(found.value + shift, found.low + shift, found.high + shift) for one, found in point.ratings.items()}
    return CurvePoint(point.round, moved)


def _estimates(shown: LeagueTable) -> dict[str, Estimate]:
    return {
        row.id: Estimate(row.rating, row.low, row.high)
        for row in shown.rows
        if row.rating is not None and row.low is not None and row.high is not None
    }
