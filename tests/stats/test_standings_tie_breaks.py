"""Tie-breaks, by hand-made tables, and places from results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.matches.records import batch, match

from arena.records import MatchRecord, result
from arena.stats.format_details import Encounter, encounter
from arena.stats.pairs import Meeting
from arena.stats.score_ranking import GAMES, HEAD_TO_HEAD, POINTS, TIE_BREAKS, Scores, TieBreak, place_table
from arena.stats.standings import by_merit, by_results
from arena.stats.tally import TallyBuilder


def met(one: str, other: str, outcome: int, *, games: tuple[int, int] = (0, 0), points: tuple[int, int] = (0, 0)) -> Meeting:
    matches = {1: (2, 0), 0: (1, 1), -1: (0, 2)}[outcome]
    return Meeting(one=one, other=other, matches=matches, games=games, points=points, legs=2)


def cells(scores: Scores, tie_breaks: tuple[TieBreak, ...] = TIE_BREAKS) -> dict[str, dict[str, str]]:
    return {column.name: column.cells for column in place_table("", scores, tie_breaks).columns}


# a beats b and d, b beats c, c beats a, d draws with c
ROUNDS = [met("a", "b", 1), met("b", "c", 1), met("c", "a", 1), met("a", "d", 1), met("d", "c", 0)]


def test_a_win_scores_one_a_draw_a_half_and_a_bye_one() -> None:
    assert cells(Scores("abcd", ROUNDS, {"d": 1}))["score"] == {"a": "2", "b": "1", "c": "1.5", "d": "1.5"}


def test_buchholz_is_the_sum_of_the_opponents_scores() -> None:
    assert cells(Scores("abcd", ROUNDS, {}))["Buchholz"] == {"a": "3", "b": "3.5", "c": "3.5", "d": "3.5"}


def test_sonneborn_berger_counts_who_was_beaten_and_half_of_who_drew() -> None:
    assert cells(Scores("abcd", ROUNDS, {}))["Sonneborn-Berger"] == {"a": "1.5", "b": "1.5", "c": "2.25", "d": "0.75"}


def test_a_large_score_is_shown_in_full() -> None:
    quarters = TieBreak("quarters", "quarters", lambda *_: 250_001, unit=4)
    assert cells(Scores("a", [], {}), (quarters,))["quarters"] == {"a": "62500.25"}


def test_a_bye_counts_as_an_opponent_with_the_same_score() -> None:
    shown = cells(Scores("ab", [met("a", "b", -1)], {"a": 2}))
    assert (shown["Buchholz"]["a"], shown["Sonneborn-Berger"]["a"]) == ("5", "4")


def test_games_and_points_are_won_less_lost() -> None:
    scores = Scores("ab", [met("a", "b", 0, games=(3, 1), points=(90, 120))], {})
    assert (cells(scores)["games"], cells(scores)["points"]) == ({"a": "+2", "b": "-2"}, {"a": "-30", "b": "+30"})


def test_head_to_head_counts_only_those_who_are_still_equal() -> None:
    meetings = [met("a", "b", -1), met("a", "c", 1), met("b", "d", -1), met("c", "d", -1), met("d", "a", -1)]
    table = place_table("", Scores("abcd", meetings, {"b": 1}), (HEAD_TO_HEAD,))
    assert table.columns[0].cells == {"a": "2", "b": "2", "c": "0", "d": "2"}
    assert table.columns[1].cells == {"a": "1", "b": "1", "c": "–", "d": "1"}


def test_head_to_head_puts_the_winner_of_two_that_are_equal_first() -> None:
    assert place_table("", Scores("ab", [met("b", "a", 1)], {"a": 1}), (HEAD_TO_HEAD,)).places == [["b"], ["a"]]


def test_head_to_head_separates_nobody_unless_all_of_the_equal_have_met() -> None:
    table = place_table("", Scores("abcd", [met("a", "b", 1), met("c", "d", 1)], {}), (HEAD_TO_HEAD,))
    assert table.places == [["a", "c"], ["b", "d"]]
    assert set(table.columns[1].cells.values()) == {"–"}


def test_the_first_tie_break_that_separates_two_decides() -> None:
    meetings = [met("a", "c", 1, games=(5, 1), points=(60, 50)), met("b", "d", 1, games=(5, 4), points=(90, 10))]
    assert place_table("", Scores("abcd", meetings, {}), (GAMES, POINTS)).places == [["a"], ["b"], ["d"], ["c"]]
    assert place_table("", Scores("abcd", meetings, {}), (POINTS, GAMES)).places == [["b"], ["a"], ["c"], ["d"]]


def test_entrants_equal_in_all_share_a_place_in_the_order_of_the_field() -> None:
    assert place_table("", Scores("ba", [met("a", "b", 0)], {}), TIE_BREAKS).places == [["b", "a"]]


@pytest.mark.parametrize("criterion", TIE_BREAKS, ids=repr)
def test_the_note_explains_each_tie_break_of_the_table(criterion: TieBreak) -> None:
    table = place_table("", Scores("ab", [], {}), (criterion,))
    assert f"; {table.columns[1].name}: " in table.note


def test_a_tie_break_of_a_plugin_separates_by_the_meetings() -> None:
    opponents = TieBreak("met", "met: opponents", lambda scores, name, _: len(scores.results(name)))
    table = place_table("", Scores("abc", [met("b", "c", 0), met("a", "b", 0)], {"a": 0}), (opponents,))
    assert table.places == [["b"], ["a", "c"]]
    assert table.note.endswith("; met: opponents.")


def test_an_undefined_value_counts_as_zero() -> None:
    values = {"a": None, "b": 0, "c": -1, "d": 1}
    criterion = TieBreak("some", "some: of a few", lambda _, name, __: values[name])
    assert place_table("", Scores("abcd", [], {}), (criterion,)).places == [["d"], ["a", "b"], ["c"]]


def test_a_pairing_is_won_by_matches_then_games_but_not_by_points() -> None:
    assert met("a", "b", 0, games=(2, 1)).outcome == 1
    assert met("a", "b", 0, points=(2, 1)).outcome == 0
    assert encounter(met("a", "b", 0), "b", over=True) == Encounter("a", "1–1", 0)
    assert Meeting(one="a", other="b", points=(2, 1), batches=True).outcome == 1


def test_an_encounter_is_as_the_entrant_sees_it_and_has_no_outcome_before_it_is_over() -> None:
    won = met("a", "b", 1)
    assert [encounter(won, name, over=True) for name in "ab"] == [Encounter("b", "2–0", 1), Encounter("a", "0–2", -1)]
    assert encounter(won, "b", over=False) == Encounter("a", "0–2", None)
    assert encounter(Meeting(one="a", other="b"), "a", over=False) == Encounter("b", "", None)


def test_by_results_two_drawn_pairs_equal_one_that_was_won() -> None:
    pairings = [("x", "p", 0), ("p", "x", 1), ("y", "p", 0), ("p", "y", 0), ("y", "q", 0), ("q", "y", 0)]
    played = [match(*seats, deals="".join(sorted(seats)), winner=winner, points=[0]) for *seats, winner in pairings]
    assert by_results("pqxy", map(result, played)) == [["x", "y"], ["p", "q"]], "x and y won two matches"


names = st.sampled_from(["a", "b", "c"])
winners = st.sampled_from([0, 1, None])
nets = st.lists(st.integers(-30, 30), min_size=1, max_size=3)
legs = st.builds(
    lambda one, other, number, winner, points, games: match(
        one, other, deals=f"d{number}", winner=winner, points=points, games=games
    ),
    names,
    names,
    st.integers(0, 1),
    winners,
    nets,
    st.lists(st.integers(0, 1), max_size=3),
)
batches = st.builds(lambda one, other, points: batch(one, other, points, deals="batch"), names, names, nets)
played = st.lists(st.one_of(legs, batches), max_size=12, unique_by=lambda record: (record.fixture.deals, record.fixture.seats))


@given(records=played)
def test_places_from_results_are_those_from_records(records: list[MatchRecord]) -> None:
    builder = TallyBuilder()
    for record in records:
        builder.add(record)
    tally = builder.tally()
    assert by_results("abc", map(result, records)) == by_merit({name: tally.of(name) for name in "abc"})
