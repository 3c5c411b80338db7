"""What hypothesis draws records from: any that may be filed, played or not."""

from hypothesis import strategies as st

from arena.gin.score import Ending
from arena.records import Fault, Fixture, GameRecord, HandRecord, MatchRecord, Usage

seats = st.integers(0, 1)
texts = st.text(max_size=30)
points = st.integers(0, 10_000)
pairs = st.tuples(points, points)
seconds = st.floats(0, 1e6)

fixtures = st.builds(
    Fixture, id=texts, seats=st.tuples(texts, texts), deals=texts, hands=st.none() | st.integers(1, 100), scored=st.booleans()
)
usages = st.builds(Usage, decisions=points, cpu=seconds, wall=seconds, slowest=seconds)
faults = st.builds(
    Fault,
    seat=seats,
    kind=st.sampled_from(["timeout", "crash", "malformed", "illegal", "memory"]),
    game=points,
    hand=points,
    detail=texts,
    clause=st.none() | texts,
    turn=texts,
    answer=texts,
    stderr=texts,
)
hands = st.builds(
    HandRecord,
    game=st.integers(0, 9),
    hand=st.integers(0, 99),
    dealer=seats,
    actions=texts,
    ending=st.sampled_from(Ending),
    winner=st.none() | seats,
    points=points,
    deadwood=pairs,
    score=st.none() | pairs,
    luck=st.none() | st.floats(-60, 60),
    spent=st.lists(st.integers(0, 10**8), max_size=5).map(tuple),
)
played = st.lists(hands, max_size=8, unique_by=lambda hand: (hand.game, hand.hand))
records = st.builds(
    MatchRecord,
    fixture=fixtures,
    winner=st.none() | seats,
    hands=played.map(lambda several: tuple(sorted(several, key=lambda hand: (hand.game, hand.hand)))),
    games=st.lists(st.builds(GameRecord, winner=seats, totals=pairs), max_size=5).map(tuple),
    faults=st.lists(faults, max_size=3).map(tuple),
    forfeit=st.none() | seats,
    usage=st.tuples(usages, usages),
)
