"""The records of a run in portions, each of which one worker judges again."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from msgspec import Struct, msgpack

from arena.errors import DamagedError
from arena.gin.rules import Rules
from arena.records import MatchRecord
from arena.referee import audit
from arena.referee.faults import FaultCosts
from arena.store.store import Store

# Hands after which a portion is full: judging them takes about 50 ms, twenty times as long as passing them to a worker.
FULL = 500


class StoredRecord(Struct, frozen=True):
    """A record as it was found in the database."""

    record: MatchRecord
    intact: bool  # whether its link in the chain is the one that was stored
    seed: str  # of its deals


class Portion(Struct, frozen=True):
    """Records that follow one another."""

    records: tuple[StoredRecord, ...]
    unreadable: str = ""  # why the record after them cannot be read


class SkippedHands(Struct, frozen=True):
    """The hands of a batch that were not played."""

    fixture: str
    hands: int
    digest: str  # SHA-256 of their numbers and actions


class Judged(Struct, frozen=True):
    """What came of judging a portion again."""

    matches: int
    hands: int
    skipped: tuple[SkippedHands, ...]  # of each batch
    difference: str  # the first; empty: there is none


def portions(store: Store, seed_of: Callable[[str], str]) -> Iterator[Portion]:
    """Yield all records in the order in which they were stored; the last portion says if the next record cannot be read.

    ``seed_of`` returns the seed of a fixture. Raises: StoreError, as it does for a seed that is not revealed yet.
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
    """Judge a portion again, which is given as MessagePack: a tenth of the work of pickling it."""
    found = msgpack.decode(portion, type=Portion)
    hands = sum(len(one.record.hands) for one in found.records)
    skipped = tuple(_skipped(one.record) for one in found.records if one.record.fixture.hands is not None)
    return Judged(len(found.records), hands, skipped, next(_differences(found, rules, costs), ""))


def _skipped(record: MatchRecord) -> SkippedHands:
    skipped = [f"{hand.game} {hand.actions}\n" for hand in record.hands if hand.skipped]
    return SkippedHands(record.fixture.id, len(skipped), sha256("".join(skipped).encode()).hexdigest())


def _differences(portion: Portion, rules: Rules, costs: FaultCosts) -> Iterator[str]:
    for one in portion.records:
        yield from audit.differences(one.record, rules, costs, one.seed)
        if not one.intact:
            yield f"{one.record.fixture.id}: its record was changed after it was filed"
    if portion.unreadable:
        yield portion.unreadable
