"""A cache of the results as pairs of legs, in a file beside the database, so that not every hand is read at each call.

A pair is small, but to compute it all hands of two matches are read. The file holds the pairs of the first records, and the link
of the last of these in the chain. It counts only if the database has that link at that place; then only later records are read.
Otherwise, or if it is missing or cannot be read, all records are read. It can be removed at any time. ``arena verify`` computes
the pairs from all records and compares.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated

from msgspec import Meta, Struct, msgpack

from arena import disk
from arena.errors import MALFORMED
from arena.gin.facts import Seat
from arena.stats.pairs import LegMatcher, Pair
from arena.store.folder import Folder
from arena.store.store import Store

RESULTS_CACHE = "results.cache"
FORMAT = 2  # version of the file, and of the computation of pairs
LARGEST_CACHE = 1 << 30  # bytes of the file
REWRITE_AFTER = 500  # new records after which it is written again


class CachedResults(Struct, frozen=True, kw_only=True):
    """The pairs of the first ``records`` records of a league."""

    format: int = FORMAT
    records: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0  # at most the largest integer of SQLite
    link: str = ""  # of the last of these records in the chain
    pairs: tuple[Pair, ...] = ()
    waiting: tuple[tuple[Seat, Pair], ...] = ()  # legs without a partner, with the seat of their entrant


_DECODER = msgpack.Decoder(CachedResults)


def read_results_cache(folder: Folder, store: Store) -> CachedResults:
    """Return the cached results of a league, if they belong to its database; otherwise an empty cache. Raises: StoreError."""
    with suppress(OSError, ValueError, *MALFORMED):
        found = _DECODER.decode(disk.read(folder.path / RESULTS_CACHE, LARGEST_CACHE))
        if found.format == FORMAT and found.link and store.record_link(found.records) == found.link:
            return found
    return CachedResults()


def cache_differences(folder: Folder, store: Store) -> Iterator[str]:
    """Yield the problem of a cache that does not follow from the records. Raises: DamagedError, StoreError."""
    found, matcher = read_results_cache(folder, store), LegMatcher()
    first = (record for _, record in zip(range(found.records), store.records(), strict=False))
    pairs = tuple(pair for record in first if (pair := matcher.add(record)))
    if found.link and (pairs, set(matcher.waiting())) != (found.pairs, set(found.waiting)):
        yield f"{RESULTS_CACHE}: does not follow from the first {found.records} records; remove it, and it is made anew"
