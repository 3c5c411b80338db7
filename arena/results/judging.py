"""The records of a run in portions, each of which one worker judges again."""

from collections.abc import Callable, Iterator

from msgspec import Struct, msgpack

from arena.errors import DamagedError
from arena.gin.rules import Rules
from arena.limits import FaultCosts
from arena.records import MatchRecord
from arena.referee import audit
from arena.store.store import Store

Progress = Callable[[int, int], None]  # receives how many matches are done, and how many there are
# Hands that fill a portion: judging them takes about 50 ms, twenty times as long as passing them to a worker.
FULL = 500


class StoredRecord(Struct, frozen=True):
    """A record as it was found in the database."""

    record: MatchRecord
    intact: bool  # whether its link in the chain is the one that was stored
    seed: str | None  # of its deals; None: it was imported


class Portion(Struct, frozen=True):
    """Consecutive records."""

    records: tuple[StoredRecord, ...]
    unreadable: str = ""  # why the record after them cannot be read


class Judged(Struct, frozen=True):
    """The result of judging a portion again."""

    matches: int
    hands: int
    difference: str  # the first; empty: there is none


def portions(store: Store, seed_of: Callable[[str], str | None]) -> Iterator[Portion]:
    """Yield all records in the order in which they were stored; the last portion says why the next one cannot be read, if so.

    ``seed_of`` returns the seed of a fixture; its StoreError, for a seed that is not revealed yet, is passed on.
    """
    read: list[StoredRecord] = []
    hands = 0
    try:
        for record, (_, intact) in zip(store.records(), store.check_records(), strict=True):
            read.append(StoredRecord(record, intact, seed_of(record.fixture.id)))
            hands += len(record.hands)
            if hands >= FULL:
                yield Portion(tuple(read))
                read, hands = [], 0
    except DamagedError as error:
        yield Portion(tuple(read), str(error))
    else:
        yield Portion(tuple(read))


def judge(portion: bytes, rules: Rules, costs: FaultCosts) -> Judged:
    """Judge a portion again. It is passed as MessagePack, which takes a tenth of the time of pickling."""
    found = msgpack.decode(portion, type=Portion)
    hands = sum(len(one.record.hands) for one in found.records)
    return Judged(len(found.records), hands, next(_differences(found, rules, costs), ""))


def _differences(portion: Portion, rules: Rules, costs: FaultCosts) -> Iterator[str]:
    for one in portion.records:
        yield from audit.differences(one.record, rules, costs, one.seed)
        if not one.intact:
            yield f"{one.record.fixture.id}: record altered after it was written"
    if portion.unreadable:
        yield portion.unreadable
