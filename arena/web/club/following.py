"""A league in memory, read as other processes play it: the events and records that are new, each once."""

from collections.abc import Callable

from arena.league.events import AnyEvent, RoundOpened, decode
from arena.league.field import LeagueField, fold
from arena.league.history import History
from arena.league.rounds import Calendar, fixtures
from arena.league.suspension import Faulty, first_faults
from arena.records import Fixture, MatchRecord
from arena.stats.pairs import LegMatcher, Pair
from arena.store.store import Store


class FollowedLeague:
    """The events and results of a league, read as they are added by other processes."""

    def __init__(self, store: Store, added: Callable[[MatchRecord], None]) -> None:
        """Begin with nothing; ``added`` receives each record."""
        self._store = store
        self._added = added
        self._events: list[AnyEvent] = []
        self._matcher = LegMatcher()
        self._pairs: list[Pair] = []
        self._faults: list[Faulty] = []
        self._done: set[str] = set()  # fixtures of the last round
        self._records = 0
        self.field = LeagueField()
        self.calendar = Calendar()

    def catch_up(self) -> None:
        """Read what was added: the events first, so that the round of each record is among them. Raises: DamagedError."""
        new = list(map(decode, self._store.events(after=len(self._events))))
        self._events += new
        self.field = fold(new, self.field)
        for event in new:
            self.calendar = self.calendar.after(event)
            if isinstance(event, RoundOpened):
                self._done = set()
        for record in self._store.records(after=self._records):
            self._add(record)

    def _add(self, record: MatchRecord) -> None:
        self._records += 1
        if pair := self._matcher.add(record):
            self._pairs.append(pair)
        fixture = record.fixture
        self._faults += first_faults((fixture.seats[fault.seat], fixture.id, fault) for fault in record.faults)
        self._done.add(fixture.id)
        self._added(record)

    def history(self) -> History:
        """Return all that was read."""
        played = (*self._pairs, *self._matcher.unpaired())
        return History(events=tuple(self._events), played=played, faults=tuple(self._faults))

    def left(self) -> tuple[Fixture, ...]:
        """Return the fixtures of the open round that were not played."""
        current = self.calendar.current
        return tuple(one for one in fixtures(current) if one.id not in self._done) if current else ()
