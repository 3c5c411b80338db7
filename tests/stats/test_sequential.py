import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.sequential.betting import NOT_WEAKER, STRONGER, Question, SequentialTest, Verdict
from arena.stats.sequential.observations import Block, DealScore

SCORES = st.lists(st.floats(-60, 60), max_size=60)


def after(scores: list[float], test: SequentialTest) -> SequentialTest:
    for score in scores:
        test = test.add(Block((DealScore(score),)))
    return test


@pytest.mark.parametrize(
    ("question", "score", "verdict"),
    [
        (STRONGER, 2.0, Verdict.BETTER),
        (STRONGER, -1.0, Verdict.NOT_AS_GOOD),
        (NOT_WEAKER, 1.0, Verdict.BETTER),
        (NOT_WEAKER, -2.0, Verdict.NOT_AS_GOOD),
    ],
)
def test_a_constant_score_leads_to_a_verdict(question: Question, score: float, verdict: Verdict) -> None:
    assert after([score] * 2000, SequentialTest.start(question)).verdict is verdict


def test_an_undecided_test_continues_until_its_limit_of_hands() -> None:
    test = after([0.25] * 4, SequentialTest.start(most_hands=10))
    assert (test.verdict, test.hands) == (Verdict.CONTINUE, 8)
    assert after([0.25], test).verdict is Verdict.UNDECIDED


def test_a_verdict_is_final() -> None:
    test = after([3.0] * 1000, SequentialTest.start())
    assert test.verdict is Verdict.BETTER
    assert after([-30.0] * 200, test) == test


def test_a_test_until_its_limit_is_judged_once() -> None:
    test = SequentialTest.start(NOT_WEAKER, most_hands=1000, until="limit")
    assert after([20.0] * 499, test).verdict is Verdict.CONTINUE
    assert after([20.0, 20.0, -20.0] * 167, test).verdict is Verdict.BETTER
    assert after([-20.0, -20.0, 20.0] * 167, test).verdict is Verdict.NOT_AS_GOOD
    assert after([5.0, -5.5] * 250, test).verdict is Verdict.UNDECIDED


def test_at_its_limit_the_larger_evidence_decides() -> None:
    rng = np.random.default_rng(1)
    for mean, verdict in ((-0.1, Verdict.BETTER), (-0.4, Verdict.NOT_AS_GOOD)):
        scores = rng.normal(0, 1, 2000)
        test = after((scores - scores.mean() + mean).tolist(), SequentialTest.start(NOT_WEAKER, most_hands=4000, until="limit"))
        assert min(test.better, test.worse) > np.log(20)
        assert test.verdict is verdict


def test_blocks_further_from_the_bounds_than_the_clip_are_counted() -> None:
    test = after([26.0, 25.0, -26.0, 24.0], SequentialTest.start(Question(-1.0, 1.0)))
    assert (test.beyond, test.past.blocks) == (2, 4)


@pytest.mark.parametrize("bounds", [(0.5, 0.0), (0.0, 0.0), (-61.0, 0.0), (0.0, float("nan"))])
def test_invalid_bounds_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="the first below the second"):
        Question(*bounds)


@given(SCORES)
def test_negating_every_score_swaps_the_two_bettors(scores: list[float]) -> None:
    there = after(scores, SequentialTest.start(STRONGER))
    back = after([-score for score in scores], SequentialTest.start(NOT_WEAKER))
    assert there.better == pytest.approx(back.worse)
    assert there.worse == pytest.approx(back.better)


@given(SCORES, SCORES)
def test_a_test_can_be_continued_from_any_state(first: list[float], then: list[float]) -> None:
    assert after(then, after(first, SequentialTest.start())) == after(first + then, SequentialTest.start())
