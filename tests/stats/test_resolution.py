"""The resolution of a schedule, before it is played."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from arena.stats.resolution import HAND_VARIANCE, Z_95, Scatter, elo, head_to_head, resistance, resolution, scatter
from arena.stats.scales import POINTS


def league(size: int, each: float) -> dict[tuple[str, str], float]:
    return dict.fromkeys(combinations([f"bot{number:02}" for number in range(size)], 2), each)


@pytest.mark.parametrize(("size", "matches", "difference"), [(2, 816, 20), (8, 204, 20), (2, 130, 50), (8, 33, 50), (2, 32, 100)])
def test_matches_resolve_known_differences_in_elo(size: int, matches: int, difference: float) -> None:
    resolved = resolution({}, league(size, matches), 150.0)
    assert resolved.elo == pytest.approx(difference, rel=0.03)


@pytest.mark.parametrize("matches", [4.0, 30.0, 1000.0])
def test_the_share_of_matches_that_is_resolved_has_its_own_variance(matches: float) -> None:
    resolved = resolution({}, league(2, matches), 150.0).elo
    assert resolved is not None
    share = 1 / (1 + 10 ** (-resolved / 400))
    assert share - 0.5 == pytest.approx(Z_95 * sqrt(share * (1 - share) / matches))


@pytest.mark.parametrize("size", [2, 3, 8, 20])
def test_a_league_compares_two_bots_as_well_as_half_its_size_of_their_pairings(size: int) -> None:
    assert resistance(league(size, 10.0)) == pytest.approx(2 / (size * 10))


def test_a_resolved_difference_is_ranked_right_95_times_in_100() -> None:
    pairs, variance = 400, 150.0
    resolved = resolution({("a", "b"): pairs}, {}, variance).points
    assert resolved is not None
    means = np.random.default_rng(1).normal(resolved, sqrt(variance / pairs), 20_000)
    assert (means > 0).mean() == pytest.approx(0.95, abs=0.006)


def test_the_ends_of_a_chain_are_compared_worst() -> None:
    assert resistance({("a", "b"): 1.0, ("b", "c"): 0.5}) == pytest.approx(3.0)


def test_bots_that_never_meet_cannot_be_compared() -> None:
    assert resistance({("a", "b"): 1.0, ("c", "d"): 1.0}) is None
    assert resistance({}) is None
    assert resolution({("a", "b"): 1.0, ("c", "d"): 1.0}, {}, 1.0).points is None


def test_elo_is_the_logistic_of_the_share_of_wins() -> None:
    assert elo(0.0) == 0
    assert elo(0.0288) == pytest.approx(20, rel=0.01)
    assert elo(0.5 * 9 / 11) == pytest.approx(400)


def test_half_the_difference_costs_four_times_as_much() -> None:
    assert head_to_head(0.5, 150.0) == pytest.approx(2 * 150 * (Z_95 / 0.5) ** 2, abs=2)
    assert head_to_head(1.0, 150.0) == 812, "the next even number after 2 x 150 x 1.6449²"
    assert head_to_head(0.25, 150.0) == pytest.approx(4 * head_to_head(0.5, 150.0), rel=0.001)


def test_the_scatter_goes_from_the_prior_to_that_of_the_scores() -> None:
    assert scatter([], []) == Scatter(POINTS.variance, HAND_VARIANCE)
    assert scatter([], [("ab", 1.0), ("ab", 3.0), ("ac", 7.0)]).hand == (20 * HAND_VARIANCE + 2) / 21
    chance = np.random.default_rng(2)
    scores = [("ab", value) for value in chance.normal(3, 7, 5000)] + [("ac", value) for value in chance.normal(-9, 7, 5000)]
    assert scatter(scores, []).pair == pytest.approx(49, rel=0.05)


def test_hands_without_a_partner_scatter_as_two_single_hands() -> None:
    noise = Scatter(pair=100.0, hand=600.0)
    assert noise.of(matches=False) == 100
    assert noise.of(matches=True) == pytest.approx(0.83 * 100 + 0.17 * 300)
