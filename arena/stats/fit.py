"""Ratings from paired comparisons: arrays in, arrays out.

There are two models. *Bradley-Terry* (1952): the chance that i beats j is 1 / (1 + exp(r_j - r_i)); the estimate is maximum a
posteriori under a Gaussian prior, found by Newton's method. *Least squares*: i scores r_i - r_j points a hand against j on
average, weighted by hands. In both the ratings sum to zero.

Standard errors are clustered by pair, because the two legs of a pair share their deals: the sandwich estimator (White 1980; Liang
and Zeger 1986) with one residual for each pair. Intervals of 95 % by the bare sandwich covered only 0.76 to 0.92 in small fields,
so the scatter of a pairing with few pairs is shrunk towards that of the whole field; coverage is then 0.946 to 0.962. If the whole
field has few pairs, matches or hands are taken as independent, which overstates the error of mirrored deals.

Where several pairings play the same deals, their pairs are not independent: :mod:`arena.stats.shared_deals` adds the covariances.

Pairs that all end alike have no scatter, but that does not prove that the next pair will end so: after n independent pairs without
an exception, up to 3 / n of all pairs may be exceptions (the rule of three; Hanley and Lippman-Hand 1983). So with n pairs in the
whole field, the variance is never less than 3 / n of that of independent matches or hands.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.components import Groups, components, parts
from arena.stats.shared_deals import deal_noise

STEPS = 200  # Newton's method needs five to ten, and a few more where steps are halved
HALVINGS = tuple(0.5**times for times in range(40))
TOLERANCE = 1e-8  # Newton decrement squared, twice the expected gain of log posterior, below which a step is the last
FEW = 20  # degrees of freedom below which the scatter of pairs does not measure the error
SHRINKAGE = 5  # pairs: the weight of the whole field's scatter in that of each pairing
SHRINKAGE_OF_MATCHES = 50  # of these the chances to win tell most of it; two bots with the same score have the same error
EXCEPTIONS = 3  # pairs: how many may be exceptions where none was seen, at 95 %
DEVIATION = 33.0  # points: the largest standard deviation of a hand measured between any two bots


class State(StrEnum):
    """The state of a field: whether ratings exist, and why not."""

    OK = "ok"
    EMPTY = "empty"  # no entrants
    SINGLE = "single"  # one entrant
    DISCONNECTED = "disconnected"  # parts of the field never met
    UNBOUNDED = "unbounded"  # an entrant or group never lost or never won: maximum likelihood is infinite
    PERFECT = "perfect"  # as unbounded, but a prior keeps the ratings finite


class Fit(Struct, frozen=True):
    """Ratings that sum to zero, with their covariance."""

    values: Array
    covariance: Array
    expected: Array  # expected score of i against j: a chance, or points a hand
    information: Array  # derivative of weight x expected score by the rating of i
    noise: Array  # variance of the sum of scores of i against j
    plausible: Array | None = None  # covariance for strengths nearer to equal than the ratings; None: as ``covariance``

    @property
    def errors(self) -> Array:
        """Return the standard error of each rating."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))


class MatchFit(Struct, frozen=True):
    """The state of a field, and its ratings by matches."""

    state: State
    groups: Groups  # parts that cannot be compared with each other, or only by the prior; one if the state is ok
    fit: Fit | None = None  # None: there is no estimate; the state says why


class PairNoise(NamedTuple):
    """The variance of the scores between every two entrants."""

    each: Array  # of the sum of scores of every two
    common: Array | float = 0.0  # covariances of different pairs on the same deals, as a matrix over the entrants


def bradley_terry(played: Comparisons, prior: float, *, by_pair: bool, links: Array | None = None) -> MatchFit:
    """Return ratings in logits; ``prior`` is the standard deviation of the prior in logits, 0 for none.

    With ``by_pair`` standard errors come from the scatter of pairs; without it, matches are taken as independent. ``links`` has
    prior knowledge of the difference of every two: 1 / its variance, symmetric, 0 where there is none; the state and the
    groups of the fit do not depend on it.
    """
    state, groups = _state_of_field(played, prior)
    if state is State.EMPTY or (not prior and state in {State.DISCONNECTED, State.UNBOUNDED}):
        return MatchFit(state, groups)
    ridge = 1 / prior**2 if prior else 0.0
    known = np.asarray(ridge * np.eye(played.size) + (0.0 if links is None else laplacian(links)))  # precision of the prior
    values = _newton(played, known)
    chance = logistic(_differences(values))
    information = played.weight * chance * (1 - chance)
    bread = inverse_on_sum_zero(laplacian(information) + known)
    unit = chance * (1 - chance)
    noise = _noise(played, chance, information, unit, bread, SHRINKAGE_OF_MATCHES) if by_pair else PairNoise(information)
    covariance = sandwich(bread, laplacian(noise.each) + noise.common + known)
    plausible = _plausible(played, values, noise, information, known)
    return MatchFit(state, groups, Fit(values, covariance, chance, information, noise.each, plausible))


def _plausible(played: Comparisons, values: Array, noise: PairNoise, information: Array, known: Array) -> Array:
    """Return the covariance with the information half-way between the ratings and equal strengths.

    After a lopsided score the log likelihood is nearly flat at the ratings and steep towards equality: 0-12 is 4.1 standard errors
    from equality by its likelihood ratio, 2.1 by the information at the ratings and 4.6 by that half-way.
    """
    chance = logistic(_differences(values) / 2)
    half_way = played.weight * chance * (1 - chance)
    dispersion = np.divide(noise.each, information, out=np.ones_like(half_way), where=information > 0)
    # the covariance of two pairs is proportional to the product of their information (arena.stats.shared_deals)
    growth = half_way.sum() / max(float(information.sum()), 1e-300)
    meat = laplacian(dispersion * half_way) + noise.common * growth**2 + known
    return sandwich(inverse_on_sum_zero(laplacian(half_way) + known), meat)


def least_squares(played: Comparisons, links: Array | None = None) -> Fit:
    """Return ratings in points a hand of a field that results connect, or ``links``.

    These are as for :func:`bradley_terry`, in 1 / points squared.
    """
    known, known_noise = np.zeros_like(played.weight), np.zeros_like(played.weight)
    if links is not None and links.any():
        # a link counts as a number of hands between both: the variance of a hand, divided by that of the link
        variance = _variance_of_a_hand(played, DEVIATION**2 * links)
        known, known_noise = variance * links, variance**2 * links
    bread = inverse_on_sum_zero(laplacian(played.weight + known))
    values = np.asarray(bread @ played.score.sum(axis=1))
    noise = _noise(played, _differences(values), played.weight * DEVIATION**2, np.ones_like(bread), bread, SHRINKAGE)
    covariance = sandwich(bread, laplacian(noise.each + known_noise) + noise.common)
    return Fit(values, covariance, _differences(values), played.weight, noise.each)


def _variance_of_a_hand(played: Comparisons, known: Array) -> float:
    """Return the variance of a hand from the scatter of pairs around the ratings, with ``known`` hands of score 0 for every two."""
    values = np.linalg.solve(_regularize(laplacian(played.weight + known)), played.score.sum(axis=1))
    noise = _of_pairs(
        played, _differences(values), played.weight * DEVIATION**2, _inflation(played), _own_weight(played, SHRINKAGE)
    )
    return float(noise.sum() / played.weight.sum())


def _differences(values: Array) -> Array:
    return np.asarray(values[:, None] - values[None, :])


def logistic(logits: Array) -> Array:
    """Return 1 / (1 + exp(-x)), in a form that cannot overflow."""
    return np.asarray(0.5 * (1 + np.tanh(logits / 2)))


def laplacian(weights: Array) -> Array:
    """Return the graph Laplacian: the sum over every two entrants of weight x (e_i - e_j)(e_i - e_j)'."""
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def sandwich(bread: Array, meat: Array) -> Array:
    """Return the covariance bread x meat x bread; ``bread`` is the inverse of the information, ``meat`` its variance."""
    return np.asarray(bread @ meat @ bread)


def _noise(played: Comparisons, expected: Array, independent: Array, unit: Array, bread: Array, shrinkage: float) -> PairNoise:
    """Return the variance of the scores: that of every two entrants is shrunk from their own scatter towards that of all.

    ``independent`` is the variance if matches or hands are independent, ``unit`` the information of one unit of weight, ``bread``
    the inverse of the information on the ratings.
    """
    own = _own_weight(played, shrinkage)
    if not played.shared or played.spare < FEW:
        return PairNoise(_of_pairs(played, expected, independent, _inflation(played), own))
    inflation, common = deal_noise(played.shared, expected, unit, bread, own)
    return PairNoise(_of_pairs(played, expected, independent, inflation, own), common)


def _of_pairs(played: Comparisons, expected: Array, independent: Array, inflation: float, own: Array) -> Array:
    """Return the variance of the scores of every two entrants.

    ``inflation`` is the factor from the scatter of pairs to it, ``own`` the weight of the own scatter of every two.
    """
    if played.spare < FEW:
        return independent
    scatter = played.scatter(expected) * inflation
    dispersion = scatter.sum() / independent.sum()
    shrunk = own * scatter + (1 - own) * dispersion * independent
    least = EXCEPTIONS / max(float(played.pairs.sum()) / 2, EXCEPTIONS)  # share of the variance that the pairs cannot exclude
    return np.asarray(np.maximum(shrunk, least * independent))


def _own_weight(played: Comparisons, shrinkage: float) -> Array:
    """Return the weight of the own scatter of every pairing, from 0 to 1."""
    return np.asarray(played.pairs / (played.pairs + shrinkage))


def _inflation(played: Comparisons) -> float:
    """Return the correction for the degrees of freedom that the ratings have used: fitting them made the residuals smaller."""
    return 1 + (played.size - 1) / max(played.spare, 1)


def _state_of_field(played: Comparisons, prior: float) -> tuple[State, Groups]:
    """Return the state of the field by Ford's condition, and its groups."""
    met = parts(neighbours(played.weight))
    if len(met) != 1:
        return (State.DISCONNECTED if met else State.EMPTY), met
    if played.size == 1:
        return State.SINGLE, met
    better = components([set(np.flatnonzero(column).tolist()) for column in played.score.T])
    if len(better) == 1:
        return State.OK, met
    return (State.PERFECT if prior else State.UNBOUNDED), better


def neighbours(weight: Array) -> list[set[int]]:
    """Return for each entrant those with which it has results."""
    return [set(np.flatnonzero(row).tolist()) for row in weight]


def _newton(played: Comparisons, known: Array) -> Array:
    """Return the logits of maximum posterior by Newton's method; a step that does not increase the posterior is halved."""
    values = np.zeros(played.size)
    for _ in range(STEPS):
        chance = logistic(_differences(values))
        slope = (played.score - played.weight * chance).sum(axis=1) - known @ values
        curvature = laplacian(played.weight * chance * (1 - chance)) + known
        step = inverse_on_sum_zero(curvature) @ slope
        if slope @ step < TOLERANCE:
            return np.asarray(values + step)
        values = _halve_until_better(played, values, step, known)
    return values


def _halve_until_better(played: Comparisons, values: Array, step: Array, known: Array) -> Array:
    """Return the point after the longest halved step that increases the log posterior; after the whole step, if none does."""
    before = _log_posterior(played, values, known)
    points = (values + part * step for part in HALVINGS)
    return next((point for point in points if _log_posterior(played, point, known) > before), values + step)


def _log_posterior(played: Comparisons, values: Array, known: Array) -> float:
    """Return the log posterior, up to a constant."""
    surprise = np.logaddexp(0.0, values[None, :] - values[:, None])  # minus the log of the chance that i beats j
    return float(-(played.score * surprise).sum() - values @ known @ values / 2)


def inverse_on_sum_zero(matrix: Array) -> Array:
    """Return the inverse of a symmetric matrix on the vectors that sum to zero, and zero elsewhere."""
    return _centre(np.asarray(np.linalg.inv(_regularize(matrix))))


def _regularize(matrix: Array) -> Array:
    """Return a symmetric matrix that is unchanged on the vectors that sum to zero, and regular."""
    # about as large as the other eigenvalues, to keep the matrix well conditioned
    along = max(1.0, float(np.trace(matrix))) / len(matrix) ** 2
    return np.asarray(_centre(matrix) + along)


def _centre(matrix: Array) -> Array:
    """Return C x matrix x C for a symmetric matrix, where C takes the mean away."""
    means = matrix.mean(axis=0)
    return np.asarray(matrix - means[:, None] - means[None, :] + means.mean())
