"""What has changed in a table: new versions, ranks and trends."""

import pytest
from msgspec.structs import replace
from support.leagues.events import joined, moment, pair, refused
from support.leagues.small_league import BOTS, POINTS, league, some_rounds

from arena.league.rules.event_words import describe, describe_to_all
from arena.league.rules.events import (
    AnyEvent,
    Retired,
    RoundClosed,
)
from arena.league.rules.table_changes import changes, trends
from arena.league.rules.table_making import make_table
from arena.league.show import trend_words


def test_a_version_is_new_only_where_others_were_rated_before_it() -> None:
    with_dan = (*some_rounds(2), pair("dan@1", "cat@1", 3))
    first, later = (
        make_table(league(played=some_rounds(2)), POINTS),
        make_table(league(*joined("dan", at=5), played=with_dan), POINTS),
    )
    known = trends(make_table(league(), POINTS), first, ())
    assert {trend_words(row, known) for row in first.rows} == {"–"}
    known = trends(first, later, ())
    assert {row.id: trend_words(row, known) == "new" for row in later.rows} == {**{f"{n}@1": False for n in BOTS}, "dan@1": True}


def test_what_has_changed_since_a_moment_is_listed() -> None:
    closed = RoundClosed(at=moment(30), round=1, seed="0" * 64)
    later: list[AnyEvent] = [*joined("ann", 2, at=20), *refused("dan", 1, 21), Retired(at=moment(22), version="ann@1", reason="x")]
    history = league(*later, closed, played=some_rounds(1))
    then, now = make_table(league(), POINTS), make_table(history, POINTS)
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
    assert changes(
        history.events, moment(10), make_table(history.until(moment(10)), POINTS), make_table(history, POINTS), describe
    ) == [
        "dan@1 joined",
        "eve@1 joined",
    ]


def test_a_version_that_rises_is_named_with_both_ranks() -> None:
    before, after = some_rounds(2), (*some_rounds(2), *(pair("cat@1", "ann@1", number, points=900) for number in (3, 4)))
    then, now = make_table(league(played=before), POINTS), make_table(league(played=after), POINTS)
    assert changes((), moment(0), then, now, describe)[1:] == ["cat@1 rose from rank 3 to 1", "ann@1 fell from rank 1 to 3"]


def test_a_trend_does_not_follow_who_joins_and_a_bot_that_does_not_play_has_none() -> None:
    then, now = make_table(league(played=some_rounds(2)), POINTS), make_table(league(*joined("dan"), played=some_rounds(2)), POINTS)
    moved = replace(now, rows=tuple(replace(row, rating=row.rating and row.rating - 3) for row in now.rows))
    assert trends(then, moved, ()) == pytest.approx(dict.fromkeys([f"{name}@1" for name in BOTS], 0.0))
    assert trends(then, moved, ["ann@1"]) == trends(then, moved, ())
    assert set(trends(then, replace(moved, rows=tuple(replace(row, rank=None) for row in moved.rows)), ())) == set()
