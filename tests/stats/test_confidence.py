import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.wealth import (
    EQUITY,
    POINTS,
    Bets,
    Block,
    DealScore,
    Direction,
    Interval,
    Observations,
    Scale,
    bets,
    estimate,
    evidence,
)

SCORES = st.lists(st.floats(-60, 60), max_size=30)


def placed(scores: list[float], luck: list[float] | None = None, scale: Scale = POINTS) -> Bets:
    lucky = luck or [0.0] * len(scores)
    blocks = [Block((DealScore(score, share),)) for score, share in zip(scores, lucky, strict=True)]
    return bets(Observations.of(blocks), scale)


def after(scores: list[float], luck: list[float] | None = None, scale: Scale = POINTS) -> Interval:
    return estimate(placed(scores, luck, scale), scale)


def test_no_mean_is_excluded_before_the_first_block() -> None:
    assert after([]) == Interval(0.0, -60.0, 60.0)


def test_the_interval_is_little_wider_than_one_for_a_single_look() -> None:
    scores = np.random.default_rng(1).normal(1.0, 10.0, 2000).clip(-60, 60)
    found = after(scores.tolist())
    assert found.value == pytest.approx(scores.mean(), abs=0.02)
    assert found.low <= 1.0 <= found.high
    assert found.high - found.low < 2 * 2 * 1.96 * 10 / 2000**0.5


def test_the_estimate_is_the_mean_of_the_scores() -> None:
    assert after([10.0, -4.0, 3.0]).value == pytest.approx(3.0)
    assert after([0.0] * 9 + [60.0]).value == pytest.approx(6.0), "nothing is clipped"
    assert after([0.0] * 20).value == 0.0


def test_a_score_of_equity_beyond_the_clip_counts_as_the_clip() -> None:
    assert after([0.0] * 9 + [60.0], scale=EQUITY).value == pytest.approx(8 / 9), "8 above the estimate, as the others are below it"


@pytest.mark.parametrize("scores", [[20.0, -20.0], [30.0, 10.0, -10.0, -10.0], [9.0, 1.0, -20.0, -1.0]])
def test_an_estimate_of_equity_favours_neither_bot(scores: list[float]) -> None:
    one, other = after(scores, scale=EQUITY), after([-score for score in scores], scale=EQUITY)
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low), abs=1e-9)
    assert after([20.0, -20.0], scale=EQUITY).value == pytest.approx(0.0, abs=1e-9)


def test_a_block_with_a_lost_leg_widens_the_interval_and_leaves_the_estimate() -> None:
    blocks = [Block((DealScore(score),)) for score in [4.0, 1.0] * 200]
    whole, lost = (
        estimate(bets(Observations.of(some), POINTS), POINTS) for some in (blocks, [*blocks, Block((DealScore(0.0),), lost=0.5)])
    )
    assert lost.value == whole.value
    assert lost.low < whole.low < whole.high < lost.high


@given(SCORES)
def test_an_interval_contains_its_estimate(scores: list[float]) -> None:
    found = after(scores)
    assert -60 <= found.low <= found.value <= found.high <= 60


@pytest.mark.parametrize("drift", [([30.0] * 200, [-30.0] * 180), ([-8.0] * 40, [1.0] * 3000), ([0.0] * 500, [25.0] * 300)])
def test_an_interval_contains_its_estimate_after_a_drift(drift: tuple[list[float], list[float]]) -> None:
    found = after([*drift[0], *drift[1]])
    assert found.low <= found.value <= found.high


@given(SCORES)
def test_negating_every_score_negates_the_interval(scores: list[float]) -> None:
    found, turned = after(scores), after([-score for score in scores])
    assert (found.value, found.low, found.high) == pytest.approx((-turned.value, -turned.high, -turned.low), abs=1e-6)


@given(st.lists(st.floats(-60, 60), min_size=20, max_size=80))
def test_the_ends_are_the_means_against_which_the_wealth_is_large_enough(scores: list[float]) -> None:
    found = after(scores)
    ends: list[tuple[float, Direction]] = [(found.low, 1), (found.high, -1)]
    for end, direction in ends:
        if abs(end) < 59.999 and end != found.value:
            assert evidence(placed(scores), POINTS, end, direction) == pytest.approx(np.log(40), abs=1e-5)


@given(st.lists(st.tuples(st.floats(-60, 60), st.floats(-60, 60)), min_size=1, max_size=40), st.floats(-59, 59), st.floats(-59, 59))
def test_the_evidence_for_a_mean_above_m_falls_as_m_rises(played: list[tuple[float, float]], one: float, other: float) -> None:
    found = placed([score for score, _ in played], [luck for _, luck in played])
    low, high = sorted((one, other))
    assert evidence(found, POINTS, low, 1) >= evidence(found, POINTS, high, 1) - 1e-9
    assert evidence(found, POINTS, low, -1) <= evidence(found, POINTS, high, -1) + 1e-9


def test_luck_that_explains_a_part_of_the_scores_narrows_the_interval() -> None:
    chance = np.random.default_rng(2)
    luck = chance.normal(0, 12, 2000).clip(-50, 50)
    scores = (luck + chance.normal(0, 8, 2000)).clip(-60, 60)
    plain, corrected = after(scores.tolist()), after(scores.tolist(), luck.tolist())
    assert corrected.high - corrected.low < 0.8 * (plain.high - plain.low)
