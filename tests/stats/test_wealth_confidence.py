import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.confidence_sequence import estimate
from arena.stats.duels import NOT_WEAKER, SequentialTest, Verdict, of_hands
from arena.stats.scales import EQUITY, POINTS, Interval, Scale
from arena.stats.wealth import Bets, Block, DealScore, Direction, Observations, bets, path

SCORES = st.lists(st.floats(-40, 40), max_size=30)


def placed(scores: list[float], luck: list[float] | None = None, scale: Scale = POINTS) -> Bets:
    lucky = luck or [0.0] * len(scores)
    blocks = [Block((DealScore(score, share),)) for score, share in zip(scores, lucky, strict=True)]
    return bets(Observations.of(blocks), scale)


def after(scores: list[float], luck: list[float] | None = None, scale: Scale = POINTS) -> Interval:
    return estimate(placed(scores, luck, scale), scale)


def test_no_mean_is_excluded_before_the_first_block() -> None:
    assert after([]) == Interval(0.0, -40.0, 40.0)
    assert after([], scale=EQUITY) == Interval(0.0, -20.0, 20.0)


def test_the_interval_is_little_wider_than_one_for_a_single_look() -> None:
    scores = np.random.default_rng(1).normal(1.0, 10.0, 2000).clip(-40, 40)
    found = after(scores.tolist())
    assert found.value == pytest.approx(scores.mean(), abs=0.02)
    assert found.low <= 1.0 <= found.high
    assert found.high - found.low < 2 * 2 * 1.96 * 10 / 2000**0.5


def test_the_estimate_is_the_mean_of_the_scores() -> None:
    assert after([10.0, -4.0, 3.0]).value == pytest.approx(3.0)
    assert after([0.0] * 9 + [40.0]).value == pytest.approx(4.0), "nothing is clipped"
    assert after([0.0] * 20).value == 0.0


def test_a_block_with_a_lost_leg_keeps_the_bounds_from_closing_and_leaves_the_estimate() -> None:
    blocks = [Block((DealScore(score),)) for score in [4.0, 1.0] * 200]
    after_lost = [Block((DealScore(0.0),), lost=0.5), *blocks]
    whole, lost = (estimate(bets(Observations.of(some), POINTS), POINTS) for some in (blocks, after_lost))
    assert lost.value == whole.value
    assert lost.low < whole.low < whole.high < lost.high


@given(SCORES)
def test_an_interval_contains_its_estimate(scores: list[float]) -> None:
    found = after(scores)
    assert -40 <= found.low <= found.value <= found.high <= 40


@pytest.mark.parametrize("drift", [([30.0] * 200, [-30.0] * 180), ([-8.0] * 40, [1.0] * 3000), ([0.0] * 500, [25.0] * 300)])
def test_an_interval_contains_its_estimate_after_a_drift(drift: tuple[list[float], list[float]]) -> None:
    found = after([*drift[0], *drift[1]])
    assert found.low <= found.value <= found.high


@given(SCORES)
def test_negating_every_score_negates_the_interval(scores: list[float]) -> None:
    found, turned = after(scores), after([-score for score in scores])
    assert (found.value, found.low, found.high) == pytest.approx((-turned.value, -turned.high, -turned.low), abs=1e-6)


@given(st.lists(st.floats(-40, 40), min_size=20, max_size=80), st.sampled_from([0.025, 0.05, 0.001]))
def test_the_ends_are_the_means_against_which_the_wealth_was_ever_large_enough(scores: list[float], level: float) -> None:
    found = estimate(placed(scores), POINTS, (level, 0.05))
    ends: list[tuple[float, Direction, float]] = [(found.low, 1, level), (found.high, -1, 0.05)]
    for end, direction, wrong in ends:
        if abs(end) < 39.999:
            assert path(placed(scores), POINTS, end, direction).max() == pytest.approx(-np.log(wrong), abs=1e-5)


@given(SCORES, SCORES)
def test_no_later_block_takes_a_bound_back(scores: list[float], more: list[float]) -> None:
    before, now = after(scores), after([*scores, *more])
    if now.low < now.high:  # else the scores have drifted
        assert now.low >= before.low - 1e-6
        assert now.high <= before.high + 1e-6


@given(SCORES)
def test_a_verdict_and_the_bounds_beside_it_agree(scores: list[float]) -> None:
    for test in (SequentialTest(), SequentialTest(question=NOT_WEAKER, alpha=0.2, beta=0.3)):
        found = of_hands(test, [Block((DealScore(score),)) for score in scores], "points a hand")
        if found.difference and found.difference.low < found.difference.high:
            assert (found.verdict is Verdict.BETTER) <= (found.difference.low >= found.bounds[0])
            assert (found.verdict is Verdict.NOT_AS_GOOD) <= (found.difference.high <= found.bounds[1])
            assert (found.verdict is Verdict.CONTINUE) <= (found.difference.low < found.bounds[0])


@given(st.lists(st.tuples(st.floats(-40, 40), st.floats(-60, 60)), min_size=1, max_size=40), st.floats(-39, 39), st.floats(-39, 39))
def test_the_evidence_for_a_mean_above_m_falls_as_m_rises(played: list[tuple[float, float]], one: float, other: float) -> None:
    found = placed([score for score, _ in played], [luck for _, luck in played])
    low, high = sorted((one, other))
    assert (path(found, POINTS, low, 1) >= path(found, POINTS, high, 1) - 1e-9).all()
    assert (path(found, POINTS, low, -1) <= path(found, POINTS, high, -1) + 1e-9).all()


def test_luck_that_explains_a_part_of_the_scores_narrows_the_interval() -> None:
    chance = np.random.default_rng(2)
    luck = chance.normal(0, 12, 2000).clip(-50, 50)
    scores = (0.5 * luck + chance.normal(0, 6, 2000)).clip(-40, 40)
    plain, corrected = after(scores.tolist()), after(scores.tolist(), luck.tolist())
    assert corrected.high - corrected.low < 0.8 * (plain.high - plain.low)
