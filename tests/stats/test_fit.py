import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.comparisons import Array, Comparisons, single_matches
from arena.stats.fit import MatchFit, State, bradley_terry, least_squares

ELO = 400 / np.log(10)


def rated(wins: list[list[float]], prior: float = 0.0) -> MatchFit:
    table = np.array(wins, dtype=float).reshape(len(wins), len(wins))
    return bradley_terry(single_matches(table, np.zeros_like(table)), prior, by_pair=False)


def values(found: MatchFit) -> Array:
    assert found.fit
    return found.fit.values


def errors(found: MatchFit) -> Array:
    assert found.fit
    return found.fit.errors


def test_a_known_field_has_the_known_ratings() -> None:
    fit = rated([[0, 60, 75], [40, 0, 62], [25, 38, 0]])
    assert values(fit) * ELO == pytest.approx([86.20, 4.94, -91.14], abs=0.005)
    assert fit.state is State.OK


def test_two_players_are_as_far_apart_as_the_log_of_their_odds() -> None:
    fit = rated([[0, 30], [10, 0]])
    assert values(fit)[0] - values(fit)[1] == pytest.approx(np.log(3))
    assert errors(fit)[0] == pytest.approx(np.sqrt(1 / 30 + 1 / 10) / 2)


def test_plausible_errors_are_those_half_way_to_equal_strengths() -> None:
    fit = rated([[0, 30], [10, 0]])
    chance = np.sqrt(3) / (1 + np.sqrt(3))
    assert fit.fit
    assert fit.fit.plausible is not None
    assert 4 * fit.fit.plausible[0, 0] == pytest.approx(1 / (40 * chance * (1 - chance)))


def test_a_draw_counts_half_a_win_for_each() -> None:
    drawn = bradley_terry(single_matches(np.array([[0.0, 20], [0, 0]]), np.array([[0.0, 20], [20, 0]])), 0, by_pair=False)
    won = rated([[0, 30], [10, 0]])
    assert values(drawn) == pytest.approx(values(won))


@pytest.mark.parametrize(
    ("wins", "state", "parts"),
    [
        ([], State.EMPTY, 0),
        ([[0]], State.SINGLE, 1),
        ([[0, 0], [0, 0]], State.DISCONNECTED, 2),
        ([[0, 5, 0, 0], [3, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]], State.DISCONNECTED, 2),
        ([[0, 5], [0, 0]], State.UNBOUNDED, 2),
        ([[0, 3, 5], [4, 0, 6], [0, 0, 0]], State.UNBOUNDED, 2),
    ],
)
def test_the_state_says_why_a_field_has_no_rating(wins: list[list[float]], state: State, parts: int) -> None:
    fit = rated(wins)
    assert (fit.state, len(fit.groups)) == (state, parts)
    assert (fit.fit is None) == (state is not State.SINGLE)


def test_a_prior_keeps_unbeaten_ratings_finite_and_the_state_says_so() -> None:
    fit = rated([[0, 50], [0, 0]], prior=3.0)
    assert fit.state is State.PERFECT
    assert 500 < values(fit)[0] * ELO * 2 < 2000
    assert errors(fit)[0] > 0.5


def test_a_prior_is_a_normal_distribution_of_each_strength() -> None:
    fit, precision = rated([[0, 30], [10, 0]], prior=0.5), 4.0
    strength = values(fit)[0]
    chance = 1 / (1 + np.exp(-2 * strength))
    assert 30 - 40 * chance == pytest.approx(precision * strength)  # the slope of the log posterior is zero
    assert errors(fit)[0] ** 2 == pytest.approx(1 / (2 * (2 * 40 * chance * (1 - chance) + precision)))


def test_a_prior_hardly_moves_the_others() -> None:
    field: list[list[float]] = [[0, 60, 75], [40, 0, 62], [25, 38, 0]]
    assert values(rated(field, prior=3.0)) * ELO == pytest.approx(values(rated(field)) * ELO, abs=1.0)


def test_very_unequal_fields_are_rated() -> None:
    fit = rated([[0, 1e9, 0], [1, 0, 1e9], [0, 1, 0]])
    assert values(fit) == pytest.approx([np.log(1e9), 0, -np.log(1e9)], rel=1e-6, abs=1e-6)


COUNTS = st.integers(2, 5).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 1000), min_size=size, max_size=size), min_size=size, max_size=size)
)


def hollow(counts: list[list[int]]) -> Array:
    table = np.array(counts, dtype=float)
    np.fill_diagonal(table, 0.0)
    return table


@given(COUNTS, st.sampled_from([0.0, 0.5, 3.0]))
def test_ratings_are_finite_and_sum_to_zero_or_are_refused(counts: list[list[int]], prior: float) -> None:
    table = hollow(counts)
    found = bradley_terry(single_matches(table, np.zeros_like(table)), prior, by_pair=False)
    if found.fit is None:
        assert prior == 0
        assert found.state in {State.DISCONNECTED, State.UNBOUNDED}
    else:
        assert np.isfinite(found.fit.values).all()
        assert np.isfinite(found.fit.errors).all()
        assert found.fit.values.sum() == pytest.approx(0.0, abs=1e-6)


@given(COUNTS)
def test_expected_scores_sum_to_the_actual_scores(counts: list[list[int]]) -> None:
    played = single_matches(hollow(counts), np.zeros((len(counts), len(counts))))
    if fit := bradley_terry(played, 0.0, by_pair=False).fit:
        assert (played.weight * fit.expected).sum(axis=1) == pytest.approx(played.score.sum(axis=1), rel=1e-6, abs=1e-6)


@given(COUNTS)
def test_reversing_every_result_negates_the_ratings(counts: list[list[int]]) -> None:
    table = hollow(counts)
    one = bradley_terry(single_matches(table, np.zeros_like(table)), 3.0, by_pair=False)
    two = bradley_terry(single_matches(table.T, np.zeros_like(table)), 3.0, by_pair=False)
    assert values(one) == pytest.approx(-values(two), abs=1e-7)


def mirrored(rng: np.random.Generator, strength: Array, pairs: int, luck: float) -> Comparisons:
    """Return a league whose two legs share their luck, with opposite sign."""
    size = len(strength)
    sums = np.zeros((6, size, size))
    for i in range(size):
        for j in range(i):
            deal = rng.normal(0, luck, pairs)
            edge = strength[i] - strength[j]
            wins = (edge + deal + rng.normal(size=pairs) > 0).astype(float) + (edge - deal + rng.normal(size=pairs) > 0)
            for row, column, won in ((i, j, wins), (j, i, 2 - wins)):
                sums[:, row, column] = [2 * pairs, won.sum(), 4 * pairs, 2 * won.sum(), (won**2).sum(), pairs]
    return Comparisons(*sums)


@pytest.mark.slow
@pytest.mark.parametrize("luck", [0.0, 2.0])
def test_intervals_by_pair_have_their_coverage(luck: float) -> None:
    rng = np.random.default_rng(6)
    strength = np.array([0.6, 0.3, 0.1, 0.0, -0.3, -0.7])
    truth = values(bradley_terry(mirrored(rng, strength, 200_000, luck), 0.0, by_pair=True))
    fits = [bradley_terry(mirrored(rng, strength, 10, luck), 3.0, by_pair=True) for _ in range(300)]
    inside = np.mean([np.abs(values(fit) - truth) <= 1.96 * errors(fit) for fit in fits])
    alone = np.mean([errors(bradley_terry(mirrored(rng, strength, 10, luck), 3.0, by_pair=False)).mean() for _ in range(20)])
    assert 0.93 <= inside <= 0.97
    assert np.mean([errors(fit).mean() for fit in fits]) < alone * (0.75 if luck else 1.1)


def two(nets: Array) -> Comparisons:
    """Return pairs of 10 hands between two bots, with the net points of the first."""
    count, score, square = len(nets), nets.sum(), (nets**2).sum()
    sums = [(10 * count,) * 2, (score, -score), (100 * count,) * 2, (10 * score, -10 * score), (square,) * 2, (count,) * 2]
    return Comparisons(*np.array([[[0, a], [b, 0.0]] for a, b in sums]))


def test_the_error_of_a_difference_of_two_bots_is_that_of_the_mean_of_their_pairs() -> None:
    nets = np.round(np.random.default_rng(1).normal(20, 90, 21))  # one less has the errors of independent hands
    fit = least_squares(two(nets))
    assert fit.values[0] - fit.values[1] == pytest.approx(nets.mean() / 10)
    assert 2 * fit.errors[0] == pytest.approx(nets.std(ddof=1) / 10 / np.sqrt(21))
    assert 2 * least_squares(two(nets[:20])).errors[0] == pytest.approx(33 / np.sqrt(200))


def test_a_link_counts_as_hands_of_score_zero() -> None:
    nets, variance = np.round(np.random.default_rng(1).normal(60, 90, 25)), 4.0

    def scatter(difference: float) -> float:
        return float(((nets - 10 * difference) ** 2).sum()) * 25 / 24

    hand = scatter(nets.sum() / (250 + 33**2 / variance)) / 250  # the variance of a hand
    difference = nets.sum() / (250 + hand / variance)
    fit = least_squares(two(nets), np.array([[0.0, 1 / variance], [1 / variance, 0.0]]))
    assert fit.values[0] - fit.values[1] == pytest.approx(difference)
    error = np.sqrt(scatter(difference) + hand**2 / variance) / (250 + hand / variance)
    assert 2 * fit.errors[0] == pytest.approx(error)


def test_pairs_that_all_end_alike_have_three_exceptions_in_their_variance() -> None:
    alike, differing = two(np.full(30, 7.0)), two(np.array([7.0] * 29 + [8.0]))
    assert (alike.alike, differing.alike) == (True, False)
    assert 2 * least_squares(alike).errors[0] == pytest.approx(33 * np.sqrt(3 / 30 / 300))


def test_points_of_two_bots_are_the_weighted_mean() -> None:
    sums = [(40, 40), (60, -60), (800, 800), (1200, -1200), (5000, 5000), (2, 2)]
    table = Comparisons(*np.array([[[0, a], [b, 0.0]] for a, b in sums]))
    fit = least_squares(table)
    assert fit.values == pytest.approx([0.75, -0.75])
    assert fit.errors[0] == pytest.approx(33 / np.sqrt(40) / 2)  # few pairs: those of independent hands
