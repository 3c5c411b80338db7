"""A league in memory while it is played: what the next round depends on, kept up to date instead of read again."""

from arena.league import events
from arena.league.events import Answered, AnyEvent, RoundOpened
from arena.league.field import LeagueField, fold
from arena.league.history import History
from arena.league.rounds import Calendar, round_of
from arena.league.suspension import first_faults
from arena.records import LeftStates, MatchRecord, Result, left_states, result
from arena.runs.leagues.results import LeagueResults
from arena.store.folder import Folder
from arena.store.store import Store


class LiveLeague:
    """The events and results of a league. Events are added by other processes too, records by this one alone."""

    def __init__(self, folder: Folder, store: Store) -> None:
        """Read all that is stored. Raises: DamagedError, StoreError."""
        self._store = store
        self._events: list[AnyEvent] = []
        self._results = LeagueResults(folder, store)
        self.answered: set[str] = set()  # the versions that were asked for the positions
        self.field = LeagueField()
        self.calendar = Calendar()
        self.faults = first_faults(store.faults())
        self.results: list[Result] = []  # of the round that is open
        self.left: list[LeftStates] = []  # likewise
        self.catch_up()
        if current := self.calendar.current:
            for record in store.records_of(f"r{current.round}/"):
                self._add_to_round(record)

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """Return the events so far."""
        return tuple(self._events)

    def catch_up(self) -> None:
        """Read the events that were stored since. Raises: DamagedError."""
        new = list(map(events.decode, self._store.events(after=len(self._events))))
        self._events += new
        self.field = fold(new, self.field)
        for event in new:
            self.calendar = self.calendar.after(event)
            if isinstance(event, RoundOpened):
                self.results, self.left = [], []
            if isinstance(event, Answered):
                self.answered.add(event.version)

    def add(self, record: MatchRecord) -> None:
        """Add a record that was stored."""
        self._results.add(record)
        named = ((record.fixture.seats[fault.seat], record.fixture.id, fault) for fault in record.faults)
        self.faults += first_faults(named)
        current = self.calendar.current
        if current and round_of(record.fixture.id) == current.round:
            self._add_to_round(record)

    def _add_to_round(self, record: MatchRecord) -> None:
        self.results.append(result(record))
        self.left.append(left_states(record))

    def history(self) -> History:
        """Return all that is known."""
        return History(events=tuple(self._events), played=tuple(self._results.pairs()), faults=tuple(self.faults))
