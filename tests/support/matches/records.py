"""Builders of records: what the numbers are counted from."""

from collections.abc import Iterable

from msgspec.structs import replace

from arena import testing
from arena.records import MatchRecord, Usage
from arena.stats.appraisal import appraise
from arena.stats.comparisons import sum_pairs
from arena.stats.estimates import hand_points
from arena.stats.pairs import pairs
from arena.stats.strengths import Strengths
from arena.stats.tally import Tally, TallyBuilder

match = testing.match_record
batch = testing.batch_record


def untimed(record: MatchRecord) -> MatchRecord:
    """Return a record without the times, which differ from run to run."""
    decisions = (Usage(record.usage[0].decisions), Usage(record.usage[1].decisions))
    return replace(record, usage=decisions, hands=tuple(replace(hand, spent=()) for hand in record.hands))


def counted(records: Iterable[MatchRecord]) -> Tally:
    """Return the tally of some records."""
    counting = TallyBuilder()
    for record in records:
        counting.add(record)
    return counting.tally()


def appraised(records: Iterable[MatchRecord]) -> Strengths:
    """Return the strengths of the entrants of some records."""
    return appraise(*sum_pairs(pairs(records), hand_points))
