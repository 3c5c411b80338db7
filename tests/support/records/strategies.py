"""What hypothesis draws records from: any that may be filed, played or not."""

from functools import reduce
from typing import get_args

from hypothesis import strategies as st
from msgspec.structs import replace

from arena.gin.cards import NAMES
from arena.gin.match import FinishedGame
from arena.gin.score import Ending
from arena.records import Fault, FaultKind, FaultLists, Fixture, HandRecord, MatchRecord, Note, Usage, lost_record

seats = st.integers(0, 1)
texts = st.text(max_size=30)
points = st.integers(0, 10_000)
pairs = st.tuples(points, points)
seconds = st.floats(0, 1e6)

fixtures = st.builds(Fixture, id=texts, seats=st.tuples(texts, texts), deals=texts, scored=st.booleans())
usages = st.builds(Usage, decisions=points, cpu=seconds, wall=seconds, slowest=seconds)
faults = st.builds(
    Fault,
    seat=seats,
    kind=st.sampled_from(get_args(FaultKind)),
    game=points,
    hand=points,
    detail=texts,
    clause=st.none() | texts,
    turn=texts,
    answer=texts,
    stderr=texts,
)


def timed(hand: HandRecord) -> HandRecord:
    """Return a hand with a time for each action."""
    return replace(hand, spent=tuple(range(len(hand.actions.split()))))


def batch(record: MatchRecord) -> MatchRecord:
    """Return a record as that of a batch, if it has hands."""
    return replace(record, fixture=replace(record.fixture, hands=len(record.hands) or None))


def noted(hand: HandRecord) -> HandRecord:
    """Return a hand with a note on every other action."""
    return replace(hand, notes=tuple(Note(turn, f"{turn}: \x00\u202e") for turn in range(0, len(hand.actions.split()), 2)))


untimed_hands = st.builds(
    HandRecord,
    game=st.integers(0, 9),
    hand=st.integers(0, 99),
    dealer=seats,
    actions=texts,
    ending=st.sampled_from(Ending),
    winner=st.none() | seats,
    points=points,
    deadwood=st.tuples(st.integers(0, 1000), st.integers(0, 1000)),
    score=st.none() | pairs,
    luck=st.none() | st.floats(-60, 60),
    deck=st.sampled_from([None, None, "".join(reversed(NAMES))]),
)
hands = untimed_hands | untimed_hands.map(timed) | untimed_hands.map(noted)
played = st.lists(hands, max_size=8, unique_by=lambda hand: (hand.game, hand.hand))


def with_faults(record: MatchRecord, some: list[Fault]) -> MatchRecord:
    """Return a record with faults, those excused that the referee excuses."""
    sorted_out = reduce(FaultLists.add, some, FaultLists())
    return replace(record, faults=sorted_out.costly, excused=sorted_out.excused)


faultless = st.builds(
    MatchRecord,
    fixture=fixtures,
    winner=st.none() | seats,
    hands=played.map(lambda several: tuple(sorted(several, key=lambda hand: (hand.game, hand.hand)))),
    games=st.lists(st.builds(FinishedGame, winner=seats, totals=pairs), max_size=5).map(tuple),
    faults=st.just(()),
    excused=st.just(()),
    forfeit=st.none() | seats,
    usage=st.tuples(usages, usages),
    states=st.tuples(*2 * [st.none() | st.sampled_from(["0" * 64, "f" * 64])]),
)
matches = st.builds(with_faults, faultless, st.lists(faults, max_size=4))
records = matches | matches.map(batch) | st.builds(lost_record, fixtures, texts)
