"""The table of a league, its trends, what has changed, and who is suspended."""

from itertools import combinations, pairwise
from random import Random

import pytest
from msgspec import json
from msgspec.structs import replace
from support.leagues.events import joined, moment, pair, refused, round_opened, versions

from arena.league import show
from arena.league.rules.aims import TopAim, certainty
from arena.league.rules.event_words import describe, describe_to_all
from arena.league.rules.events import (
    Activated,
    AnyEvent,
    Reason,
    Reinstated,
    Retired,
    RoundClosed,
    Submitted,
    Suspended,
    Withdrawn,
    decode,
    encode,
)
from arena.league.rules.field import fold
from arena.league.rules.history import History, SuspensionRule, first_faults, suspensions
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.table import changes, table, trends
from arena.league.show import trend_words
from arena.records import Fault
from arena.reports.answer import answer_of_league
from arena.stats.estimate import Estimate
from arena.stats.pairs import Pair
from arena.stats.ratings import PointsRating

BOTS = ("ann", "ben", "cat")
POINTS = RatingTerms(rating=PointsRating())


def league(*more: AnyEvent, played: tuple[Pair, ...] = ()) -> History:
    events = [event for name in BOTS for event in joined(name, author=f"{name}s")]
    return History(events=(*events, *more), played=played, faults=())


def some_rounds(count: int) -> tuple[Pair, ...]:
    """Return rounds in which ann beats ben and ben beats cat."""
    both = [("ann@1", "ben@1"), ("ben@1", "cat@1"), ("ann@1", "cat@1")]
    return tuple(pair(*two, number, points=100 + number) for number in range(1, count + 1) for two in both)


def fault(version: str, number: int, leg: int = 0) -> tuple[str, str, Fault]:
    found = Fault(seat=0, kind="illegal", game=0, hand=1, detail="2c: not in hand", turn='{"type":"turn"}')
    return version, f"r{number}/{version}:x/0/{leg}", found


def test_the_best_stands_first_and_every_row_has_what_is_promised() -> None:
    rows = table(league(played=some_rounds(8)), POINTS).rows
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
        notes = table(History(events=events, played=played, faults=()), POINTS).notes
        assert any("is also the luckiest" in note for note in notes) == lucky


def test_who_does_not_play_has_no_rank_but_keeps_its_rating() -> None:
    rows = table(league(Retired(at=moment(9), version="ann@1"), played=some_rounds(4)), POINTS).rows
    assert [(row.id, row.rank, row.state) for row in rows] == [
        ("ben@1", 1, "active"),
        ("cat@1", 2, "active"),
        ("ann@1", None, "retired"),
    ]
    assert rows[2].rating is not None


def test_a_bot_that_has_not_played_stands_below_those_that_have() -> None:
    rows = table(league(*joined("dan", at=5), played=some_rounds(2)), POINTS).rows
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
    rows = table(History(events=tuple(events), played=played, faults=()), POINTS).rows
    assert [(row.id, row.state) for row in rows] == list(
        zip(order, ("active", "waiting", "suspended", "retired", "withdrawn", "submitted"), strict=True)
    )


def test_a_table_without_matches_has_a_row_for_every_bot() -> None:
    assert [(row.id, row.rank) for row in table(league(), POINTS).rows] == [(f"{name}@1", None) for name in BOTS]


def test_a_version_is_new_only_where_others_were_rated_before_it() -> None:
    with_dan = (*some_rounds(2), pair("dan@1", "cat@1", 3))
    first, later = table(league(played=some_rounds(2)), POINTS), table(league(*joined("dan", at=5), played=with_dan), POINTS)
    known = trends(table(league(), POINTS), first, ())
    assert {trend_words(row, known) for row in first.rows} == {"–"}
    known = trends(first, later, ())
    assert {row.id: trend_words(row, known) == "new" for row in later.rows} == {**{f"{n}@1": False for n in BOTS}, "dan@1": True}


def test_what_has_changed_since_a_moment_is_listed() -> None:
    closed = RoundClosed(at=moment(30), round=1, seed="0" * 64)
    later: list[AnyEvent] = [*joined("ann", 2, at=20), *refused("dan", 1, 21), Retired(at=moment(22), version="ann@1", reason="x")]
    history = league(*later, closed, played=some_rounds(1))
    then, now = table(league(), POINTS), table(history, POINTS)
    assert changes(history.events, moment(10), then, now, describe) == [
        "ann@2 joined",
        "a submission of dan was refused: crash",
        "ann@1 was retired: x",
        "1 round closed, 6 matches played",
    ]
    assert changes(history.events, moment(10), then, now, describe_to_all)[1] == "a submission of dan was refused"
    assert changes(history.events, moment(21), then, now, describe)[0] == "ann@1 was retired: x"


def test_a_change_after_the_clock_was_set_back_is_listed() -> None:
    history = league(*joined("dan", at=20), *joined("eve", at=5))
    assert changes(history.events, moment(10), table(history.until(moment(10)), POINTS), table(history, POINTS), describe) == [
        "dan@1 joined",
        "eve@1 joined",
    ]


def test_a_version_that_rises_is_named_with_both_ranks() -> None:
    before, after = some_rounds(2), (*some_rounds(2), *(pair("cat@1", "ann@1", number, points=900) for number in (3, 4)))
    then, now = table(league(played=before), POINTS), table(league(played=after), POINTS)
    assert changes((), moment(0), then, now, describe)[1:] == ["cat@1 rose from rank 3 to 1", "ann@1 fell from rank 1 to 3"]


def test_a_league_is_settled_by_direct_meetings_alone_as_known_to_until_sure() -> None:
    closed = [RoundClosed(at=moment(number), round=number, seed="s") for number in range(1, 201)]
    open_yet, settled = (table(league(*closed[:rounds], played=some_rounds(rounds)), POINTS).answer for rounds in (1, 200))
    of_open_rounds = table(league(*closed[:1], played=some_rounds(200)), POINTS).answer
    assert of_open_rounds
    assert of_open_rounds.sure == "Likely", "only closed rounds count: a run that is stopped in a round chooses no results"
    assert open_yet
    assert settled
    assert settled.lines[1] == "Settled: the strongest by points a hand is ann@1 (95 %, whenever you look)."
    assert (open_yet.sure, "95 %" in open_yet.why, settled.surer) == ("Open", False, "")
    assert open_yet.surer.endswith(("of each bot", "ann@1 and ben@1 meet"))
    assert [(strip.name, answer.unit) for answer in (open_yet, settled) for strip in answer.strips] == [
        (f"{name}@1", "points a hand") for name in BOTS
    ] * 2
    assert table(league(), POINTS).answer is None


def test_a_leader_by_its_standing_alone_is_compared_by_a_duel() -> None:
    estimates = {name: Estimate(value, value - 1, value + 1, "", ranks, (0.2, 0.4), contends=True) for name, value, ranks in LEVEL}
    found = answer_of_league(["ann@1", "ben@1"], estimates, {"ann@1": 4, "ben@1": 4}, "points")
    assert found
    assert (found.how, found.sure, found.surer) == (
        "after 4 matches",
        "Weak as evidence of strength",
        "more rounds in which ann@1 and ben@1 meet",
    )


LEVEL = (("ann@1", 1.0, (0.3, 0.7)), ("ben@1", 1.5, (0.7, 0.3)))


def test_a_trend_does_not_follow_who_joins_and_a_bot_that_does_not_play_has_none() -> None:
    then, now = table(league(played=some_rounds(2)), POINTS), table(league(*joined("dan"), played=some_rounds(2)), POINTS)
    moved = replace(now, rows=tuple(replace(row, rating=row.rating and row.rating - 3) for row in now.rows))
    assert trends(then, moved, ()) == pytest.approx(dict.fromkeys([f"{name}@1" for name in BOTS], 0.0))
    assert trends(then, moved, ["ann@1"]) == trends(then, moved, ())
    assert set(trends(then, replace(moved, rows=tuple(replace(row, rank=None) for row in moved.rows)), ())) == set()


def test_bots_that_never_met_are_named_as_parts_of_the_field() -> None:
    both = (pair("ann@1", "ben@1", 1), pair("cat@1", "dan@1", 1))
    notes = table(league(*joined("dan"), played=both), POINTS).notes
    assert "the field has 2 parts that never met: compare only within a part" in notes


@pytest.mark.parametrize(("at_fault", "suspended"), [(2, False), (3, True)])
def test_a_bot_is_suspended_for_faults_in_more_than_its_share_of_matches(at_fault: int, suspended: bool) -> None:  # noqa: FBT001
    faults = first_faults(fault("ann@1", number) for number in range(1, at_fault + 1))
    field = fold(league().events)
    found = suspensions(field.active, some_rounds(2), faults, SuspensionRule(share=0.25, least=8), moment(50))
    assert [event.version for event in found] == (["ann@1"] if suspended else [])
    for event in found:
        assert event.reason == Reason("at fault in 3 of 8 matches", "illegal: 2c: not in hand")
        assert (event.fixture, event.turn) == ("r3/ann@1:x/0/0", '{"type":"turn"}')


def test_a_suspension_for_a_fault_of_any_length_can_be_read_again() -> None:
    long = Fault(seat=0, kind="crash", game=0, hand=1, detail="x" * 20_000, turn="y" * (1 << 19))
    faults = first_faults((*fault("ann@1", number)[:2], long) for number in range(1, 4))
    (event,) = suspensions(fold(league().events).active, some_rounds(2), faults, SuspensionRule(share=0.25, least=8), moment(50))
    assert decode(encode(event)) == event


def test_results_and_faults_of_a_round_that_is_open_do_not_count() -> None:
    faults = tuple(first_faults(fault("ann@1", number) for number in range(1, 4)))
    closed = [RoundClosed(at=moment(9), round=number, seed="0" * 64) for number in (1, 2)]
    found = replace(league(*closed, played=some_rounds(3)), faults=faults).closed_rounds()
    assert (found.played, found.faults) == (some_rounds(2), faults[:2])


def test_several_faults_in_a_match_count_once() -> None:
    assert len(first_faults([fault("ann@1", 1), fault("ann@1", 1), fault("ann@1", 1, leg=1)])) == 2


def test_only_matches_since_it_last_joined_count() -> None:
    faults = first_faults(fault("ann@1", number) for number in range(1, 6))
    (version, *_) = fold([*league().events, Reinstated(at=moment(40), version="ann@1")]).active
    version = replace(version, joined=6)
    assert suspensions([version], some_rounds(5), faults, SuspensionRule(), moment(50)) == []
    (event,) = suspensions([replace(version, joined=3)], some_rounds(4), faults[:5], SuspensionRule(), moment(50))
    assert event.reason.public == "at fault in 3 of 8 matches"


def test_too_few_matches_suspend_nobody() -> None:
    faults = first_faults([fault("ann@1", 1)])
    assert suspensions(fold(league().events).active, some_rounds(1), faults, SuspensionRule(), moment(50)) == []


def test_the_aim_is_known_when_every_comparison_is() -> None:
    field, ranked = versions(3), ["b000@1", "b001@1", "b002@1"]
    played = [pair(one, other, number, points=400) for number in range(40) for one, other in pairwise(ranked)]
    found = certainty(field, ranked, played, TopAim(1), 0.95)
    assert (found.comparisons, found.known, found.sure) == (2, 1, False)
    played += [pair("b000@1", "b002@1", number, points=400) for number in range(40)]
    assert certainty(field, ranked, played, TopAim(1), 0.95).sure
    assert certainty(field, ranked, played, "order", 0.95).known == 3


def test_nothing_is_known_of_an_empty_field() -> None:
    assert not certainty((), (), (), "order", 0.95).sure


def second_legs(names: tuple[str, str], rounds: range, gain: int) -> tuple[Pair, ...]:
    """Return a pair of each round in which the first of two versions has gained points in the leg that was played second."""
    return tuple(replace(pair(*names, number), by_leg=((0, 20), (gain * 20, 20))) for number in rounds)


def drawn(rounds: range, *, coin: bool = True) -> list[AnyEvent]:
    return [replace(round_opened(number, [("ann@1", "ben@1")]), coin=coin) for number in rounds]


def test_a_bot_that_gains_in_second_legs_is_noted_over_all_its_versions_and_is_not_suspended() -> None:
    early, late = range(1, 11), range(11, 21)
    played = (*second_legs(("ann@1", "ben@1"), early, 30), *second_legs(("ann@2", "ben@1"), late, 30))
    shown = table(league(*joined("ann", 2, at=20), *drawn(early), *drawn(late), played=played), POINTS)
    flag = "ann plays better in legs played second: evidence "
    [note] = [note for note in shown.notes if note.startswith(flag)]
    assert note.endswith(" of 1,000; the legs may share information")
    assert shown.second_legs["ann"].pairs == 20
    assert not shown.second_legs["ben"].is_flagged
    assert [row.state for row in shown.rows if row.name == "ann"] == ["active", "active"]
    half = table(league(*drawn(early), played=played[:10]), POINTS)
    assert not any(note.startswith(flag) for note in half.notes)


def test_rounds_without_a_coin_say_nothing_about_second_legs() -> None:
    older, later = range(1, 31), range(31, 33)
    history = league(*drawn(older, coin=False), *drawn(later), played=second_legs(("ann@1", "ben@1"), range(1, 33), 30))
    assert table(history, POINTS).second_legs["ann"].pairs == 2


def test_a_bot_that_reads_while_it_plays_is_marked_in_its_row_and_in_a_note() -> None:
    history = league(played=some_rounds(2))
    events = tuple(
        replace(event, reads_while_playing=True) if isinstance(event, Submitted) and event.version == "ben@1" else event
        for event in history.events
    )
    found = table(replace(history, events=events), POINTS)
    assert [row.id for row in found.rows if row.reads_while_playing] == ["ben@1"]
    assert "not sealed, because they open files while they play (ben@1)" in found.notes


def test_a_bot_is_shown_with_the_opponents_that_it_has_met_last() -> None:
    numbers = [*range(1, show.MEETINGS + 2), 1]  # the first of them is met again at the end
    history = league(played=tuple(pair("ann@1", f"b{number}@1", place) for place, number in enumerate(numbers, 1)))
    shown = show._meetings(history, history.field().version("ann@1"))  # noqa: SLF001 - without the folder of a league
    assert [one.opponent for one in shown] == [f"b{number}@1" for number in numbers[2:]]
    assert shown[-1].pairs == 2
