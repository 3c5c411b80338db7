"""Fits how a player chooses among alternatives: the conditional logit model (McFadden, 1974).

An alternative is chosen with a chance in proportion to exp(features * weights). The weights are the likeliest ones if they come
from a normal distribution around given ones, found by Newton's method; the likelihood is concave, so there is one maximum.
"""

import numpy as np
from msgspec import Struct

from arena.review.vectors import Floats, Ints

NEWTON_STEPS = 25
HALVINGS = 12  # of a step that does not raise the likelihood
IMPOSSIBLE = -1e9  # base of an alternative that cannot be chosen


class Choices(Struct, frozen=True, eq=False):
    """Choices that were made."""

    features: Floats  # (choices x alternatives x features)
    base: Floats  # (choices x alternatives) what is added to each alternative
    chosen: Ints  # number of the alternative

    def chances(self, weights: Floats) -> Floats:
        """Return the chance of each alternative."""
        utility = self.base + self.features @ weights
        odds = np.exp(utility - utility.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def likeliest(choices: Choices, before: Floats, spread: Floats) -> Floats:
    """Return the likeliest weights; ``before`` and ``spread`` are the means and standard deviations of their distribution."""
    weights, tight = before.copy(), 1 / spread**2

    def value(some: Floats) -> float:
        chances = choices.chances(some)[np.arange(len(choices.chosen)), choices.chosen]
        return float(np.log(np.maximum(chances, 1e-300)).sum() - (tight * (some - before) ** 2).sum() / 2)

    for _ in range(NEWTON_STEPS):
        step, now = _step(choices, weights, tight, weights - before), value(weights)
        for _ in range(HALVINGS):
            if value(weights + step) > now:
                break
            step = step / 2
        else:
            break
        weights = weights + step
    return weights


def _step(choices: Choices, weights: Floats, tight: Floats, away: Floats) -> Floats:
    """Return a step of Newton's method: the gradient by the inverse of the negative matrix of second derivatives."""
    chances, features = choices.chances(weights), choices.features
    mean = np.einsum("na,naf->nf", chances, features)
    actual = features[np.arange(len(features)), choices.chosen]
    gradient = (actual - mean).sum(axis=0) - tight * away
    curved = np.einsum("na,naf,nag->fg", chances, features, features) - mean.T @ mean + np.diag(tight)
    return np.asarray(np.linalg.solve(curved, gradient))
