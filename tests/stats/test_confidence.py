import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.sequential.confidence import estimate
from arena.stats.sequential.observations import Block, DealScore
from arena.stats.sequential.outcome import Interval
from arena.stats.sequential.wealth import POINTS, Wealth, bets

SCORES = st.lists(st.floats(-60, 60), max_size=30)


def after(scores: list[float], luck: list[float] | None = None) -> Interval:
    lucky = luck or [0.0] * len(scores)
    return estimate(bets((Block((DealScore(score, share),)) for score, share in zip(scores, lucky, strict=True)), POINTS), POINTS)


def test_no_mean_is_excluded_before_the_first_block() -> None:
    assert after([]) == Interval(0.0, -60.0, 60.0)


def test_the_interval_is_little_wider_than_one_for_a_single_look() -> None:
    scores = np.random.default_rng(1).normal(1.0, 10.0, 2000).clip(-60, 60)
    found = after(scores.tolist())
    assert found.value == pytest.approx(scores.mean(), abs=0.02)
    assert found.low <= 1.0 <= found.high
    assert found.high - found.low < 2 * 2 * 1.96 * 10 / 2000**0.5


def test_the_estimate_of_scores_within_the_clip_is_their_mean() -> None:
    assert after([10.0, -4.0, 3.0]).value == pytest.approx(3.0)
    assert after([0.0] * 20).value == 0.0


def test_a_score_beyond_the_clip_counts_as_the_clip() -> None:
    assert after([0.0] * 9 + [60.0]).value == pytest.approx(25 / 9), "25 points above the estimate, as the others are below it"


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
    for end, direction in ((found.low, 1), (found.high, -1)):
        wealth = Wealth.start(end, 1 if direction == 1 else -1, POINTS)
        for bet in bets((Block((DealScore(y),)) for y in scores), POINTS):
            wealth = wealth.add(bet, POINTS.clip)
        if abs(end) < 60 and end != found.value:
            assert wealth.evidence == pytest.approx(np.log(40), abs=1e-5)


def test_luck_that_explains_the_scores_narrows_the_interval() -> None:
    luck = np.random.default_rng(2).normal(0, 12, 500).clip(-50, 50).tolist()
    plain, corrected = after(luck), after(luck, luck)
    assert corrected.high - corrected.low < 0.7 * (plain.high - plain.low)
