"""A league in memory while it is played: what the next round depends on, kept up to date instead of read again."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import DecodeError, Struct, msgpack

from arena import system
from arena.gin.deal import Seat
from arena.league.rules import events
from arena.league.rules.events import Answered, AnyEvent, RoundOpened, decode
from arena.league.rules.field import LeagueField, fold
from arena.league.rules.history import History
from arena.league.rules.rounds import Calendar, fixtures, round_of
from arena.league.rules.suspension import Faulty, first_faults
from arena.records import Fixture, LeftStates, MatchRecord, Result, left_states, result
from arena.stats.pairs import LegMatcher, Pair
from arena.store.folder import Folder
from arena.store.store import Store

# The results of a league as pairs of legs, kept in a file beside the database, so that not every hand is read at each call.
#
# A pair takes all hands of two matches to compute and is small. The file holds the pairs of the first records, and the link of the
# last of these in the chain. It counts only if the database has that link at that place; then only later records are read.
# Otherwise, or if it is missing or cannot be read, all records are. It can be removed at any time. ``arena verify`` computes the
# same from all records and compares.

FILE = "results.cache"
FORMAT = 2  # of the file, and of how records become pairs
MOST = 1 << 30  # bytes of the file
WORTH = 500  # records since it was written, from which it is written again


class KeptResults(Struct, frozen=True, kw_only=True):
    """What follows from the first records of a league."""

    format: int = FORMAT
    records: int = 0
    link: str = ""  # of the last of these records in the chain
    pairs: tuple[Pair, ...] = ()
    waiting: tuple[tuple[Seat, Pair], ...] = ()  # legs without a partner, with the seat of their entrant


_DECODER = msgpack.Decoder(KeptResults)


class LeagueResults:
    """The pairs of all records so far; records may be added."""

    def __init__(self, folder: Folder, store: Store) -> None:
        """Take what is kept, and read the records after it. Raises: DamagedError, StoreError."""
        self._store = store
        self._kept = read_kept(folder, store)
        self._pairs = list(self._kept.pairs)
        self._matcher = LegMatcher(self._kept.waiting, self._kept.records)
        self._records = self._kept.records
        for record in store.records(after=self._records):
            self.add(record)
        if self._records >= self._kept.records + WORTH:
            self._keep(folder.path / FILE)

    @property
    def last_link(self) -> str:
        """Return the link of the last record that was kept; empty: none was."""
        return self._kept.link

    def add(self, record: MatchRecord) -> None:
        """Add the record that follows."""
        self._records += 1
        if pair := self._matcher.add(record):
            self._pairs.append(pair)

    def pairs(self) -> Iterator[Pair]:
        """Yield all pairs, then the legs without a partner."""
        yield from self._pairs
        yield from self._matcher.single_legs()

    def _keep(self, path: Path) -> None:
        """Write the file; who may not write to the folder reads all again the next time."""
        whole = KeptResults(
            records=self._records,
            link=self._store.record_link(self._records),
            pairs=tuple(self._pairs),
            waiting=tuple(self._matcher.waiting()),
        )
        with suppress(OSError):
            system.write(path, msgpack.encode(whole))


def read_kept(folder: Folder, store: Store) -> KeptResults:
    """Return the cached results of a league, if they belong to its database; otherwise none. Raises: StoreError."""
    with suppress(OSError, ValueError, DecodeError, RecursionError):
        found = _DECODER.decode(system.read(folder.path / FILE, MOST))
        if found.format == FORMAT and found.link and store.record_link(found.records) == found.link:
            return found
    return KeptResults()


def differences(folder: Folder, store: Store) -> Iterator[str]:
    """Yield whether what is kept is not what follows from the records. Raises: DamagedError, StoreError."""
    found, matcher = read_kept(folder, store), LegMatcher()
    first = (record for _, record in zip(range(found.records), store.records(), strict=False))
    pairs = tuple(pair for record in first if (pair := matcher.add(record)))
    if found.link and (pairs, sorted(matcher.waiting())) != (found.pairs, sorted(found.waiting)):
        yield f"{FILE}: does not follow from the first {found.records} records; remove it, and it is made anew"


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


# A league in memory, read as other processes play it: the events and records that are new, each once.


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
        played = (*self._pairs, *self._matcher.single_legs())
        return History(events=tuple(self._events), played=played, faults=tuple(self._faults))

    def remaining(self) -> tuple[Fixture, ...]:
        """Return the fixtures of the open round that were not played."""
        current = self.calendar.current
        return tuple(one for one in fixtures(current) if one.id not in self._done) if current else ()
