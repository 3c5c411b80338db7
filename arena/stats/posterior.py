"""Draws of the true strengths of a field, given its estimated ratings and their covariance.

The best of several near-equal estimates is mostly lucky, so chances of a rank that come from the estimates alone are too certain.
Therefore strengths have a common prior whose width is learned from the same field: a wide one where the bots differ by more than
the errors, a narrow one where they do not, and then the draws are pulled together. The prior has the tails of a Cauchy
distribution, so that a bot far away from the others hardly widens it.

The model: r_i ~ Normal(m, tau^2 L_i), L_i ~ InverseGamma(1/2, 1/2); tau ~ half-Cauchy, with the median error of the ratings as its
scale, so that the share by which a normal field is pulled together is about uniform beforehand; estimates ~ Normal(r, covariance)
up to a common constant, so that m needs no step of its own. It is sampled by Gibbs' method in many parallel chains. tau is the
product of two numbers with a step each, because chains with one number hardly leave small values of it.

A step draws from a normal distribution with a precision matrix of its own in each chain. A small field factors them. The time for
that grows with the cube of the field, so in a large one each draw is the solution of a linear equation with random numbers of this
precision on its right side, found by conjugate gradients: a few products with one matrix, which all chains share.

Sources: Daniels (1999), A prior for the variance in hierarchical models; Gelman (2006), Prior distributions for variance parameters
in hierarchical models; Liu and Wu (1999), Parameter expansion for data augmentation; Papandreou and Yuille (2010), Gaussian
sampling by local perturbations; Hestenes and Stiefel (1952), Methods of conjugate gradients for solving linear systems.
"""

from collections.abc import Callable

import numpy as np

from arena.stats.comparisons import Array

CHAINS = 400
STEPS = 60  # of each chain
BURN_IN = 10  # of these, at the start, are left out
DRAWS = CHAINS * (STEPS - BURN_IN)  # of a small field; a probability is accurate to 0.7 %
LARGE = 64  # entrants; in a larger field nothing is factored
LARGE_CHAINS = 100  # in a large field, where a probability is accurate to 1.4 %
FREEDOM = 1.0  # of Student's t: 1 is Cauchy's distribution
SEED = 20_000  # fixed, so that the same records give the same report
RIDGE = 1e-10  # relative; keeps a matrix positive definite where no prior is felt
EXACT = 1e-6  # relative residual at which a linear equation is solved
TINY = 1e-300  # keeps a division by zero away, where a chain is solved already
ROUNDS = 200  # of conjugate gradients at most; about 15 are needed


def draw(values: Array, covariance: Array) -> Array:
    """Return draws of the strengths of a field, one in each row; only differences within a row have a meaning."""
    scale = float(np.median(np.sqrt(np.diag(covariance))))
    if not scale:  # a single entrant
        return np.tile(values, (DRAWS, 1))
    chains = _Chains if len(values) <= LARGE else _ManyEntrants
    return scale * np.concatenate(chains(values / scale, _root(covariance / scale**2)).run())


def _root(covariance: Array) -> Array:
    """Return R with R R' the inverse of a covariance on the space on which it is not zero, and zero elsewhere."""
    variances, axes = np.linalg.eigh(covariance)
    known = variances > RIDGE * max(float(variances.max()), 1e-300)
    return np.asarray(axes[:, known] / np.sqrt(variances[known]))


class _Chains:
    """The state of all chains: strengths are ``factor`` x ``raw``, and raw_i has the prior variance ``width`` x ``tails_i``."""

    count = CHAINS

    def __init__(self, values: Array, root: Array) -> None:
        self._size = len(values)
        self._root = root
        self._precision = root @ root.T
        self._pull = self._precision @ values
        self._chance = np.random.default_rng(SEED)
        self._raw = np.tile(values - np.median(values), (self.count, 1))
        self._factor = np.ones((self.count, 1))
        self._width = np.ones((self.count, 1))
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
        return self._drawn_normal(prior)

    def _drawn_normal(self, prior: Array) -> Array:
        """Return a draw of each chain: normal, with the precision A = ``factor``^2 P + ``prior``, and the mean A^-1 b."""
        matrix = self._factor[:, :, None] ** 2 * self._precision + prior[:, :, None] * np.eye(self._size)
        noise = np.linalg.cholesky(matrix) @ self._noise()[:, :, None]
        return np.asarray(np.linalg.solve(matrix, (self._factor * self._pull)[:, :, None] + noise)[:, :, 0])

    def _noise(self) -> Array:
        return self._chance.standard_normal((self.count, self._size))

    def _drawn_factor(self) -> Array:
        precision = 1 + ((self._raw @ self._precision) * self._raw).sum(axis=1, keepdims=True)
        mean = (self._raw @ self._pull)[:, None] / precision
        return np.asarray(mean + self._chance.standard_normal((self.count, 1)) / np.sqrt(precision))

    def _inverse_gamma(self, freedom: float, squares: Array) -> Array:
        """Return draws of a variance with this many degrees of freedom and sum of squares."""
        return np.asarray(squares / self._chance.chisquare(freedom, squares.shape))


class _ManyEntrants(_Chains):
    """Chains that factor nothing."""

    count = LARGE_CHAINS

    def _drawn_normal(self, prior: Array) -> Array:
        square, diagonal = self._factor**2, np.diag(self._precision)
        known = self._pull + self._chance.standard_normal((self.count, self._root.shape[1])) @ self._root.T
        right = self._factor * known + np.sqrt(prior) * self._noise()
        return solved(lambda x: square * (x @ self._precision) + prior * x, square * diagonal + prior, right, self._raw)


def solved(product: Callable[[Array], Array], diagonal: Array, right: Array, start: Array) -> Array:
    """Return the solution of A x = right in each row, by conjugate gradients from ``start``.

    ``product`` returns A x, row by row; ``diagonal`` is that of each A.
    """
    x = start
    left = right - product(x)
    direction = better = left / diagonal
    size = _dot(left, better)
    enough = EXACT**2 * _dot(right, right / diagonal)
    for _ in range(ROUNDS):
        if (size <= enough).all():
            break
        along = product(direction)
        step = size / np.maximum(_dot(direction, along), TINY)
        x, left = x + step * direction, left - step * along
        better, before = left / diagonal, size
        size = _dot(left, better)
        direction = better + size / np.maximum(before, TINY) * direction
    return x


def _dot(one: Array, other: Array) -> Array:
    return np.asarray((one * other).sum(axis=1, keepdims=True))
