"""The results of a league as pairs of legs, kept in a file beside the database, so that not every hand is read at each call.

A pair takes all hands of two matches to compute and is small. The file holds the pairs of the first records, and the link of the
last of these in the chain. It counts only if the database has that link at that place; then only later records are read. Otherwise,
or if it is missing or cannot be read, all records are. It can be removed at any time. ``arena verify`` computes the same from all
records and compares.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import DecodeError, Struct, msgpack

from arena import bounded, durable
from arena.gin.deal import Seat
from arena.records import MatchRecord
from arena.stats.pairs import LegMatcher, Pair
from arena.store.folder import Folder
from arena.store.store import Store

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
        self._kept = kept(folder, store)
        self._pairs = list(self._kept.pairs)
        self._matcher = LegMatcher(self._kept.waiting, self._kept.records)
        self._records = self._kept.records
        for record in store.records(after=self._records):
            self.add(record)
        if self._records >= self._kept.records + WORTH:
            self._keep(folder.path / FILE)

    @property
    def checked(self) -> str:
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
        yield from self._matcher.unpaired()

    def _keep(self, path: Path) -> None:
        """Write the file; who may not write to the folder reads all again the next time."""
        whole = KeptResults(
            records=self._records,
            link=self._store.record_link(self._records),
            pairs=tuple(self._pairs),
            waiting=tuple(self._matcher.waiting()),
        )
        with suppress(OSError):
            durable.write(path, msgpack.encode(whole))


def kept(folder: Folder, store: Store) -> KeptResults:
    """Return what is kept of a league, if it belongs to its database; otherwise nothing. Raises: StoreError."""
    with suppress(OSError, ValueError, DecodeError, RecursionError):
        found = _DECODER.decode(bounded.read(folder.path / FILE, MOST))
        if found.format == FORMAT and found.link and store.record_link(found.records) == found.link:
            return found
    return KeptResults()


def differences(folder: Folder, store: Store) -> Iterator[str]:
    """Yield whether what is kept is not what follows from the records. Raises: DamagedError, StoreError."""
    found, matcher = kept(folder, store), LegMatcher()
    first = (record for _, record in zip(range(found.records), store.records(), strict=False))
    pairs = tuple(pair for record in first if (pair := matcher.add(record)))
    if found.link and (pairs, sorted(matcher.waiting())) != (found.pairs, sorted(found.waiting)):
        yield f"{FILE}: does not follow from the first {found.records} records; remove it, and it is made anew"
