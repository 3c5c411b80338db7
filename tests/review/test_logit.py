"""How a player chooses is found from its choices."""

import numpy as np

from arena.review.arrays import Floats
from arena.review.logit import IMPOSSIBLE, Choices, likeliest

WEIGHTS = np.array([1.5, -0.7, 0.0])
WIDE = np.full(3, 10.0)


def made(count: int, weights: Floats) -> Choices:
    """Return choices among four alternatives, of which the last cannot be chosen."""
    random = np.random.default_rng(7)
    features, base = random.normal(size=(count, 4, 3)), np.tile([0.0, 0.0, 0.0, IMPOSSIBLE], (count, 1))
    chances = Choices(features, base, np.zeros(count, np.int64)).chances(weights)
    return Choices(features, base, (chances.cumsum(axis=1) < random.random((count, 1))).sum(axis=1))


def test_many_choices_show_the_weights() -> None:
    assert np.abs(likeliest(made(4000, WEIGHTS), np.zeros(3), WIDE) - WEIGHTS).max() < 0.1


def test_without_choices_the_weights_are_those_believed_before() -> None:
    assert likeliest(made(0, WEIGHTS), WEIGHTS, WIDE).tolist() == WEIGHTS.tolist()


def test_few_choices_change_a_firm_belief_little() -> None:
    assert np.abs(likeliest(made(20, WEIGHTS), -WEIGHTS, np.full(3, 0.01)) + WEIGHTS).max() < 0.01


def test_a_player_that_never_errs_has_large_but_finite_weights() -> None:
    always = likeliest(made(400, 1000 * WEIGHTS), np.zeros(3), np.full(3, 3.0))
    assert 3 < always[0] < 30
