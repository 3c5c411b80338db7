"""Draws of the true strengths of a field, given its estimated ratings and their covariance.

The best of several near-equal estimates is mostly lucky, so chances of a rank that come from the estimates alone are too certain.
Therefore strengths have a common prior whose width is learned from the same field: a wide one where the bots differ by more than
the errors, a narrow one where they do not, and then the draws are pulled together. The prior has the tails of a Cauchy
distribution, so that a bot far away from the others hardly widens it.

The model: r_i ~ Normal(m, tau^2 L_i), L_i ~ InverseGamma(1/2, 1/2); tau ~ half-Cauchy, with the median error of the ratings as its
scale, so that the share by which a normal field is pulled together is about uniform beforehand; estimates ~ Normal(r, covariance)
up to a common constant, so that m needs no step of its own. It is sampled by Gibbs' method in many parallel chains. tau is the
product of two numbers with a step each, because chains with one number hardly leave small values of it.

Sources: Daniels (1999), A prior for the variance in hierarchical models; Gelman (2006), Prior distributions for variance parameters
in hierarchical models; Liu and Wu (1999), Parameter expansion for data augmentation.
"""

import numpy as np

from arena.stats.comparisons import Array

CHAINS = 400
STEPS = 60  # of each chain
BURN_IN = 10  # of these, at the start, are left out
DRAWS = CHAINS * (STEPS - BURN_IN)  # a probability is accurate to 0.7 %
FREEDOM = 1.0  # of Student's t: 1 is Cauchy's distribution
SEED = 20_000  # fixed, so that the same records give the same report
RIDGE = 1e-10  # relative; keeps a matrix positive definite where no prior is felt


def draw(values: Array, covariance: Array) -> Array:
    """Return ``DRAWS`` draws of the strengths of a field, one in each row; only differences within a row have a meaning."""
    scale = float(np.median(np.sqrt(np.diag(covariance))))
    if not scale:  # a single entrant
        return np.tile(values, (DRAWS, 1))
    return scale * np.concatenate(_Chains(values / scale, _inverse(covariance / scale**2)).run())


def _inverse(covariance: Array) -> Array:
    """Return the inverse of a covariance on the space on which it is not zero, and zero elsewhere."""
    variances, axes = np.linalg.eigh(covariance)
    known = variances > RIDGE * max(float(variances.max()), 1e-300)
    return np.asarray((axes[:, known] / variances[known]) @ axes[:, known].T)


class _Chains:
    """The state of all chains: strengths are ``factor`` x ``raw``, and raw_i has the prior variance ``width`` x ``tails_i``."""

    def __init__(self, values: Array, precision: Array) -> None:
        self._size = len(values)
        self._precision = precision
        self._pull = precision @ values
        self._chance = np.random.default_rng(SEED)
        self._raw = np.tile(values - np.median(values), (CHAINS, 1))
        self._factor = np.ones((CHAINS, 1))
        self._width = np.ones((CHAINS, 1))
        self._tails = 1 + self._raw**2

    def run(self) -> list[Array]:
        """Return the strengths in all chains after each step that counts."""
        kept = []
        for step in range(STEPS):
            self._step()
            if step >= BURN_IN:
                kept.append(self._factor * self._raw)
        return kept

    def _step(self) -> None:
        self._raw = self._drawn_raw()
        self._factor = self._drawn_factor()
        squares = self._raw**2
        self._width = self._inverse_gamma(1 + self._size, 1 + (squares / self._tails).sum(axis=1, keepdims=True))
        self._tails = self._inverse_gamma(FREEDOM + 1, FREEDOM + squares / self._width)

    def _drawn_raw(self) -> Array:
        prior = 1 / (self._width * self._tails)
        prior += RIDGE * (prior + self._factor**2 * np.diag(self._precision)).max(axis=1, keepdims=True)
        matrix = self._factor[:, :, None] ** 2 * self._precision + prior[:, :, None] * np.eye(self._size)
        lower = np.linalg.cholesky(matrix)
        noise = self._chance.standard_normal((CHAINS, self._size, 1))
        pulled = np.linalg.solve(lower, (self._factor * self._pull)[:, :, None])
        return np.asarray(np.linalg.solve(lower.transpose(0, 2, 1), pulled + noise)[:, :, 0])

    def _drawn_factor(self) -> Array:
        precision = 1 + ((self._raw @ self._precision) * self._raw).sum(axis=1, keepdims=True)
        mean = (self._raw @ self._pull)[:, None] / precision
        return np.asarray(mean + self._chance.standard_normal((CHAINS, 1)) / np.sqrt(precision))

    def _inverse_gamma(self, freedom: float, squares: Array) -> Array:
        """Return draws of a variance with this many degrees of freedom and sum of squares."""
        return np.asarray(squares / self._chance.chisquare(freedom, squares.shape))
