"""Ratings from paired comparisons: arrays in, arrays out.

Two models. *Bradley-Terry* (1952): the chance that i beats j is 1 / (1 + exp(r_j - r_i)); maximum a posteriori under a Gaussian
prior, by Newton. *Least squares*: i scores r_i - r_j points a hand against j on average, weighted by hands. Both live on the
space where ratings add up to nought.

Errors are clustered by pair, for the two legs of a pair share their deals: the sandwich (White 1980; Liang and Zeger 1986) with
one residual for each pair. A pairing with few pairs borrows from the others: its scatter is drawn towards that of the whole
field. Where the whole field has few, errors are those of independent matches or hands, which mirrored deals can only better.
"""

from enum import StrEnum

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.field import Groups, components

STEPS = 200  # Newton needs five to ten; halved steps a few more
HALVINGS = tuple(0.5**times for times in range(40))
NEAR = 1e-8  # of log likelihood still to be gained: the next step is the last, and as good as exact
FEW = 20  # spare pairs: with fewer, scatter is no measure of error
BORROWED = 5  # pairs' worth of the whole field's scatter in each pairing's
DEVIATION = 33.0  # points: the greatest standard deviation of a hand between any two bots that was measured


class State(StrEnum):
    """What can be said of a field."""

    OK = "ok"
    EMPTY = "empty"  # nobody
    SINGLE = "single"  # one entrant: nobody to compare it with
    DISCONNECTED = "disconnected"  # parts of the field never met
    UNBOUNDED = "unbounded"  # somebody, or a group, never lost or never won: no finite rating is the likeliest
    PERFECT = "perfect"  # likewise, but a prior keeps the ratings finite


class Fit(Struct, frozen=True):
    """Ratings that add up to nought, and how sure they are."""

    state: State
    groups: Groups  # the parts that cannot be compared with each other; one, if all is well
    values: Array | None = None  # None: there is no answer; the state says why
    covariance: Array | None = None  # None: likewise
    expected: Array | None = None  # what i scores against j by these ratings: a chance, or points a hand
    information: Array | None = None  # how fast that score, times its weight, grows with the rating of i
    noise: Array | None = None  # the variance of that score times its weight

    @property
    def errors(self) -> Array | None:
        """Return the standard error of each rating."""
        return None if self.covariance is None else np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def bradley_terry(played: Comparisons, prior: float, *, by_pair: bool) -> Fit:
    """Return ratings in logits; ``prior`` is the standard deviation of strength beforehand, 0 for none.

    ``by_pair`` takes errors from the scatter of pairs; without it, each match is taken to be independent.
    """
    state, groups = _can_be_rated(played, prior)
    if state is State.EMPTY or (not prior and state in {State.DISCONNECTED, State.UNBOUNDED}):
        return Fit(state, groups)
    ridge = 1 / prior**2 if prior else 0.0
    values = _newton(played, ridge)
    chance = logistic(values[:, None] - values[None, :])
    information = played.weight * chance * (1 - chance)
    noise = _noise(played, chance, information) if by_pair else information
    return Fit(state, groups, values, sandwich(information, noise, ridge), chance, information, noise)


def least_squares(played: Comparisons) -> Fit:
    """Return ratings in points a hand."""
    groups = components(_met(played))
    if len(groups) != 1:
        return Fit(State.DISCONNECTED if groups else State.EMPTY, groups)
    values = _on_sum_zero(laplacian(played.weight)) @ played.score.sum(axis=1)
    expected = values[:, None] - values[None, :]
    noise = _noise(played, expected, played.weight * DEVIATION**2)
    state = State.OK if played.size > 1 else State.SINGLE
    return Fit(state, groups, values, sandwich(played.weight, noise, 0.0), expected, played.weight, noise)


def logistic(logits: Array) -> Array:
    """Return 1 / (1 + exp(-x)), which never overflows this way."""
    return np.asarray(0.5 * (1 + np.tanh(logits / 2)))


def laplacian(weights: Array) -> Array:
    """Return the sum over every two entrants of weight x (e_i - e_j)(e_i - e_j)'."""
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def sandwich(information: Array, noise: Array, ridge: float) -> Array:
    """Return A^-1 (B + ridge) A^-1 on the sum-zero space, A being information + ridge; with B = information that is A^-1."""
    identity = ridge * np.eye(len(information))
    bread = _on_sum_zero(laplacian(information) + identity)
    return np.asarray(bread @ (laplacian(noise) + identity) @ bread)


def _noise(played: Comparisons, expected: Array, independent: Array) -> Array:
    """Return the variance of the score of every two entrants, from the scatter of their pairs and of all pairs."""
    if played.spare < FEW:
        return independent
    scatter = played.scatter(expected) * (1 + (played.size - 1) / played.spare)  # the ratings took their share of it
    dispersion = scatter.sum() / independent.sum()
    own = played.pairs / (played.pairs + BORROWED)
    return np.asarray(own * scatter + (1 - own) * dispersion * independent)


def _can_be_rated(played: Comparisons, prior: float) -> tuple[State, Groups]:
    """Return what Ford's condition says of the field, and its parts."""
    met = components(_met(played))
    if len(met) != 1:
        return (State.DISCONNECTED if met else State.EMPTY), met
    if played.size == 1:
        return State.SINGLE, met
    better = components([set(np.flatnonzero(column).tolist()) for column in played.score.T])
    if len(better) == 1:
        return State.OK, met
    return (State.PERFECT if prior else State.UNBOUNDED), better


def _met(played: Comparisons) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) for row in played.weight]


def _newton(played: Comparisons, ridge: float) -> Array:
    """Return the logits of greatest posterior. It is concave, so Newton's step leads uphill; it is halved until it does."""
    values = np.zeros(played.size)
    for _ in range(STEPS):
        chance = logistic(values[:, None] - values[None, :])
        slope = (played.score - played.weight * chance).sum(axis=1) - ridge * values
        curvature = laplacian(played.weight * chance * (1 - chance)) + ridge * np.eye(played.size)
        step = _on_sum_zero(curvature) @ slope
        if slope @ step < NEAR:
            return np.asarray(values + step)
        values = _uphill(played, values, step, ridge)
    return values


def _uphill(played: Comparisons, values: Array, step: Array, ridge: float) -> Array:
    """Return where the longest of ever shorter steps leads that leads uphill."""
    here = _height(played, values, ridge)
    tries = (values + part * step for part in HALVINGS)
    return next((there for there in tries if _height(played, there, ridge) > here), values + step)


def _height(played: Comparisons, values: Array, ridge: float) -> float:
    """Return the log posterior, up to a constant."""
    missed = np.logaddexp(0.0, values[None, :] - values[:, None])  # minus the log of the chance that i beats j
    return float(-(played.score * missed).sum() - ridge * (values**2).sum() / 2)


def _on_sum_zero(matrix: Array) -> Array:
    """Return the inverse of a symmetric matrix on the vectors that add up to nought, and nought elsewhere."""
    size = len(matrix)
    centre = np.eye(size) - 1 / size
    along = max(1.0, float(np.trace(matrix))) / size**2  # as heavy as the rest, so that the inverse is a good one
    return np.asarray(centre @ np.linalg.inv(centre @ matrix @ centre + along) @ centre)
