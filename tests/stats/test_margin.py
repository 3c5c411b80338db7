"""The margin in points a hand, from deals that were played from both seats."""

from math import sqrt

import pytest

from arena.gin.score import Ending
from arena.records import Fixture, HandRecord, MatchRecord
from arena.stats.resolution import Margin, margin, of_observations, student


def batch(seats: tuple[str, str], *won: int, deals: str = "a:b/0") -> MatchRecord:
    """Return a batch with these points in each hand: positive for seat 0, negative for seat 1."""
    hands = tuple(
        HandRecord(
            game=number,
            hand=0,
            dealer=0,
            actions="",
            ending=Ending.KNOCK if points else Ending.DEAD,
            winner=None if not points else 0 if points > 0 else 1,
            points=abs(points),
            deadwood=(0, 0),
        )
        for number, points in enumerate(won)
    )
    return MatchRecord(fixture=Fixture(f"{deals}/{seats[0]}", seats, deals, len(won)), winner=None, hands=hands, games=())


def test_a_deal_that_both_win_from_the_same_seat_counts_zero() -> None:
    measured = margin([batch(("a", "b"), 20, -7, 0), batch(("b", "a"), 20, -7, 0)], "a")
    assert measured == Margin(0.0, 0.0, 0.0, 3)
    assert not measured.decides


def test_the_margins_of_two_entrants_have_opposite_signs() -> None:
    records = [batch(("a", "b"), 20, 10, 12, 30), batch(("b", "a"), -10, 4, -8, 0)]
    ahead, behind = margin(records, "a"), margin(records, "b")
    assert ahead.mean == pytest.approx((15 + 3 + 10 + 15) / 4)
    assert (behind.mean, behind.low, behind.high) == (-ahead.mean, -ahead.high, -ahead.low)


def test_a_hand_counts_at_most_forty_points() -> None:
    records = [batch(("a", "b"), 90, 0), batch(("b", "a"), -90, 0)]
    assert margin(records, "a").mean == 20.0


def test_a_deal_that_only_one_leg_played_is_left_out() -> None:
    records = [batch(("a", "b"), 10, 10, 10), batch(("b", "a"), -10, -10), batch(("a", "b"), 60, deals="a:b/1")]
    assert margin(records, "a").deals == 2


def test_one_deal_is_not_enough() -> None:
    with pytest.raises(ValueError, match="1 deals played from both seats"):
        margin([batch(("a", "b"), 10), batch(("b", "a"), 10)], "a")


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.706), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (99, 1.984)])
def test_students_quantile_is_that_of_the_tables(degrees: int, quantile: float) -> None:
    assert student(degrees) == pytest.approx(quantile, abs=1e-3)


def test_students_quantile_is_closer_for_more_degrees() -> None:
    assert student(30) == pytest.approx(2.0422724563, abs=1e-7)


@pytest.mark.parametrize(("low", "high", "decides"), [(0.1, 2.0, True), (0.0, 2.0, False), (-2.0, 0.0, False), (-2.0, -0.1, True)])
def test_an_interval_without_zero_decides(low: float, high: float, *, decides: bool) -> None:
    assert Margin((low + high) / 2, low, high, 100).decides is decides


def test_halving_the_interval_takes_four_times_the_hands() -> None:
    measured = Margin(0.0, -2.0, 2.0, 100)
    assert measured.hands_for(2.0) == 200
    assert measured.hands_for(1.0) == 800


def test_the_interval_is_students() -> None:
    found = of_observations([1.0, 2.0, 3.0, 4.0])
    half = 3.182 * sqrt(5 / 3 / 4)  # the standard deviation of a sample of four
    assert (found.mean, found.low, found.high, found.deals) == pytest.approx((2.5, 2.5 - half, 2.5 + half, 4))


def test_the_interval_has_its_coverage() -> None:
    from random import Random  # noqa: PLC0415 - for this test alone

    chance = Random(1)
    inside = 0
    for _ in range(2000):
        measured = of_observations([chance.gauss(3.0, 20.0) for _ in range(8)])
        inside += measured.low <= 3.0 <= measured.high
    assert 0.935 < inside / 2000 < 0.965
