"""Divisions: seasons, promotion and relegation."""

import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.matches.outcomes import all_results, by_chance, by_strength, rounds

from arena.records import Result
from arena.tournament.formats.divisions import MOVES, Divisions


def groups(results: list[Result]) -> set[frozenset[str]]:
    """Return the entrants that met each other, each group of them once."""
    met: dict[str, set[str]] = {}
    for result in results:
        for name in result.fixture.seats:
            met.setdefault(name, set()).update(result.fixture.seats)
    return {frozenset(names) for names in met.values()}


def test_a_season_is_a_round_robin_in_each_division() -> None:
    first = rounds(Divisions(), list("abcdef"), by_strength("abcdef"))[0]
    assert groups(first) == {frozenset("abc"), frozenset("def")}
    assert len(first) == 2 * 2 * 3


def test_the_last_of_a_division_and_the_first_of_the_next_change_places() -> None:
    one, two, three = rounds(Divisions(divisions=3, seasons=3), list("fedcba"), by_strength("abcdef"))
    assert groups(one) == {frozenset("fe"), frozenset("dc"), frozenset("ba")}
    assert groups(two) == {frozenset("ec"), frozenset("fa"), frozenset("db")}
    assert groups(three) == {frozenset("ca"), frozenset("eb"), frozenset("fd")}


def test_the_final_order_is_that_of_the_divisions() -> None:
    league = Divisions(seasons=3)
    results = all_results(league, list("fedcba"), by_strength("abcdef"))
    assert league.ranking(list("fedcba"), results) == [["a"], ["b"], ["d"], ["c"], ["e"], ["f"]]


def test_a_field_that_cannot_be_divided_equally_has_larger_divisions_first() -> None:
    first = rounds(Divisions(divisions=3), list("abcdefgh"), by_strength("abcdefgh"))[0]
    assert groups(first) == {frozenset("abc"), frozenset("def"), frozenset("gh")}


def test_the_tables_show_who_moves_and_the_earlier_divisions() -> None:
    league = Divisions(seasons=2)
    shown = league.details(list("dcba"), all_results(league, list("dcba"), by_strength("abcd")))
    upper, lower = shown.tables
    assert (shown.stage, shown.decided.partition("; ")[2]) == ("season 2 of 2", "up: b; down: c")
    assert (upper.title, lower.title) == ("Season 2 of 2, division 1", "Season 2 of 2, division 2")
    moves, before = upper.columns[-2:]
    assert (moves.name, moves.cells) == ("move", {"a": "–", "c": "down"})
    assert (before.name, before.cells) == ("before", {"a": "2", "c": "1"})
    assert lower.columns[-2].cells == {"b": "up", "d": "–"}
    assert upper.note.endswith(MOVES)
    assert lower.note.endswith(MOVES)


def test_nobody_moves_before_a_meeting_is_over() -> None:
    league, results = Divisions(pairs=2), all_results(Divisions(pairs=2), list("abcd"), by_strength("abcd"))
    begun, one_over = (league.details(list("abcd"), results[:played]).tables for played in (2, 7))
    assert [{*table.columns[-1].cells.values()} for table in begun] == [{"–"}, {"–"}]
    assert {"up", "down"} & {move for table in one_over for move in table.columns[-1].cells.values()}


def test_one_division_is_a_league_without_moves() -> None:
    league = Divisions(divisions=1, seasons=1)
    (table,) = league.details(list("abc"), all_results(league, list("abc"), by_strength("cba"))).tables
    assert table.places == [["c"], ["b"], ["a"]]
    assert "move" not in [column.name for column in table.columns]
    assert MOVES not in table.note
    assert rounds(Divisions(divisions=1, moves=5), list("abc"), by_strength("cba")), "so many moves need no room"


@pytest.mark.parametrize(
    ("league", "lines"),
    [
        (
            Divisions(),
            ["2 seasons in divisions of 4 and 3; in each, every two of a division play 1 pair of matches", "after", "it"],
        ),
        (
            Divisions(divisions=1, seasons=1, pairs=2),
            ["1 season in a division of 7; in each, every two of a division play 2 pairs of matches", "it orders each division"],
        ),
        (Divisions(divisions=1), ["2 seasons in a division of 7;", "it orders each division"]),
        (Divisions(seasons=1), ["1 season in divisions of 4 and 3;", "it orders each division"]),
    ],
)
def test_a_plan_counts_seasons_and_divisions(league: Divisions, lines: list[str]) -> None:
    found = list(league.explain(7))
    assert [line.startswith(start) for line, start in zip(found, lines, strict=True)] == [True] * len(lines)


@pytest.mark.parametrize("league", [Divisions(divisions=1, seasons=3), Divisions(seasons=1)])
def test_a_plan_promises_no_moves_where_there_are_none(league: Divisions) -> None:
    assert not re.search("change places|rise or fall|1 seasons", " ".join(league.explain(6)))


@given(size=st.integers(4, 12), seed=st.integers(0, 1000))
def test_everybody_plays_in_every_season(size: int, seed: int) -> None:
    field = [f"b{number}" for number in range(size)]
    league = Divisions(seasons=3)
    for each in rounds(league, field, by_chance(seed)):
        played = Counter(name for result in each for name in result.fixture.seats)
        assert {*played} == {*field}
        assert {*played.values()} <= {2 * (size // 2 - 1), 2 * ((size + 1) // 2 - 1)}
    assert league.least(size) == len(all_results(league, field, by_chance(seed)))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_reaches_the_top_from_anywhere(seed: int) -> None:
    order = [f"b{number}" for number in range(9)]
    field = Random(seed).sample(order, 9)
    league = Divisions(divisions=3, seasons=3)
    assert league.ranking(field, all_results(league, field, by_strength(order)))[0] == ["b0"]
