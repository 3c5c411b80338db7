from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.confidence import ConfidenceSequence, Interval


def after(scores: list[float]) -> list[Interval]:
    sequence, looks = ConfidenceSequence.start(), []
    for score in scores:
        sequence = sequence.add(score)
        looks.append(sequence.interval)
    return looks


def test_nothing_is_ruled_out_before_the_first_pair() -> None:
    assert ConfidenceSequence.start().interval == Interval(-60.0, 60.0)


def test_the_interval_closes_around_the_mean_and_never_opens() -> None:
    looks = after(np.random.default_rng(1).normal(1.0, 10.0, 2000).clip(-60, 60).tolist())
    assert all(new.low >= old.low and new.high <= old.high for old, new in pairwise(looks))
    assert looks[-1].low <= 1.0 <= looks[-1].high
    assert looks[-1].high - looks[-1].low < 4 * 1.96 * 10 / 2000**0.5


@given(st.lists(st.floats(-60, 60), max_size=30))
def test_an_interval_is_one_whatever_is_scored(scores: list[float]) -> None:
    assert all(-60 <= look.low < look.high <= 60 for look in after(scores))


@given(st.lists(st.floats(-60, 60), max_size=30))
def test_turning_every_score_round_turns_the_interval_round(scores: list[float]) -> None:
    turned = [Interval(-look.high, -look.low) for look in after([-score for score in scores])]
    assert [(look.low, look.high) for look in after(scores)] == [pytest.approx((look.low, look.high)) for look in turned]


def test_luck_that_explains_the_scores_narrows_the_interval() -> None:
    luck = np.random.default_rng(2).normal(0, 12, 500).clip(-50, 50)
    plain = told = ConfidenceSequence.start()
    for draw in luck.tolist():
        plain, told = plain.add(draw), told.add(draw, luck=draw)
    assert told.interval.high - told.interval.low < 0.7 * (plain.interval.high - plain.interval.low)
