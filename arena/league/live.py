"""A league in memory: what the next round depends on and what pages show, kept up to date instead of read again."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import DecodeError, Struct, msgpack

from arena import system
from arena.gin.deal import Seat
from arena.league.rules import events
from arena.league.rules.events import Answered, AnyEvent, RoundOpened
from arena.league.rules.field import LeagueField, fold
from arena.league.rules.history import History, first_faults
from arena.league.rules.rounds import Calendar, fixtures, round_of
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
    """The events and results of a league in memory: of one that this process plays or reads, or that others play meanwhile."""

    def __init__(self, store: Store, folder: Folder | None = None, added: Callable[[MatchRecord], None] = lambda _: None) -> None:
        """Read all that is stored; with its ``folder``, begin with the results that are kept there.

        ``added`` receives each record that is read. Raises: DamagedError, StoreError.
        """
        self._store = store
        self._added = added
        self._kept = read_kept(folder, store) if folder else KeptResults()
        self._records = self._kept.records  # that were read
        self._pairs = list(self._kept.pairs)
        self._matcher = LegMatcher(self._kept.waiting, self._records)
        self._faults = first_faults(store.faults(self._records))
        self._events: list[AnyEvent] = []
        self._round = 0  # the last one of which anything was read
        self.answered: set[str] = set()  # the versions that were asked for the positions
        self.field = LeagueField()
        self.calendar = Calendar()
        self.results: list[Result] = []  # of that round
        self.left: list[LeftStates] = []  # likewise
        self.catch_up()
        if self._kept.records and (current := self.calendar.current):
            self._begin_round(current.round)
            for record in store.records_of(f"r{current.round}/"):
                self._add_to_round(record)
        if folder and self._records >= self._kept.records + WORTH:
            self._keep(folder.path / FILE)

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """Return the events so far."""
        return tuple(self._events)

    def catch_up(self) -> None:
        """Read what was stored since: the records first, so that the round of each is among the events. Raises: DamagedError."""
        for record in self._store.records(after=self._records):
            self.add(record)
        new = list(map(events.decode, self._store.events(after=len(self._events))))
        self._events += new
        self.field = fold(new, self.field)
        for event in new:
            self.calendar = self.calendar.after(event)
            if isinstance(event, RoundOpened):
                self._begin_round(event.round)
            if isinstance(event, Answered):
                self.answered.add(event.version)

    def add(self, record: MatchRecord) -> None:
        """Add the record that follows, which is stored."""
        self._records += 1
        if pair := self._matcher.add(record):
            self._pairs.append(pair)
        self._faults += first_faults((record.fixture.seats[fault.seat], record.fixture.id, fault) for fault in record.faults)
        self._begin_round(round_of(record.fixture.id))
        self._add_to_round(record)
        self._added(record)

    def _begin_round(self, number: int) -> None:
        if number > self._round:
            self._round, self.results, self.left = number, [], []

    def _add_to_round(self, record: MatchRecord) -> None:
        if round_of(record.fixture.id) == self._round:
            self.results.append(result(record))
            self.left.append(left_states(record))

    def history(self) -> History:
        """Return all that is known."""
        played = (*self._pairs, *self._matcher.single_legs())
        return History(events=self.events, played=played, faults=tuple(self._faults))

    def remaining(self) -> tuple[Fixture, ...]:
        """Return the fixtures of the open round that were not played."""
        current, done = self.calendar.current, {one.fixture.id for one in self.results}
        return tuple(one for one in fixtures(current) if one.id not in done) if current else ()

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
