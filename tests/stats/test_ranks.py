import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arena.stats.comparisons import Array, Comparisons, single_matches
from arena.stats.fit import Fit, bradley_terry
from arena.stats.ranks import circles, nash_average, payoffs, rank_chances, residuals
from arena.stats.strengths import rank_interval


def league(wins: Array) -> tuple[Comparisons, Fit]:
    played = single_matches(wins, np.zeros_like(wins))
    return played, bradley_terry(played, 3.0, by_pair=False)


def transitive(size: int, matches: int, step: float) -> Array:
    """Return the wins that strengths ``step`` logits apart make on average."""
    strength = -step * np.arange(size)
    wins = matches / (1 + np.exp(strength[None, :] - strength[:, None]))
    np.fill_diagonal(wins, 0.0)
    return wins


def test_entrants_far_apart_hold_their_ranks_for_sure() -> None:
    chances = rank_chances(np.array([5.0, -5.0, 0.0]), np.eye(3) * 0.01)
    assert chances.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert [rank_interval(row) for row in chances] == [(1, 1), (3, 3), (2, 2)]


def test_equals_share_every_rank() -> None:
    chances = rank_chances(np.zeros(4), np.eye(4) - 0.25)
    assert chances == pytest.approx(np.full((4, 4), 0.25), abs=0.02)
    assert [rank_interval(row) for row in chances] == [(1, 4)] * 4


def test_the_chance_to_be_ahead_is_that_of_the_normal_distribution() -> None:
    chances = rank_chances(np.array([0.5, -0.5]), np.array([[0.25, -0.25], [-0.25, 0.25]]))
    assert chances[0, 0] == pytest.approx(0.8413, abs=0.01)  # one unit ahead with a standard error of one


@given(arrays(float, 5, elements=st.floats(-10, 10)))
def test_every_entrant_has_a_rank_and_every_rank_an_entrant(values: Array) -> None:
    chances = rank_chances(values, np.eye(5) - 0.2)
    assert chances.sum(axis=0) == pytest.approx(np.ones(5))
    assert chances.sum(axis=1) == pytest.approx(np.ones(5))
    assert (rank_chances(values, np.eye(5) - 0.2) == chances).all()


def test_a_league_that_follows_its_ratings_has_no_circles() -> None:
    played, fit = league(transitive(5, 400, 0.3))
    assert np.abs(residuals(played, fit)).max() < 0.1
    assert circles(played, fit).share == pytest.approx(0.0, abs=0.01)
    assert not circles(played, fit).warns


def test_a_ring_is_all_circle_and_warns() -> None:
    played, fit = league(np.array([[0.0, 90, 10], [10, 0, 90], [90, 10, 0]]))
    found = circles(played, fit)
    assert found.share is not None
    assert found.share > 0.9
    assert found.warns
    assert residuals(played, fit)[0, 1] == pytest.approx(8.0)  # 40 wins beyond 50, in standard deviations of 5


def test_luck_alone_does_not_warn() -> None:
    rng = np.random.default_rng(3)
    warnings = 0
    for _ in range(100):
        wins = np.triu(rng.binomial(40, 0.5, (6, 6)), 1).astype(float)
        played, fit = league(wins + np.tril(40 - wins.T, -1))
        warnings += circles(played, fit).warns
    assert warnings <= 12


def test_what_chance_leaves_over_is_not_called_a_circle() -> None:
    rng = np.random.default_rng(7)
    shares = []
    for _ in range(60):
        wins = np.triu(rng.binomial(40, transitive(6, 1, 0.3) + np.eye(6) / 2), 1).astype(float)
        played, fit = league(wins + np.tril(40 - wins.T, -1))
        shares.append(circles(played, fit).share or 0.0)
    assert np.median(shares) < 0.02


def test_a_field_that_never_met_has_nothing_to_tell() -> None:
    nothing = single_matches(np.zeros((3, 3)), np.zeros((3, 3)))
    fit = bradley_terry(nothing, 0.0, by_pair=False)
    assert circles(nothing, fit).share is None
    assert not residuals(nothing, fit).any()
    assert not payoffs(nothing, fit).any()
    assert circles(nothing, bradley_terry(nothing, 3.0, by_pair=False)).share is None


@pytest.mark.parametrize(
    ("payoff", "average"),
    [
        ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], [1 / 3, 1 / 3, 1 / 3]),
        ([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]], [1, 0, 0]),
        ([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], [0.5, 0.5, 0]),
        ([[0, 2, -1], [-2, 0, 1], [1, -1, 0]], [0.25, 0.25, 0.5]),
        ([[0, 2, -1, -1], [-2, 0, 1, 1], [1, -1, 0, 0], [1, -1, 0, 0]], [0.25, 0.25, 0.25, 0.25]),
        ([[0]], [1]),
        ([], []),
    ],
)
def test_known_games_have_their_known_nash_average(payoff: list[list[float]], average: list[float]) -> None:
    assert nash_average(np.array(payoff, dtype=float).reshape(len(payoff), len(payoff))) == pytest.approx(average, abs=1e-5)


@given(st.integers(1, 7).flatmap(lambda size: arrays(float, (size, size), elements=st.floats(-9, 9))))
def test_nobody_gains_against_the_nash_average(table: Array) -> None:
    payoff = table - table.T
    average = nash_average(payoff)
    assert average.sum() == pytest.approx(1.0)
    assert (average >= 0).all()
    assert (payoff @ average).max() <= 1e-4 * max(1.0, np.abs(payoff).max())
