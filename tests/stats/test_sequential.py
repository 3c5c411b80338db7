from math import log, log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.sequential import NOT_WEAKER, STRONGER, Question, SequentialTest, Verdict, Wealth

SCORES = st.lists(st.floats(-60, 60), max_size=60)


def after(scores: list[float], test: SequentialTest) -> SequentialTest:
    for score in scores:
        test = test.add(score)
    return test


def test_the_first_bet_is_sized_by_the_prior_variance() -> None:
    wealth = Wealth().add(10.0, STRONGER, 60.0)
    assert wealth.better == pytest.approx(log1p(0.5 / 150 * 10))
    assert wealth.worse == pytest.approx(log1p(-0.5 / 150 * 9.5))


def test_later_bets_are_sized_by_past_pairs_alone() -> None:
    wealth = Wealth().add(10.0, STRONGER, 60.0).add(-6.0, STRONGER, 60.0)
    assert wealth.squares == pytest.approx(128.0)  # 8 squared, twice
    assert wealth.better == pytest.approx(log1p(0.5 / 150 * 10) + log1p(0.5 / (3000 / 21) * -6))


def test_no_bet_stakes_more_than_nineteen_twentieths() -> None:
    wide = Question(0.0, 50.0)
    assert Wealth().add(-60.0, wide, 60.0).better == pytest.approx(log(0.05))
    assert Wealth().add(60.0, wide, 60.0).worse == pytest.approx(log(0.05))


@pytest.mark.parametrize(
    ("question", "score", "verdict"),
    [
        (STRONGER, 2.0, Verdict.BETTER),
        (STRONGER, -1.0, Verdict.NOT_AS_GOOD),
        (NOT_WEAKER, 1.0, Verdict.BETTER),
        (NOT_WEAKER, -2.0, Verdict.NOT_AS_GOOD),
    ],
)
def test_a_steady_score_is_soon_judged(question: Question, score: float, verdict: Verdict) -> None:
    test = after([score] * 2000, SequentialTest(question=question))
    assert test.verdict is verdict


def test_a_test_without_an_answer_goes_on_until_its_last_hand() -> None:
    test = after([0.25] * 4, SequentialTest(most_hands=10))
    assert (test.verdict, test.hands) == (Verdict.GOING_ON, 8)
    assert test.add(0.25).verdict is Verdict.UNDECIDED


def test_a_verdict_stays_whatever_follows() -> None:
    test = after([3.0] * 1000, SequentialTest())
    assert test.verdict is Verdict.BETTER
    assert after([-30.0] * 200, test).verdict is Verdict.BETTER


def test_luck_is_taken_off_one_of_the_two_wealths() -> None:
    test = SequentialTest().add(10.0, luck=10.0)
    assert test.plain == Wealth().add(10.0, STRONGER, 60.0)
    assert test.corrected == Wealth().add(1.5, STRONGER, 111.0)


@pytest.mark.parametrize(("score", "luck"), [(60.5, 0.0), (-61.0, 0.0), (0.0, 61.0), (float("nan"), 0.0)])
def test_a_score_beyond_its_bound_is_refused(score: float, luck: float) -> None:
    with pytest.raises(ValueError, match="at most"):
        SequentialTest().add(score, luck=luck)


@pytest.mark.parametrize("bounds", [(0.5, 0.0), (0.0, 0.0), (-61.0, 0.0), (0.0, float("nan"))])
def test_bounds_that_cannot_be_told_apart_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="the first below the second"):
        Question(*bounds)


@given(SCORES)
def test_turning_every_score_round_swaps_the_gamblers(scores: list[float]) -> None:
    there = after(scores, SequentialTest(question=STRONGER))
    back = after([-score for score in scores], SequentialTest(question=NOT_WEAKER))
    assert there.better == pytest.approx(back.worse)
    assert there.worse == pytest.approx(back.better)


@given(SCORES, SCORES)
def test_a_test_is_a_fold(first: list[float], then: list[float]) -> None:
    assert after(then, after(first, SequentialTest())) == after(first + then, SequentialTest())
