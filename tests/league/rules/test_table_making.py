"""The table of a league: its order, notes and answer."""

from itertools import combinations
from random import Random

from msgspec import json
from msgspec.structs import replace
from support.leagues.events import joined, moment, pair, round_opened
from support.leagues.small_league import BOTS, POINTS, league, some_rounds

from arena.league.rules.events import (
    Activated,
    AnyEvent,
    Reason,
    Retired,
    RoundClosed,
    Submitted,
    Suspended,
    Withdrawn,
)
from arena.league.rules.history import History
from arena.league.rules.table_making import make_table
from arena.stats.pairs import Pair


def test_the_best_stands_first_and_every_row_has_what_is_promised() -> None:
    rows = make_table(league(played=some_rounds(8)), POINTS).rows
    assert [(row.rank, row.name, row.author, row.matches) for row in rows] == [
        (1, "ann", "anns", 32),
        (2, "ben", "bens", 32),
        (3, "cat", "cats", 32),
    ]
    keys = "rank name author version digest rating low high places matches faults state second_legs reads_while_playing"
    assert list(json.decode(json.encode(rows[0]))) == keys.split()
    assert rows[0].low is not None
    assert rows[0].rating is not None
    assert rows[0].low < rows[0].rating


def test_the_first_of_many_equal_bots_is_said_to_be_the_luckiest_and_one_that_is_far_ahead_is_not() -> None:
    chance, names = Random(1), [f"bot{number:02}@1" for number in range(12)]
    events = tuple(event for name in names for event in joined(name[:-2], author=name))
    nets = {both: 40 * chance.gauss(0, 4) for both in combinations(names, 2)}
    for lead, lucky in ((0, True), (2000, False)):
        leads = {both: net + lead * (both[0] == names[0]) for both, net in nets.items()}
        played = tuple(pair(*both, 1, outcome=1 if net > 0 else -1, points=round(abs(net))) for both, net in leads.items())
        notes = make_table(History(events=events, played=played, faults=()), POINTS).notes
        assert any("is also the luckiest" in note for note in notes) == lucky


def test_who_does_not_play_has_no_rank_but_keeps_its_rating() -> None:
    rows = make_table(league(Retired(at=moment(9), version="ann@1"), played=some_rounds(4)), POINTS).rows
    assert [(row.id, row.rank, row.state) for row in rows] == [
        ("ben@1", 1, "active"),
        ("cat@1", 2, "active"),
        ("ann@1", None, "retired"),
    ]
    assert rows[2].rating is not None


def test_a_bot_that_has_not_played_stands_below_those_that_have() -> None:
    rows = make_table(league(*joined("dan", at=5), played=some_rounds(2)), POINTS).rows
    assert (rows[-1].id, rows[-1].rank, rows[-1].rating) == ("dan@1", None, None)


def test_the_table_is_ordered_by_state_before_standing() -> None:
    one, other, third, fourth, fifth, sixth = (f"{name}@1" for name in "abcdef")
    waiting, submitted = joined("b")[:2], joined("f")[:1]
    events = [event for name in "acde" for event in joined(name, author=name)]
    events += [
        *waiting,
        Activated(at=moment(1), version=other, waits=True),
        Suspended(at=moment(1), version=third, reason=Reason("slow")),
    ]
    events += [Retired(at=moment(1), version=fourth), Withdrawn(at=moment(1), version=fifth), *submitted]
    order = (one, other, third, fourth, fifth, sixth)  # each beats all before it
    played = tuple(pair(*both, number, outcome=-1) for number in range(1, 5) for both in combinations(order, 2))
    rows = make_table(History(events=tuple(events), played=played, faults=()), POINTS).rows
    assert [(row.id, row.state) for row in rows] == list(
        zip(order, ("active", "waiting", "suspended", "retired", "withdrawn", "submitted"), strict=True)
    )


def test_a_table_without_matches_has_a_row_for_every_bot() -> None:
    assert [(row.id, row.rank) for row in make_table(league(), POINTS).rows] == [(f"{name}@1", None) for name in BOTS]


def test_a_league_is_settled_by_direct_meetings_alone_as_known_to_until_sure() -> None:
    closed = [RoundClosed(at=moment(number), round=number, seed="s") for number in range(1, 201)]
    open_yet, settled = (make_table(league(*closed[:rounds], played=some_rounds(rounds)), POINTS).answer for rounds in (1, 200))
    of_open_rounds = make_table(league(*closed[:1], played=some_rounds(200)), POINTS).answer
    assert of_open_rounds
    assert of_open_rounds.sure == "Likely", "only closed rounds count: a run that is stopped in a round chooses no results"
    assert open_yet
    assert settled
    assert settled.lines[1] == "Settled: the strongest by rating is ann@1 (95 %, however often you look)."
    assert (open_yet.sure, "95 %" in open_yet.why, settled.surer) == ("Not settled", False, "")
    assert open_yet.surer.endswith(("of each bot", "ann@1 and ben@1 meet"))
    assert [(strip.name, answer.unit) for answer in (open_yet, settled) for strip in answer.strips] == [
        (f"{name}@1", "rating, points a hand held to ±40") for name in BOTS
    ] * 2
    assert make_table(league(), POINTS).answer is None


def test_bots_that_never_met_are_named_as_parts_of_the_field() -> None:
    both = (pair("ann@1", "ben@1", 1), pair("cat@1", "dan@1", 1))
    notes = make_table(league(*joined("dan"), played=both), POINTS).notes
    assert "the field has 2 parts that never met: compare only within a part" in notes


def second_legs(names: tuple[str, str], rounds: range, gain: int) -> tuple[Pair, ...]:
    """Return a pair of each round in which the first of two versions has gained points in the leg that was played second."""
    return tuple(replace(pair(*names, number), by_leg=((0, 20), (gain * 20, 20))) for number in rounds)


def drawn(rounds: range, *, coin: bool = True) -> list[AnyEvent]:
    return [replace(round_opened(number, [("ann@1", "ben@1")]), coin=coin) for number in rounds]


def test_a_bot_that_gains_in_second_legs_is_noted_over_all_its_versions_and_is_not_suspended() -> None:
    early, late = range(1, 11), range(11, 21)
    played = (*second_legs(("ann@1", "ben@1"), early, 30), *second_legs(("ann@2", "ben@1"), late, 30))
    shown = make_table(league(*joined("ann", 2, at=20), *drawn(early), *drawn(late), played=played), POINTS)
    flag = "ann plays better in legs played second: evidence "
    [note] = [note for note in shown.notes if note.startswith(flag)]
    assert note.endswith(" of 1,000; the legs may share information")
    assert shown.second_legs["ann"].pairs == 20
    assert not shown.second_legs["ben"].is_flagged
    assert [row.state for row in shown.rows if row.name == "ann"] == ["active", "active"]
    half = make_table(league(*drawn(early), played=played[:10]), POINTS)
    assert not any(note.startswith(flag) for note in half.notes)


def test_rounds_without_a_coin_say_nothing_about_second_legs() -> None:
    older, later = range(1, 31), range(31, 33)
    history = league(*drawn(older, coin=False), *drawn(later), played=second_legs(("ann@1", "ben@1"), range(1, 33), 30))
    assert make_table(history, POINTS).second_legs["ann"].pairs == 2


def test_a_bot_that_reads_while_it_plays_is_marked_in_its_row_and_in_a_note() -> None:
    history = league(played=some_rounds(2))
    events = tuple(
        replace(event, reads_while_playing=True) if isinstance(event, Submitted) and event.version == "ben@1" else event
        for event in history.events
    )
    found = make_table(replace(history, events=events), POINTS)
    assert [row.id for row in found.rows if row.reads_while_playing] == ["ben@1"]
    assert "not sealed, because they open files while they play (ben@1)" in found.notes
