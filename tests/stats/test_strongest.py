"""Which entrants may be the strongest: seldom wrong at any look, and never taken back."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.matches.records import batch, match

from arena.records import MatchRecord
from arena.stats.comparisons import Array
from arena.stats.estimates import hand_points
from arena.stats.pairs import pairs
from arena.stats.ratings import BradleyTerry, PointsRating
from arena.stats.strongest import EVIDENCE, ScheduledPairs, StrongestSet, evidence, growth_needed

RUNS = 2000
NOISE = 2 * (0.05 * 0.95 / RUNS) ** 0.5


def equal_errors(size: int, error: float) -> Array:
    return np.asarray(error**2 * (np.eye(size) - 1 / size))


@pytest.mark.parametrize(("gap", "variance"), [(0.0, 1.0), (3.0, 0.7), (-2.0, 0.4), (5.0, 4.0)])
def test_the_evidence_is_the_mean_of_likelihood_ratios_over_gaps_above_zero(gap: float, variance: float) -> None:
    grid, step = np.linspace(0, 40, 400_001, retstep=True)
    prior = 2 * np.exp(-0.5 * (grid / 2.0) ** 2) / (2.0 * np.sqrt(2 * np.pi)) * step
    wanted = float(prior @ np.exp(grid * gap / variance - grid**2 / (2 * variance)))
    found = evidence((np.array([gap / 2, -gap / 2]), np.eye(2) * variance / 2), 2.0)
    assert found[1] == pytest.approx(wanted, rel=1e-3)


def test_the_evidence_against_an_entrant_is_the_mean_over_all_others() -> None:
    values, covariance = np.array([3.0, 1.0, 0.0, -4.0]), equal_errors(4, 1.0)
    each = [evidence((values[[one, 3]], covariance[np.ix_([one, 3], [one, 3])]), 2.0)[1] for one in range(3)]
    assert evidence((values, covariance), 2.0)[3] == pytest.approx(np.mean(each), rel=1e-6)


@pytest.mark.parametrize("ahead", [0.0, pytest.param(3.0, marks=pytest.mark.process)])
def test_of_equal_strongest_bots_none_goes_out_at_any_look_in_nineteen_of_twenty_fields(ahead: float) -> None:
    chance, wrong = np.random.default_rng(1), 0
    strengths = np.array([ahead, ahead, 0.0, 0.0])
    for _ in range(RUNS):
        left, results = StrongestSet(4, 2.0), chance.normal(strengths, 9.0, (30, 4)).cumsum(axis=0)
        for look in (1, 2, 4, 8, 12, 20, 30):
            left.look((results[look - 1] / look, np.eye(4) * 81 / look))
        wrong += not left.left[:2].all()
    assert wrong / RUNS <= 0.05 + NOISE


def test_a_bot_far_ahead_is_settled() -> None:
    left = StrongestSet(3, 2.0)
    left.look((np.array([9.0, 0.0, -1.0]), equal_errors(3, 1.0)))
    assert left.left.tolist() == [True, False, False]


@given(st.lists(st.lists(st.floats(-9, 9), min_size=3, max_size=3), min_size=1, max_size=6))
def test_what_is_out_stays_out_and_one_always_remains(looks: list[list[float]]) -> None:
    left, before = StrongestSet(3, 2.0), np.ones(3, bool)
    for values in looks:
        left.look((np.array(values), equal_errors(3, 0.8)))
        assert not (left.left & ~before).any()
        assert left.left.any()
        before = left.left.copy()


def test_the_growth_needed_is_that_after_which_the_evidence_is_enough() -> None:
    known = np.array([1.5, 0.0, -3.0]), equal_errors(3, 1.0)
    first, second, last = growth_needed(known, 2.0)
    assert np.isinf(first)
    assert 1 < last < second < 20
    for place, times in ((1, second), (2, last)):
        assert evidence((known[0], known[1] / times), 2.0)[place] >= EVIDENCE
        assert evidence((known[0], known[1] / (times / 2**0.25)), 2.0)[place] < EVIDENCE


def played(field: str, numbers: int, lead: int = 30) -> list[MatchRecord]:
    """Return pairs of batches of every two bots, in which the first of the field wins."""
    return [
        batch(*seats, [sign * (lead * (one == field[0]) + number % 5)], deals=f"{one}:{other}/{number}")
        for number in range(numbers)
        for one, other in combinations(field, 2)
        for seats, sign in (((one, other), 1), ((other, one), -1))
    ]


def looks(records: list[MatchRecord], field: str = "abc") -> list[float]:
    """Return the number of pairs that each look counts."""
    scheduled = ScheduledPairs(field, hand_points)
    for pair in pairs(records):
        scheduled.add(pair)
    return [float(table.pairs.sum() / 2) for table in scheduled.looks()]


def test_a_look_is_taken_after_pairs_that_all_have_played_at_numbers_that_do_not_depend_on_the_end() -> None:
    assert looks(played("abc", 12)) == [3.0 * count for count in range(1, 13)]
    assert looks(played("abc", 20))[-3:] == [48.0, 54.0, 60.0]
    assert looks(played("abc", 20))[:12] == looks(played("abc", 12))


def test_pairs_beyond_what_all_have_played_and_legs_alone_wait_for_a_later_look() -> None:
    whole = played("abc", 4)
    assert looks([record for record in whole if record.fixture.pair != "a:b/2"]) == [3.0, 6.0]
    assert looks([record for record in whole if record.fixture.id != whole[-1].fixture.id]) == [3.0, 6.0, 9.0]
    assert looks(whole, "abcd") == [], "the last bot has not played"


@pytest.mark.parametrize("rating", [PointsRating(), BradleyTerry()], ids=["points", "Elo"])
def test_a_rating_tells_who_may_be_the_strongest_whatever_the_order_of_play(rating: PointsRating | BradleyTerry) -> None:
    records = played("abc", 40)
    found = rating.rate_scheduled(records, "abc")
    assert [found[name].contends for name in "abc"] == [True, False, False]
    assert rating.rate_scheduled(records[::-1], "abc") == found
    assert rating.rate(records)["b"].contends is None, "results may decide who plays"


def test_what_was_settled_stays_settled_when_the_first_bot_loses_from_then_on() -> None:
    then, later = played("ab", 30), [record for record in played("ab", 90, lead=-30) if int(record.fixture.pair[4:]) >= 30]
    found = PointsRating().rate_scheduled([*then, *later], "ab")
    assert found["a"].value < found["b"].value
    assert [found[name].contends for name in "ab"] == [True, False]


def test_equal_bots_contend_and_need_more_play() -> None:
    records = [
        match(*seats, deals=f"a:b/{number}", winner=(number + leg) % 2)
        for number in range(30)
        for leg, seats in enumerate([("a", "b"), ("b", "a")])
    ]
    found = BradleyTerry().rate_scheduled(records, "ab")
    assert [(one.contends, one.out_after) for one in found.values()] == [(True, None)] * 2
