from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arena.stats.comparisons import Array, Comparisons, single_matches
from arena.stats.fit import Fit, bradley_terry
from arena.stats.rank_certainty import NonTransitivity, first_chances, non_transitivity, payoffs, rank_chances, residuals
from arena.stats.ranks import EQUAL, TAIL, WIDTHS, Kinship, PriorWidth, believe
from arena.stats.strengths import rank_interval


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
    whole, size = believe(values, covariance, np.full(len(values), 1 / len(values))).divisions[0], len(values)
    return first_chances(whole.draws(np.random.default_rng(1), 20_000, spread, size))


def range_of_first(values: Array, covariance: Array) -> Array:
    belief = believe(values, covariance, np.full(len(values), 1 / len(values)))
    return belief.range_of_first(first_chances(belief.draws()), range(len(values)))


@pytest.mark.parametrize("lead", [0.5, 2.0, 3.5])
def test_the_chance_to_be_first_gives_equal_bots_a_prior_chance_of_a_half(lead: float) -> None:
    # of two: their difference has the variance 2, and under a prior of width t the prior variance 2 t²
    widths = np.array([EQUAL, *WIDTHS])
    odds = np.array([0.5, *(0.5 * WIDTHS / (1 + WIDTHS**2) / (WIDTHS / (1 + WIDTHS**2)).sum())])
    total = 2 + 2 * widths**2
    weights = odds * np.exp(-0.5 * lead**2 / total) / np.sqrt(total)
    ahead = [NormalDist().cdf(lead * width / (2 + 2 * width**2) ** 0.5) for width in widths]
    assert first(np.array([lead / 2, -lead / 2]), np.eye(2), "learned")[0] == pytest.approx(
        weights @ ahead / weights.sum(), abs=0.01
    )


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


def test_of_two_equal_bots_ahead_of_others_none_is_called_the_strongest() -> None:
    """Two lead by three standard errors, one of them by chance by one more; with one prior for all it has a chance of 0.72."""
    values = np.array([3.0, 2.0, 0.4, 0.2, -0.1, -0.3, -0.6, -0.9])
    low, high = range_of_first(values, equal_errors(8, 1.0))[:, 0]
    assert low < 0.5 < high
    assert chances(values, equal_errors(8, 1.0))[0, 0] < 0.68


def test_a_bot_that_is_far_ahead_keeps_its_chance() -> None:
    values = np.array([8.0, 1.0, 0.4, 0.2, -0.1, -0.3, -0.6, -0.9])
    assert range_of_first(values, equal_errors(8, 1.0))[0, 0] > 0.95


def test_bots_without_a_rank_are_in_no_group_of_the_best() -> None:
    values, covariance = np.array([2.0, 1.9, 0.0, -0.1, -0.2]), equal_errors(5, 1.0)
    belief = believe(values, covariance, np.full(5, 0.2), competing=[0, 2, 3, 4])
    assert [len(one.groups[0].places) for one in belief.divisions] == [5, 2, 3]
    assert belief.divisions[1].groups[0].places == [0, 2]
    assert sum(one.weight for one in belief.divisions) == pytest.approx(1.0)


@pytest.mark.process
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
    assert non_transitivity(played, fit).share == 0.0
    assert not non_transitivity(played, fit).warns


def test_a_cycle_is_non_transitive_and_warns() -> None:
    played, fit = league(np.array([[0.0, 90, 10], [10, 0, 90], [90, 10, 0]]))
    found = non_transitivity(played, fit)
    assert found.share is not None
    assert found.share > 0.9
    assert found.warns
    assert residuals(played, fit)[0, 1] == pytest.approx(8.0)  # 40 wins beyond 50, in standard deviations of 5


def test_the_non_transitive_share_is_that_of_the_squares_beyond_chance() -> None:
    wins = np.array([[0.0, 35, 20, 36], [5, 0, 28, 0], [20, 12, 0, 28], [4, 0, 12, 0]])
    played, fit = league(wins)
    residual = total = 0.0
    for one, other in ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3)):
        matches = wins[one, other] + wins[other, one]
        chance = 1 / (1 + np.exp(fit.values[other] - fit.values[one]))
        surplus, information = wins[one, other] - matches * chance, matches * chance * (1 - chance)
        residual += surplus**2 / information
        total += (fit.values[one] - fit.values[other] + surplus / information) ** 2 * information
    found = non_transitivity(played, fit)
    assert found.degrees_of_freedom == 2
    assert found.chi_square == pytest.approx(residual)
    assert found.share == pytest.approx((residual - 2) / (total - 5))


@pytest.mark.parametrize("unsure", [(0.05, 1000.0, 3), (None, 1000.0, 3), (0.5, 1000.0, 0)])
def test_a_small_share_or_one_that_nothing_can_show_does_not_warn(unsure: tuple[float | None, float, int]) -> None:
    assert not NonTransitivity(*unsure).warns


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
    assert (non_transitivity(nothing, fit).share, non_transitivity(nothing, fit).degrees_of_freedom) == (None, 0)
    assert not residuals(nothing, fit).any()
    assert not payoffs(nothing, fit).any()


def test_bots_that_draw_every_pair_have_no_share_and_no_warning() -> None:
    pairs = 20.0 * (np.ones((5, 5)) - np.eye(5))
    drawn = Comparisons(2 * pairs, pairs, 4 * pairs, 2 * pairs, pairs, pairs)
    fit = fitted(drawn, by_pair=True)
    found = non_transitivity(drawn, fit)
    assert (found.share, found.warns) == (None, False)


def test_strengths_have_the_posterior_that_bayes_theorem_gives_for_the_widths_of_their_prior() -> None:
    y = np.array([1.0, 0.2, -0.4, -0.8])
    covariance = np.diag([0.1, 0.3, 0.2, 0.4]) + 0.05
    found, size = believe(y, covariance, np.full(4, 1 / 4)), len(y)
    logs, means, variances = np.empty(len(WIDTHS)), np.empty((len(WIDTHS), size)), np.empty((len(WIDTHS), size))
    for at, width in enumerate(WIDTHS):
        total = covariance + np.median(np.diag(covariance)) * width**2 * np.eye(size)
        inverse = np.linalg.inv(total)
        precision = inverse.sum()  # of the centre of the prior, of which nothing is known before
        left, gain = y - (inverse @ y).sum() / precision, covariance @ inverse
        means[at] = y - gain @ left
        variances[at] = np.diag(covariance - gain @ covariance) + gain.sum(axis=1) ** 2 / precision
        logs[at] = -0.5 * (np.linalg.slogdet(total)[1] + np.log(precision) + left @ inverse @ left)
    weights = np.exp(logs - logs.max()) * WIDTHS / (1 + WIDTHS**2)  # half-Cauchy, over a grid of logarithms
    weights /= weights.sum()
    shift = y.mean() - (weights @ means).mean()
    assert found.values == pytest.approx(weights @ means + shift)
    assert found.errors == pytest.approx(np.sqrt(weights @ (variances + means**2) - (weights @ means) ** 2))

    def below(end: float, place: int) -> float:
        each = zip(weights, means[:, place] + shift, variances[:, place], strict=True)
        return sum(float(weight) * NormalDist(mean, variance**0.5).cdf(end) for weight, mean, variance in each)

    for place, half in enumerate(1.96 * np.sqrt(np.diag(covariance))):  # an interval contains that of the results alone
        assert below(found.low[place], place) == pytest.approx(min(TAIL, below(y[place] - half, place)), abs=1e-6)
        assert below(found.high[place], place) == pytest.approx(max(1 - TAIL, below(y[place] + half, place)), abs=1e-6)


def test_links_condition_on_the_posterior_of_each_difference() -> None:
    y, covariance = np.array([1.0, -0.5, 0.2]), np.array([[0.5, 0.1, 0.0], [0.1, 0.3, 0.05], [0.0, 0.05, 0.2]])
    links = [Kinship(0, 1, 0.4, 0.3, carries=True), Kinship(1, 2, 0.4, 0.3, carries=True)]
    found = believe(y, covariance, np.full(3, 1 / 3), links=links).measured
    # by quadrature: no difference with a chance of 0.3, or a normal one with one of four widths
    grid, step = np.linspace(-20, 20, 40_001, retstep=True)
    prior = sum(0.7 / 4 * np.exp(-0.5 * (grid / wide) ** 2) / (wide * np.sqrt(2 * np.pi)) for wide in (0.2, 0.4, 0.8, 1.6))
    prior[len(grid) // 2] += 0.3 / step
    for one, other in ((0, 1), (1, 2)):
        along = covariance[:, one] - covariance[:, other]
        variance = along[one] - along[other]
        posterior = prior * np.exp(-0.5 * (y[one] - y[other] - grid) ** 2 / variance)
        mean, square = (grid @ posterior) / posterior.sum(), (grid**2 @ posterior) / posterior.sum()
        y = y + along / variance * (mean - (y[one] - y[other]))
        covariance = covariance + np.outer(along, along) / variance**2 * (square - mean**2 - variance)
    assert found == pytest.approx(y, abs=1e-4)


@pytest.mark.parametrize(("gap", "groups"), [(3.9, 1), (4.1, 2)])
def test_a_gap_of_four_standard_errors_splits_a_field(gap: float, groups: int) -> None:
    alike = np.array([[1.0, 0.5], [0.5, 1.0]])  # the error of the difference is 1
    assert len(believe(np.array([gap, 0.0]), alike, np.full(2, 0.5)).divisions[0].groups) == groups


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_results_carry_over_a_link_in_any_unit(scale: float) -> None:
    values, covariance = np.array([1.0, -1.0]) * scale, np.array([[1.0, -1.0], [-1.0, 1.0]]) * scale**2
    link = Kinship(0, 1, 0.5 * scale, 0.9, carries=True)
    measured = believe(values, covariance, np.full(2, 0.5), links=[link]).measured
    assert 0 < measured[0] - measured[1] < 0.5 * (values[0] - values[1])
