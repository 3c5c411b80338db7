"""Fits how a player chooses among alternatives: the conditional logit model (McFadden, 1974).

An alternative is chosen with a chance in proportion to exp(features * weights). The weights are the likeliest ones if they come
from a normal distribution around given ones, found by Newton's method; the log likelihood is concave, so there is one maximum.
"""

import numpy as np
from msgspec import Struct

from arena.review.arrays import Floats, Ints

NEWTON_STEPS = 25
HALVINGS = 12  # of a step that does not raise the posterior
IMPOSSIBLE = -1e9  # base of an alternative that cannot be chosen


class Choices(Struct, frozen=True, eq=False):
    """Choices that were made."""

    features: Floats  # (choices x alternatives x features)
    base: Floats  # (choices x alternatives) constant part of the utility
    chosen: Ints  # number of the alternative

    def chances(self, weights: Floats) -> Floats:
        """Return the chance of each alternative (choices x alternatives)."""
        utility = self.base + self.features @ weights
        odds = np.exp(utility - utility.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def likeliest(choices: Choices, before: Floats, spread: Floats) -> Floats:
    """Return the weights of maximum posterior; ``before`` and ``spread`` are the means and standard deviations of the prior."""
    weights, precision = before.copy(), 1 / spread**2

    def log_posterior(some: Floats) -> float:
        chances = choices.chances(some)[np.arange(len(choices.chosen)), choices.chosen]
        return float(np.log(np.maximum(chances, 1e-300)).sum() - (precision * (some - before) ** 2).sum() / 2)

    for _ in range(NEWTON_STEPS):
        step, now = _newton_step(choices, weights, precision, weights - before), log_posterior(weights)
        for _ in range(HALVINGS):
            if log_posterior(weights + step) > now:
                break
            step = step / 2
        else:
            break
        weights = weights + step
    return weights


def _newton_step(choices: Choices, weights: Floats, precision: Floats, away: Floats) -> Floats:
    """Return a step of Newton's method; ``away`` is the distance of ``weights`` from the mean of the prior."""
    chances, features = choices.chances(weights), choices.features
    mean = np.einsum("na,naf->nf", chances, features)
    actual = features[np.arange(len(features)), choices.chosen]
    gradient = (actual - mean).sum(axis=0) - precision * away
    curvature = np.einsum("na,naf,nag->fg", chances, features, features) - mean.T @ mean + np.diag(precision)
    return np.asarray(np.linalg.solve(curvature, gradient))
