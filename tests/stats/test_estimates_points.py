from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.matches.records import batch

from arena.records import MatchRecord
from arena.stats.comparisons import sum_pairs
from arena.stats.estimates import corrected_estimates, fit_points, hand_points
from arena.stats.pairs import pairs
from arena.stats.ratings import PointsRating


def league() -> list[MatchRecord]:
    """Return pairs of batches in which each is two points a hand better than the next, luck of +-10 mirrored apart from +-1."""
    return [
        batch(*seats, [edge * sign + luck + noise * sign, edge * sign - luck], deals=f"{a}{b}{number}")
        for (i, a), (j, b) in combinations(enumerate("abc"), 2)
        for number in range(12)
        for edge, luck, noise in [(2 * (j - i), 10 + number, number % 3 - 1)]
        for seats, sign in [((a, b), 1), ((b, a), -1)]
    ]


@pytest.mark.process
@given(st.permutations(league()))
@settings(max_examples=20)
def test_points_are_the_same_to_the_last_bit_in_any_order(records: list[MatchRecord]) -> None:
    assert PointsRating().rate(records) == PointsRating().rate(league())


def test_points_a_hand_have_mean_zero_over_the_field() -> None:
    rates = PointsRating().rate(league())
    assert [rates[name].value for name in "abc"] == pytest.approx([2.0, 0.0, -2.0], abs=0.7), "near ratings are drawn together"
    assert sum(rate.value for rate in rates.values()) == pytest.approx(0.0)
    measured = {
        name: one.measured
        for name, one in corrected_estimates(fit_points(*sum_pairs(pairs(league()), hand_points)), {}, (), "").items()
    }
    assert [measured[name] for name in "abc"] == pytest.approx([2.0, 0.0, -2.0], abs=0.1)
    assert all(rate.low < rate.value < rate.high and rate.high - rate.low < 5 for rate in rates.values())


def test_swapping_every_seat_negates_every_difference() -> None:
    turned = [
        batch(
            *record.fixture.seats[::-1],
            [hand.points * (1 - 2 * (hand.winner or 0)) for hand in record.hands],
            deals=record.fixture.deals,
        )
        for record in league()
    ]
    there, back = PointsRating().rate(league()), PointsRating().rate(turned)
    assert all(back[name].value == pytest.approx(-there[name].value) for name in "abc")


def test_few_pairs_have_the_interval_of_independent_hands_and_a_note() -> None:
    rate = PointsRating().rate([batch("a", "b", [10, -10], deals="1"), batch("b", "a", [10, -10], deals="1")])["a"]
    assert rate.high - rate.low == pytest.approx(2 * 1.96 * 33 / 4**0.5 / 2)
    assert "few pairs" in rate.note


def test_parts_that_never_met_have_mean_zero_each() -> None:
    rates = PointsRating().rate([batch("a", "b", [10]), batch("c", "d", [30])])
    assert [(rates[one].value + rates[other].value, rates[one].note) for one, other in ("ab", "cd")] == [(0.0, rates["a"].note)] * 2
    assert all("2 parts" in rate.note for rate in rates.values())


def test_corrected_ratings_have_mean_zero_even_if_a_bot_is_far_behind_all_others() -> None:
    far = [batch("a", "last", [50 + number % 7, 40], deals=f"a:last/{number}") for number in range(40)]
    rated = fit_points(*sum_pairs(pairs([*league(), *far]), hand_points))
    found = corrected_estimates(rated, {}, (), "abc")
    assert sum(one.estimate.value for one in found.values()) == pytest.approx(0.0, abs=1e-9)
    assert {name: len(one.estimate.ranks) for name, one in found.items()} == {"a": 3, "b": 3, "c": 3, "last": 0}


def test_no_hands_have_no_rating() -> None:
    assert PointsRating().rate([]) == {}
    assert PointsRating().rate([batch("a", "b", [])]) == {}
