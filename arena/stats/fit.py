"""Ratings from paired comparisons: arrays in, arrays out.

There are two models. *Bradley-Terry* (1952): the chance that i beats j is 1 / (1 + exp(r_j - r_i)); the estimate is maximum a
posteriori under a Gaussian prior, found by Newton's method. *Least squares*: i scores r_i - r_j points a hand against j on
average, weighted by hands. In both the ratings sum to zero.

Standard errors are clustered by pair, because the two legs of a pair share their deals: the sandwich estimator (White 1980; Liang
and Zeger 1986) with one residual for each pair. The bare sandwich covered only 0.76 to 0.92 in small fields, so the scatter of a
pairing with few pairs is shrunk towards that of the whole field; coverage is then 0.946 to 0.962. If the whole field has few
pairs, matches or hands are taken as independent, which overstates the error of mirrored deals.

Where several pairings play the same deals, their pairs are not independent: :mod:`arena.stats.shared_deals` says what that adds.

Pairs that all end alike have no scatter, but that does not prove that the next one will: among n independent pairs without an
exception, up to 3 / n of all pairs may be exceptions (the rule of three; Hanley and Lippman-Hand
1983). So the variance is never less than 3 / n of that of independent matches or hands.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.field import Groups, components, parts
from arena.stats.shared_deals import deal_noise

STEPS = 200  # Newton's method needs five to ten, and a few more where steps are halved
HALVINGS = tuple(0.5**times for times in range(40))
TOLERANCE = 1e-8  # gain of log likelihood below which the next step is the last
FEW = 20  # degrees of freedom below which the scatter of pairs does not measure the error
SHRINKAGE = 5  # pairs: the weight of the whole field's scatter in that of each pairing
EXCEPTIONS = 3  # pairs: how many may be exceptions where none was seen, at 95 %
DEVIATION = 33.0  # points: the largest standard deviation of a hand measured between any two bots


class State(StrEnum):
    """Whether a field can be rated."""

    OK = "ok"
    EMPTY = "empty"  # no entrants
    SINGLE = "single"  # one entrant
    DISCONNECTED = "disconnected"  # parts of the field never met
    UNBOUNDED = "unbounded"  # an entrant or group never lost or never won: maximum likelihood is infinite
    PERFECT = "perfect"  # as unbounded, but a prior keeps the ratings finite


class Fit(Struct, frozen=True):
    """Ratings that sum to zero, with their covariance."""

    state: State
    groups: Groups  # the parts that cannot be compared with each other; one if the state is ok
    values: Array | None = None  # None: no estimate; the state says why
    covariance: Array | None = None  # None: no estimate
    plausible: Array | None = None  # covariance that tells how plausible nearer strengths are; None: as ``covariance``
    expected: Array | None = None  # expected score of i against j: a chance, or points a hand
    information: Array | None = None  # derivative of weight x expected score by the rating of i
    noise: Array | None = None  # variance of weight x score

    @property
    def errors(self) -> Array | None:
        """Return the standard error of each rating."""
        return None if self.covariance is None else np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


class PairNoise(NamedTuple):
    """The variance of what every two entrants have scored."""

    each: Array  # of every two
    common: Array | float = 0.0  # what is in several pairings at once, as a matrix over the entrants


def bradley_terry(played: Comparisons, prior: float, *, by_pair: bool, links: Array | None = None) -> Fit:
    """Return ratings in logits; ``prior`` is the standard deviation of the prior in logits, 0 for none.

    With ``by_pair`` standard errors come from the scatter of pairs; without it, matches are taken as independent. ``links`` is what
    is known beforehand of the difference of any two: 1 / its variance, symmetric, 0 where nothing is known.
    """
    state, groups = _can_be_rated(played, prior)
    if state is State.EMPTY or (not prior and state in {State.DISCONNECTED, State.UNBOUNDED}):
        return Fit(state, groups)
    known = _known(played.size, 1 / prior**2 if prior else 0.0, links)
    values = _newton(played, known)
    chance = logistic(values[:, None] - values[None, :])
    information = played.weight * chance * (1 - chance)
    bread = inverse_on_sum_zero(laplacian(information) + known)
    noise = _noise(played, chance, information, chance * (1 - chance), bread) if by_pair else PairNoise(information)
    covariance = sandwich(bread, laplacian(noise.each) + noise.common + known)
    plausible = _plausible(played, values, noise, information, known)
    return Fit(state, groups, values, covariance, plausible, chance, information, noise.each)


def _plausible(played: Comparisons, values: Array, noise: PairNoise, information: Array, known: Array) -> Array:
    """Return the covariance with the information half-way between the ratings and equal strengths.

    After a lopsided score the log likelihood is nearly flat at the ratings and steep towards equality: 0-12 is 4.1 standard errors
    from equality by its likelihood ratio, 2.1 by the information at the ratings and 4.6 by that half-way.
    """
    chance = logistic((values[:, None] - values[None, :]) / 2)
    there = played.weight * chance * (1 - chance)
    dispersion = np.divide(noise.each, information, out=np.ones_like(there), where=information > 0)
    more = there.sum() / max(float(information.sum()), 1e-300)
    return sandwich(inverse_on_sum_zero(laplacian(there) + known), laplacian(dispersion * there) + noise.common * more**2 + known)


def least_squares(played: Comparisons, links: Array | None = None) -> Fit:
    """Return ratings in points a hand; ``links`` as for :func:`bradley_terry`."""
    groups = parts(neighbours(played.weight if links is None else played.weight + links))
    if len(groups) != 1:
        return Fit(State.DISCONNECTED if groups else State.EMPTY, groups)
    known, known_noise = np.zeros_like(played.weight), np.zeros_like(played.weight)
    if links is not None and links.any():
        # a link counts as hands: how many tells the variance of a hand, which follows from the scatter
        variance = _variance_of_a_hand(played, DEVIATION**2 * links)
        known, known_noise = variance * links, variance**2 * links
    bread = inverse_on_sum_zero(laplacian(played.weight + known))
    values = np.asarray(bread @ played.score.sum(axis=1))
    noise = _noise(played, _differences(values), played.weight * DEVIATION**2, np.ones_like(bread), bread)
    state = State.OK if played.size > 1 else State.SINGLE
    covariance = sandwich(bread, laplacian(noise.each + known_noise) + noise.common)
    return Fit(state, groups, values, covariance, None, _differences(values), played.weight, noise.each)


def _variance_of_a_hand(played: Comparisons, known: Array) -> float:
    """Return the variance of a hand from the scatter of pairs around the ratings; ``known`` hands say that two are equal."""
    values = np.linalg.solve(_regular(laplacian(played.weight + known)), played.score.sum(axis=1))
    noise = _of_pairs(played, _differences(values), played.weight * DEVIATION**2, _inflation(played))
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


def _known(size: int, ridge: float, links: Array | None) -> Array:
    """Return the precision matrix of the prior: of each rating, and of the differences that are known."""
    return np.asarray(ridge * np.eye(size) + (0.0 if links is None else laplacian(links)))


def _noise(played: Comparisons, expected: Array, independent: Array, unit: Array, bread: Array) -> PairNoise:
    """Return the variance of the scores, of every two entrants shrunk from the scatter of their pairs towards that of all.

    ``unit`` is the information of one unit of weight, ``bread`` the inverse of the information on the ratings.
    """
    if not played.shared or played.spare < FEW:
        return PairNoise(_of_pairs(played, expected, independent, _inflation(played)))
    inflation, common = deal_noise(played.shared, expected, unit, bread, _own(played))
    return PairNoise(_of_pairs(played, expected, independent, inflation), common)


def _of_pairs(played: Comparisons, expected: Array, independent: Array, inflation: float) -> Array:
    """Return the variance of the scores of every two entrants; ``inflation`` is that of a pair, as a multiple of its scatter."""
    if played.spare < FEW:
        return independent
    scatter = played.scatter(expected) * inflation
    dispersion = scatter.sum() / independent.sum()
    own = _own(played)
    shrunk = own * scatter + (1 - own) * dispersion * independent
    return np.asarray(np.maximum(shrunk, _least_dispersion(played) * independent))


def _own(played: Comparisons) -> Array:
    """Return the weight of a pairing's own scatter."""
    return np.asarray(played.pairs / (played.pairs + SHRINKAGE))


def _inflation(played: Comparisons) -> float:
    """Return the correction for the degrees of freedom that the ratings have used: fitting them made the residuals smaller."""
    return 1 + (played.size - 1) / max(played.spare, 1)


def _least_dispersion(played: Comparisons) -> float:
    """Return the share of the independent variance that the number of pairs cannot exclude."""
    return EXCEPTIONS / max(float(played.pairs.sum()) / 2, EXCEPTIONS)


def _can_be_rated(played: Comparisons, prior: float) -> tuple[State, Groups]:
    """Return whether the field can be rated by Ford's condition, and its parts."""
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
        chance = logistic(values[:, None] - values[None, :])
        slope = (played.score - played.weight * chance).sum(axis=1) - known @ values
        curvature = laplacian(played.weight * chance * (1 - chance)) + known
        step = inverse_on_sum_zero(curvature) @ slope
        if slope @ step < TOLERANCE:
            return np.asarray(values + step)
        values = _uphill(played, values, step, known)
    return values


def _uphill(played: Comparisons, values: Array, step: Array, known: Array) -> Array:
    """Return the point after the longest of the halved steps that increases the log posterior."""
    here = _height(played, values, known)
    tries = (values + part * step for part in HALVINGS)
    return next((there for there in tries if _height(played, there, known) > here), values + step)


def _height(played: Comparisons, values: Array, known: Array) -> float:
    """Return the log posterior, up to a constant."""
    missed = np.logaddexp(0.0, values[None, :] - values[:, None])  # minus the log of the chance that i beats j
    return float(-(played.score * missed).sum() - values @ known @ values / 2)


def inverse_on_sum_zero(matrix: Array) -> Array:
    """Return the inverse of a symmetric matrix on the vectors that sum to zero, and zero elsewhere."""
    return _centred(np.asarray(np.linalg.inv(_regular(matrix))))


def _regular(matrix: Array) -> Array:
    """Return a symmetric matrix as it is on the vectors that sum to zero, and regular elsewhere."""
    # of the same size as the other eigenvalues, to keep the matrix well conditioned
    along = max(1.0, float(np.trace(matrix))) / len(matrix) ** 2
    return np.asarray(_centred(matrix) + along)


def _centred(matrix: Array) -> Array:
    """Return C x matrix x C for a symmetric matrix, where C takes the mean away."""
    means = matrix.mean(axis=0)
    return np.asarray(matrix - means[:, None] - means[None, :] + means.mean())
