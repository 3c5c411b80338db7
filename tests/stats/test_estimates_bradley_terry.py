import re
from itertools import combinations
from math import log10
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.matches.records import batch, match
from support.sizes import size

from arena.errors import InputError
from arena.records import MatchRecord
from arena.stats.estimate import Estimate
from arena.stats.ratings import BradleyTerry
from arena.stats.result_tables import MAX_COUNT, Results, rate


def league(pairs: int = 10) -> list[MatchRecord]:
    """Return a league in which the bot whose name sorts first mostly wins."""
    return [
        match(*seats, deals=f"{a}{b}{number}", winner=int((number + leg) % 3 == 0) ^ leg, points=[8, -2] if number % 2 else [-1, 3])
        for a, b in combinations("abcd", 2)
        for number in range(pairs)
        for leg, seats in enumerate([(a, b), (b, a)])
    ]


@pytest.mark.process
@given(st.permutations(league()))
@settings(max_examples=20)
def test_ratings_are_the_same_to_the_last_bit_in_any_order(records: list[MatchRecord]) -> None:
    assert BradleyTerry().rate(records) == BradleyTerry().rate(league())


def test_the_bot_that_mostly_wins_is_rated_first() -> None:
    rates = BradleyTerry().rate(league())
    assert [name for name, _ in sorted(rates.items(), key=lambda item: -item[1].value)] == ["a", "b", "c", "d"]
    assert sum(rate.value for rate in rates.values()) == pytest.approx(0.0, abs=1e-9)
    assert all(rate.low < rate.value < rate.high and not rate.note for rate in rates.values())


def test_pairs_that_mirror_their_luck_make_narrower_intervals() -> None:
    shared = [
        match("a", "b", deals=str(n // 2), winner=0) if n % 2 else match("b", "a", deals=str(n // 2), winner=0) for n in range(80)
    ]
    lone = [match("a", "b", deals=str(n), winner=n % 2) for n in range(80)]
    assert width(BradleyTerry().rate(shared)["a"]) < width(BradleyTerry().rate(lone)["a"]) / 2


def width(rate: Estimate) -> float:
    return rate.high - rate.low


@pytest.mark.parametrize("prior", [0.0, 10.0])
def test_an_unbeaten_entrant_has_a_finite_rating_and_a_note(prior: float) -> None:
    rates = BradleyTerry(prior=prior).rate([match("a", "b", deals=str(n)) for n in range(30)])
    assert 0 < rates["a"].value < 5000
    assert "unbeaten" in rates["a"].note
    assert "without a win" in rates["b"].note
    assert ("rated with a prior" in rates["a"].note) == (prior == 0)


def test_a_field_in_two_parts_has_a_note_and_no_chances_of_ranks_of_one_part_alone() -> None:
    records = [match(*seats, deals=str(n), winner=n % 2) for n in range(30) for seats in (("a", "b"), ("c", "d"))]
    for found in BradleyTerry().rate(records).values():
        assert "2 parts that never met" in found.note
        assert (found.ranks, found.first, found.contends) == ((), None, None)


@pytest.mark.parametrize(("number", "note"), [(20, "few pairs: a reliable interval needs at least 21"), (21, "")])
def test_few_pairs_have_a_note(number: int, note: str) -> None:
    pairs = [match("a", "b", deals=str(deal), winner=deal % 2) for deal in range(number)]
    assert BradleyTerry().rate(pairs)["a"].note == note


def test_a_field_of_none_or_one_has_no_rating() -> None:
    assert BradleyTerry().rate([]) == {}
    assert BradleyTerry().rate([match("a", "a")]) == {}


def test_a_pair_of_batches_is_one_match_won_by_points() -> None:
    won = BradleyTerry().rate([batch("a", "b", [9]), batch("b", "a", [-2])])
    assert won == BradleyTerry().rate([match("a", "b")])


@pytest.mark.process
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 1), st.integers(0, 4)), max_size=40))
@settings(max_examples=size(20, 120))
def test_swapping_two_names_swaps_their_ratings(results: list[tuple[str, str, int, int]]) -> None:
    there = BradleyTerry().rate(match(a, b, winner=won, deals=str(deal)) for a, b, won, deal in results)
    swap = {"a": "b", "b": "a", "c": "c"}
    back = BradleyTerry().rate(match(swap[a], swap[b], winner=won, deals=str(deal)) for a, b, won, deal in results)
    assert set(back) == {swap[name] for name in there}
    assert all(back[swap[name]].value == pytest.approx(rate.value, abs=1e-6) for name, rate in there.items())


def test_a_prior_that_outweighs_the_matches_is_refused() -> None:
    with pytest.raises(ValueError, match=r"prior: 1e-300; expected 0 for none, or at least 0\.001"):
        BradleyTerry(prior=1e-300)
    assert BradleyTerry(prior=0.001).rate(league())


def test_a_bot_without_a_win_is_surely_not_the_strongest() -> None:
    equals = [
        match(*seats, deals=f"{a}{b}{number}", winner=(number + leg) % 2)
        for a, b in combinations("abc", 2)
        for number in range(2)
        for leg, seats in enumerate([(a, b), (b, a)])
    ]
    beaten = [match(name, "last", deals=f"{name}{number}") for name in "abc" for number in range(4)]
    found = BradleyTerry().rate([*equals, *beaten])
    assert found["last"].ranks[0] < 0.01
    assert found["last"].ranks[3] > 0.97
    assert [name for name, rate in found.items() if "against the rest of the field" in rate.note] == ["last"]


TABLE = Results(players=["a", "b"], wins=[[0.0, 3.0], [2.0, 0.0]])


@pytest.mark.parametrize(
    ("changes", "prior", "message"),
    [
        ({"players": ["a", "a"]}, 0.0, "players: a, a; expected every name once"),
        ({"players": ["a"]}, 0.0, "wins: 2 rows of 2; expected 1 rows of 1, one for each player"),
        ({"wins": [[0.0], [2.0, 0.0]]}, 0.0, "wins: 2 rows of 1/2; expected 2 rows of 2, one for each player"),
        ({"wins": []}, 0.0, "wins: 0 rows of 0; expected 2 rows of 2, one for each player"),
        ({"wins": [[0.0, -1.0], [2.0, 0.0]]}, 0.0, "wins: -1 to 2; expected counts from 0 to 1e+12"),
        ({"wins": [[0.0, 2e12], [2.0, 0.0]]}, 0.0, "wins: 0 to 2e+12; expected counts from 0 to 1e+12"),
        ({"wins": [[1.0, 0.0], [2.0, 0.0]]}, 0.0, "wins: a player against itself; expected 0 on the diagonal"),
        ({"draws": [[0.0, 1.0], [2.0, 0.0]]}, 0.0, "draws: not symmetric"),
        ({}, 1e-7, "prior: 1e-07; expected 0 for none, or "),
        ({}, 101.0, "prior: 101; expected 0 for none, or "),
    ],
)
def test_an_invalid_table_of_results_is_refused(changes: dict[str, Any], prior: float, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message)):
        rate(replace(TABLE, **changes), prior)


def test_two_that_draw_all_of_the_most_games_of_a_table_are_equal() -> None:
    found = rate(Results(players=["a", "b"], wins=[[0.0] * 2] * 2, draws=[[0.0, MAX_COUNT], [MAX_COUNT, 0.0]]), 100.0)
    assert (found.ratings, found.state, found.note, found.groups) == ([0.0, 0.0], "ok", "", [["a", "b"]])
    assert rate(TABLE, 0.0).ratings == pytest.approx([200 * log10(1.5), -200 * log10(1.5)])


@pytest.mark.parametrize("wins", [[[0.0, 1e-20], [1e-20, 0.0]], [[0.0, 1e12], [1e-12, 0.0]]])
def test_counts_that_the_arithmetic_cannot_rate_are_refused(wins: list[list[float]]) -> None:
    with pytest.raises(InputError, match="too small or too far apart"):
        rate(Results(players=["a", "b"], wins=wins), 0.0)
