"""A league in memory while it is played: what the next round depends on, kept up to date instead of read again."""

from collections.abc import Iterator

from arena.league import events
from arena.league.events import AnyEvent, RoundOpened
from arena.league.field import LeagueField
from arena.league.history import History
from arena.league.rounds import Calendar, round_of
from arena.league.suspension import Faulty, first_faults
from arena.records import MatchRecord, Result, result
from arena.stats.pairs import LegMatcher, Pair
from arena.store.store import Store


class LiveLeague:
    """The events and results of a league. Events are added by other processes too, records by this one alone."""

    def __init__(self, store: Store) -> None:
        """Read all that is stored. Raises: DamagedError."""
        self._store = store
        self._events: list[AnyEvent] = []
        self._matcher = LegMatcher()
        self._pairs: list[Pair] = []
        self.field = LeagueField()
        self.calendar = Calendar()
        self.faults: list[Faulty] = []
        self.results: list[Result] = []  # of the round that is open
        self.catch_up()
        for record in store.records():
            self.add(record)

    def catch_up(self) -> None:
        """Read the events that were stored since. Raises: DamagedError."""
        for event in map(events.decode, self._store.events(after=len(self._events))):
            self._events.append(event)
            self.field = self.field.after(event)
            self.calendar = self.calendar.after(event)
            if isinstance(event, RoundOpened):
                self.results = []

    def add(self, record: MatchRecord) -> None:
        """Add a record that was stored."""
        if pair := self._matcher.add(record):
            self._pairs.append(pair)
        named = ((record.fixture.seats[fault.seat], record.fixture.id, fault) for fault in record.faults)
        self.faults += first_faults(named)
        current = self.calendar.current
        if current and round_of(record.fixture.id) == current.round:
            self.results.append(result(record))

    def history(self) -> History:
        """Return all that is known."""
        return History(events=tuple(self._events), played=tuple(self._played()), faults=tuple(self.faults))

    def _played(self) -> Iterator[Pair]:
        yield from self._pairs
        yield from self._matcher.unpaired()
