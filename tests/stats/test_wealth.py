from math import log, log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.sequential.observations import Block, DealScore
from arena.stats.sequential.wealth import POINTS, Bet, LuckSums, Past, Wealth, bets

SCORES = st.lists(st.floats(-60, 60), max_size=40)


def block(*scores: float, luck: float = 0.0) -> Block:
    return Block(tuple(DealScore(score, luck) for score in scores))


def after(blocks: list[Block]) -> Past:
    past = Past()
    for one, bet in zip(blocks, bets(blocks, POINTS), strict=True):
        past = past.add(one, bet.score, POINTS)
    return past


def test_the_score_of_a_block_is_the_mean_of_its_deals() -> None:
    assert (block(10, -2, 0, 0).y, block(10, -2, 0, 0).hands) == (2.0, 8)


def test_a_deal_with_the_same_play_in_both_legs_counts_as_zero() -> None:
    assert Block((DealScore(8.0), DealScore(0.0, same=True))).y == 4.0


def test_the_first_stakes_follow_from_the_prior_variance_of_a_block() -> None:
    (bet,) = bets([block(10, 10, 10, 10)], POINTS)
    assert bet.stakes[:3] == pytest.approx((0.25 / 37.5, 0.5 / 37.5, 1 / 37.5)), "a quarter of a deal's 150"
    assert bet.stakes[3:] == pytest.approx((0.95 / 25,) * 3), "no stake risks more than 95 % of the wealth"


def test_later_stakes_follow_from_the_blocks_before() -> None:
    *_, bet = bets([block(10, 10), block(-6, -6), block(60, -60)], POINTS)
    variance = (10 * 75 + 128) / 12  # the prior counts as ten blocks of two deals; deviations of 8, twice
    assert bet.stakes[0] == pytest.approx(0.25 / variance)


@given(SCORES, st.floats(-60, 60), st.floats(-60, 60))
def test_the_stakes_do_not_depend_on_the_block_itself(past: list[float], one: float, other: float) -> None:
    before = [block(score) for score in past]
    assert [*bets([*before, block(one)], POINTS)][-1].stakes == [*bets([*before, block(other)], POINTS)][-1].stakes


@given(SCORES, SCORES, st.floats(-60, 60))
def test_the_share_of_luck_does_not_depend_on_the_block_itself(past: list[float], luck: list[float], other: float) -> None:
    before = [block(score, luck=lucky) for score, lucky in zip(past, luck, strict=False)]
    one, two = ([*bets([*before, block(1.0, luck=lucky)], POINTS)][-1] for lucky in (0.0, other))
    share = after(before).luck.share(POINTS)
    assert (one.score, two.score) == pytest.approx((1.0, 1.0 - share * other))
    assert 0 <= share <= 1


def test_the_share_begins_at_its_prior_and_approaches_the_slope_of_score_on_luck() -> None:
    assert LuckSums().share(POINTS) == 0.85
    lucky = [block(0.4 * luck, luck=luck) for luck in (8.0, -8.0) * 300]
    assert after(lucky).luck.share(POINTS) == pytest.approx(0.4, abs=0.02)


def test_luck_that_explains_nothing_is_not_subtracted() -> None:
    sums = LuckSums()
    for number in range(4000):
        sums = sums.add(DealScore(-50.0 + 10 * (-1) ** (number // 2), 10.0 * (-1) ** number))
    assert sums.share(POINTS) == pytest.approx(0.0, abs=0.01), "whatever the mean score is"


def test_a_bettor_gains_by_scores_on_its_side_of_the_mean() -> None:
    bet = Bet(4.0, (0.01, 0.02))
    assert Wealth.start(1.0, 1, POINTS).add(Bet(4.0, (0.01,) * 6), 25.0).evidence == pytest.approx(log1p(0.03))
    assert Wealth(1.0, 1, (0.0, 0.0)).add(bet, 25.0).logs == pytest.approx((log1p(0.03), log1p(0.06)))
    assert Wealth(1.0, -1, (0.0, 0.0)).add(bet, 25.0).logs == pytest.approx((log1p(-0.03), log1p(-0.06)))


def test_a_score_counts_at_most_as_the_clip() -> None:
    most = Bet(60.0, (0.95 / 25,))
    assert Wealth(0.0, 1, (0.0,)).add(most, 25.0).evidence == pytest.approx(log(1.95))
    assert Wealth(0.0, -1, (0.0,)).add(most, 25.0).evidence == pytest.approx(log(0.05))


def test_evidence_is_the_mean_of_the_wealths() -> None:
    assert Wealth(0.0, 1, (log(3.0), log(1.0))).evidence == pytest.approx(log(2.0))
    assert Wealth(0.0, 1, (2000.0, -2000.0)).evidence == pytest.approx(2000 - log(2.0)), "without overflow"
