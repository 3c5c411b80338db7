"""The margin in points a hand, from deals that were played from both seats."""

from math import sqrt
from random import Random

import pytest

from arena.gin.score import Ending
from arena.records import Fixture, HandRecord, MatchRecord
from arena.stats.margin import Margin, margin, of_blocks, student


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


def both(*won: int, deals: str = "a:b/0") -> list[MatchRecord]:
    """Return a pair of legs in which ``a`` won these points from either seat."""
    return [batch(("a", "b"), *won, deals=deals), batch(("b", "a"), *(-one for one in won), deals=deals)]


def found(records: list[MatchRecord], name: str = "a") -> Margin:
    measured = margin(records, name)
    assert measured
    return measured


def test_a_deal_that_both_win_from_the_same_seat_counts_zero() -> None:
    records = [one for deals in "xy" for one in (batch(("a", "b"), 20, deals=deals), batch(("b", "a"), 20, deals=deals))]
    assert found(records) == Margin(0.0, 0.0, 0.0, 2, 2)


def test_the_margins_of_two_entrants_have_opposite_signs() -> None:
    records = [*both(20, 10), batch(("a", "b"), 12, 30, deals="a:b/1"), batch(("b", "a"), -8, 0, deals="a:b/1")]
    ahead, behind = found(records), found(records, "b")
    assert ahead.mean == pytest.approx((20 + 10 + 10 + 15) / 4)
    assert (behind.mean, behind.low, behind.high) == (-ahead.mean, -ahead.high, -ahead.low)


def test_a_hand_counts_at_most_forty_points() -> None:
    assert found([*both(90), *both(0, deals="a:b/1")]).mean == 20.0


def test_a_deal_that_only_one_leg_played_is_left_out() -> None:
    records = [
        batch(("a", "b"), 10, 10, 10),
        batch(("b", "a"), -10, -10),
        *both(10, deals="a:b/1"),
        batch(("a", "b"), 30, deals="a:b/2"),
    ]
    assert (found(records).deals, found(records).blocks) == (3, 2)


def test_one_pair_of_legs_is_not_enough_however_many_deals_it_has() -> None:
    assert margin(both(10, 20, 30), "a") is None


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.706), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (99, 1.984)])
def test_students_quantile_is_that_of_the_tables(degrees: int, quantile: float) -> None:
    assert student(degrees) == pytest.approx(quantile, abs=1e-3)


def test_students_quantile_is_closer_for_more_degrees() -> None:
    assert student(30) == pytest.approx(2.0422724563, abs=1e-7)


@pytest.mark.parametrize(
    ("low", "high", "blocks", "decides"),
    [(0.1, 2.0, 25, True), (0.0, 2.0, 25, False), (-2.0, 0.0, 25, False), (-2.0, -0.1, 25, True), (0.1, 2.0, 24, False)],
)
def test_an_interval_without_zero_from_enough_blocks_decides(low: float, high: float, blocks: int, *, decides: bool) -> None:
    assert Margin((low + high) / 2, low, high, 100, blocks).decides is decides


@pytest.mark.parametrize(("high", "blocks", "has_interval"), [(1.0, 24, False), (1.0, 25, True), (1.5, 2, True)])
def test_few_results_without_scatter_give_no_interval(high: float, blocks: int, *, has_interval: bool) -> None:
    assert Margin(1.0, 1.0, high, 100, blocks).has_interval is has_interval


def test_halving_the_interval_takes_four_times_the_hands() -> None:
    measured = Margin(0.0, -2.0, 2.0, 100, 50)
    assert measured.hands_for(2.0) == 200
    assert measured.hands_for(1.0) == 800


def test_the_interval_is_students() -> None:
    measured = of_blocks([[1.0], [2.0], [3.0], [4.0]])
    assert measured
    half = 3.182 * sqrt(5 / 3 / 4)  # the standard deviation of a sample of four
    assert (measured.mean, measured.low, measured.high) == pytest.approx((2.5, 2.5 - half, 2.5 + half))


def test_a_block_is_one_observation_that_counts_by_its_size() -> None:
    whole, parts = of_blocks([[1.0, 3.0], [4.0, 6.0], [8.0]]), of_blocks([[2.0, 2.0], [5.0, 5.0], [8.0]])
    assert whole
    assert whole == parts, "how a block is scattered within does not matter"
    assert (whole.mean, whole.deals, whole.blocks) == pytest.approx((22 / 5, 5, 3))


def moody(chance: Random, block: int, blocks: int) -> list[list[float]]:
    """Return deals of bots whose mood in each block is worth 4 points either way."""
    return [[mood + chance.gauss(0.0, 9.0) for _ in range(block)] for mood in (chance.choice((-4.0, 4.0)) for _ in range(blocks))]


@pytest.mark.parametrize(("block", "blocks"), [(1, 8), (2, 50), (4, 25)])
def test_the_interval_has_its_coverage_whatever_the_moods_of_processes(block: int, blocks: int) -> None:
    chance, inside = Random(1), 0
    for _ in range(1000):
        measured = of_blocks(moody(chance, block, blocks))
        assert measured
        inside += measured.low <= 0.0 <= measured.high
    assert 0.93 < inside / 1000 < 0.97
