import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arena.stats.estimates import rank_interval
from arena.stats.fit import Array, Comparisons, Fit, bradley_terry, single_matches
from arena.stats.ranks import (
    KinLink,
    NonTransitivity,
    PriorWidth,
    believe,
    chances_ahead,
    first_chances,
    non_transitivity,
    payoffs,
    rank_chances,
    residuals,
)


def league(wins: Array) -> tuple[Comparisons, Fit]:
    played = single_matches(wins, np.zeros_like(wins))
    return played, fitted(played)


def fitted(played: Comparisons, *, by_pair: bool = False) -> Fit:
    found = bradley_terry(played, 3.0, by_pair=by_pair).fit
    assert found
    return found


def transitive(size: int, matches: int, step: float) -> Array:
    """Return the mean wins of entrants whose strengths are ``step`` logits apart."""
    strength = -step * np.arange(size)
    wins = matches / (1 + np.exp(strength[None, :] - strength[:, None]))
    np.fill_diagonal(wins, 0.0)
    return wins


def drawn(values: Array, covariance: Array) -> Array:
    return believe(values, covariance, np.full(len(values), 1 / len(values))).draws()


def chances(values: Array, covariance: Array) -> Array:
    return rank_chances(drawn(values, covariance))


def equal_errors(size: int, error: float) -> Array:
    """Return the covariance of ratings that sum to zero."""
    return np.asarray(error**2 * (np.eye(size) - 1 / size))


def test_entrants_far_apart_have_certain_ranks() -> None:
    found = chances(np.array([5.0, -5.0, 0.0]), equal_errors(3, 0.1))
    assert found.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert [rank_interval(row) for row in found] == [(1, 1), (3, 3), (2, 2)]


def test_equal_entrants_share_every_rank() -> None:
    found = chances(np.zeros(4), equal_errors(4, 1.0))
    assert found == pytest.approx(np.full((4, 4), 0.25), abs=0.02)
    assert [rank_interval(row) for row in found] == [(1, 4)] * 4


def test_the_leader_of_near_equals_is_less_certain_than_its_rating_alone_says() -> None:
    # one standard error of a difference ahead: 0.76 to be ahead by the estimates alone
    found = chances(np.array([0.5, -0.5]), equal_errors(2, 1.0))
    assert 0.52 < found[0, 0] < 0.73


def first(values: Array, covariance: Array, spread: PriorWidth) -> Array:
    return first_chances(believe(values, covariance, np.full(len(values), 1 / len(values))).draws(spread))


def test_where_bots_may_be_equal_the_range_of_a_chance_begins_with_that_of_equal_ones() -> None:
    values, covariance = np.array([1.0, 0.0, 0.0, -1.0]), equal_errors(4, 1.0)
    least, learned, most = (first(values, covariance, spread)[0] for spread in ("least", "learned", "most"))
    assert least == pytest.approx(0.25, abs=0.02)
    assert least < learned < most


def test_the_range_of_a_chance_ends_with_that_of_the_errors_alone() -> None:
    # 1 / sqrt(2) standard errors of a difference
    assert first(np.array([0.5, -0.5]), equal_errors(2, 1.0), "most")[0] == pytest.approx(0.76, abs=0.01)


def test_the_range_of_a_chance_is_narrow_where_bots_are_far_apart() -> None:
    for spread in ("least", "most"):
        assert first(np.array([5.0, -5.0, 0.0]), equal_errors(3, 0.1), spread).tolist() == [1, 0, 0]


def test_a_bot_far_away_hardly_changes_the_chances_of_the_others() -> None:
    alone = chances(np.array([0.4, 0.0, -0.4]), equal_errors(3, 1.0))
    among = chances(np.array([20.4, 20.0, 19.6, -60.0]), equal_errors(4, 1.0))
    assert among[3, 3] == 1.0
    assert among[0, 0] == pytest.approx(alone[0, 0], abs=0.12)


def test_the_chances_to_be_ahead_of_each_other_sum_to_one() -> None:
    ahead = chances_ahead(drawn(np.array([0.5, 0.0, -0.5]), equal_errors(3, 1.0)), range(3))
    assert ahead + ahead.T + np.eye(3) == pytest.approx(np.ones((3, 3)))
    assert ahead[0, 2] > ahead[0, 1] > 0.5


@given(arrays(float, 5, elements=st.floats(-10, 10)))
@settings(max_examples=20)
def test_every_entrant_has_a_rank_and_every_rank_an_entrant(values: Array) -> None:
    found = chances(values, equal_errors(5, 1.0))
    assert found.sum(axis=0) == pytest.approx(np.ones(5))
    assert found.sum(axis=1) == pytest.approx(np.ones(5))
    assert (chances(values, equal_errors(5, 1.0)) == found).all()


def test_a_league_that_follows_its_ratings_is_transitive() -> None:
    played, fit = league(transitive(5, 400, 0.3))
    assert np.abs(residuals(played, fit)).max() < 0.1
    assert non_transitivity(played, fit).share == pytest.approx(0.0, abs=0.01)
    assert not non_transitivity(played, fit).warns


def test_a_cycle_is_non_transitive_and_warns() -> None:
    played, fit = league(np.array([[0.0, 90, 10], [10, 0, 90], [90, 10, 0]]))
    found = non_transitivity(played, fit)
    assert found.share is not None
    assert found.share > 0.9
    assert found.warns
    assert residuals(played, fit)[0, 1] == pytest.approx(8.0)  # 40 wins beyond 50, in standard deviations of 5


def test_chance_alone_does_not_warn() -> None:
    rng = np.random.default_rng(3)
    warnings = 0
    for _ in range(100):
        wins = np.triu(rng.binomial(40, 0.5, (6, 6)), 1).astype(float)
        played, fit = league(wins + np.tril(40 - wins.T, -1))
        warnings += non_transitivity(played, fit).warns
    assert warnings <= 12


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 3.841), (3, 7.815), (10, 18.307), (30, 43.773)])  # of chi-square, 95 %
def test_a_warning_needs_the_five_percent_level(degrees: int, quantile: float) -> None:
    assert not NonTransitivity(0.5, 0.97 * quantile, degrees).warns
    assert NonTransitivity(0.5, 1.01 * quantile, degrees).warns


def test_residuals_by_chance_are_not_counted_as_non_transitive() -> None:
    rng = np.random.default_rng(7)
    shares = []
    for _ in range(60):
        wins = np.triu(rng.binomial(40, transitive(6, 1, 0.3) + np.eye(6) / 2), 1).astype(float)
        played, fit = league(wins + np.tril(40 - wins.T, -1))
        shares.append(non_transitivity(played, fit).share or 0.0)
    assert np.median(shares) < 0.02


def test_a_field_that_never_met_has_no_share_and_no_residuals() -> None:
    nothing = single_matches(np.zeros((3, 3)), np.zeros((3, 3)))
    fit = fitted(nothing)
    assert non_transitivity(nothing, fit).share is None
    assert not residuals(nothing, fit).any()
    assert not payoffs(nothing, fit).any()


def test_bots_that_draw_every_pair_have_no_share_and_no_warning() -> None:
    pairs = 20.0 * (np.ones((5, 5)) - np.eye(5))
    drawn = Comparisons(2 * pairs, pairs, 4 * pairs, 2 * pairs, pairs, pairs)
    fit = fitted(drawn, by_pair=True)
    found = non_transitivity(drawn, fit)
    assert (found.share, found.warns) == (None, False)


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_results_carry_over_a_link_in_any_unit(scale: float) -> None:
    values, covariance = np.array([1.0, -1.0]) * scale, np.array([[1.0, -1.0], [-1.0, 1.0]]) * scale**2
    link = KinLink(0, 1, 0.5 * scale, 0.9, carries=True)
    measured = believe(values, covariance, np.full(2, 0.5), links=[link]).measured
    assert 0 < measured[0] - measured[1] < 0.5 * (values[0] - values[1])
