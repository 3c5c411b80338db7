"""Posterior distributions of the true strengths of a field, given estimates with their covariance.

There are two readings of the same estimates.

- *As measured*: nothing is assumed of strengths. But the best of several estimates is mostly lucky, and where results decide who
  plays next, further play does not average the luck out: such intervals miss the strength of the first and of the last too often.
- *Learned*: strengths have a common normal prior whose width is learned from the same field. It pulls estimates together as far as
  chance explains their differences. A posterior is conditional on all results, so under the prior it holds at any moment, however
  results chose the pairings, and for a leader that they chose. But a single bot that stands out is pulled too far.

The value is that of the learned reading, which corrects the winner's curse. An interval contains those of both readings, so it
holds where either does. Chances of ranks give all being equal a prior probability of a half; otherwise the luckiest of equal bots
would be called strong.

A gap of more than ``GAP`` standard errors between neighbours splits the field into groups with a prior each, so bots far away do
not widen the prior of the others. Nearer ones do: two equal bots three errors ahead of the others look as if all differed, and the
luckier of the two would be called strong. So chances of ranks are an average over divisions: no further one, or the best two to
``BEST`` bots apart, by the likelihood of each.

No single chance to be the strongest can be right in every field: the luck of equal bots looks like a difference. So it is stated
as a range. Its low end is the least over all divisions, each with the least spread of strengths that the results allow, so it
is not above the truth in any field; its high end is that with nothing assumed of strengths.

*Links* are priors of the difference between two entrants, as of a version and the one before it: equal with some probability, or
different by an amount whose prior has long tails. The prior is a mixture of normal distributions; the posterior of each link is
replaced by the normal one with its mean and variance (assumed-density filtering).

Sources: Daniels (1999), A prior for the variance in hierarchical models, for its scale; Gelman (2006), Prior distributions for
variance parameters in hierarchical models, for the half-Cauchy form; Dawid (1994), Selection paradoxes of Bayesian inference;
Berger (1990), Robust Bayesian analysis: sensitivity to the prior; Minka (2001), Expectation propagation.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log, pi, sqrt
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array
from arena.stats.rank_certainty import first_chances

WIDTH = 1.96  # standard errors on either side of a 95 % interval
GAP = 4.0  # standard errors of a difference
WIDTHS = 0.25 * 2 ** np.arange(0, 10.5, 0.5)  # of the prior, in median errors of the group
EQUAL = 0.02  # width of the prior, in the same unit, where all count as equal
EVEN = 0.5  # prior probability that all of a group are equal, for chances of ranks
BEST = 5  # most bots of a group of the best
PARTED = 0.3  # prior probability that there is such a group
LEAST = 0.05  # posterior probability up to the least width that the results allow; narrower ones count as excluded
TAIL = 0.0175  # probability outside each end of the learned interval; 0.025 would be too short, as the width is learned too
BISECTIONS = 30
RIDGE = 1e-13  # relative variance of a direction in which ratings are fixed, as their mean is
DRAWS = 20_000  # a chance is accurate to 0.4 %
LARGE = 64  # entrants; of a larger field there are fewer draws
FEW_DRAWS = 4_000  # accurate to 0.8 %
SEED = 20_000  # fixed, so that the same records give the same report
TAILS = (0.5, 1.0, 2.0, 4.0)  # standard deviations of a difference, in widths of its link

PriorWidth = Literal["learned", "least", "most"]  # all, by their weights; the least that results allow; the largest
Estimates = tuple[Array, Array]  # with their covariance
Who = TypeVar("Who", int, str)  # an entrant, by its place or its name


class Kinship(NamedTuple, Generic[Who]):
    """The prior of the difference between an entrant and one that it follows."""

    one: Who
    other: Who
    width: float  # a typical difference, if they differ, in the unit of the rating
    equal: float  # probability that they do not differ
    carries: bool = False  # whether results of one count for the other; then the link is in both readings


class Belief(Struct, frozen=True):
    """The posterior of the strengths of a field; all numbers are relative to the same reference."""

    measured: Array  # the estimates, after the links that carry results over
    values: Array  # means of the learned reading
    errors: Array  # standard deviations around the values, of the learned reading
    low: Array  # ends of the 95 % intervals
    high: Array
    divisions: tuple["_Division", ...]  # the first is that of the values

    def draws(self) -> Array:
        """Return draws of the strengths (draws x entrants); only differences within a row have a meaning."""
        size, random = len(self.values), np.random.default_rng(SEED)
        total = DRAWS if size <= LARGE else FEW_DRAWS
        ends = np.round(np.cumsum([one.weight for one in self.divisions]) * total).astype(int)
        counts = np.diff(ends, prepend=0)
        return np.concatenate(
            [one.draws(random, count, "learned", size) for one, count in zip(self.divisions, counts, strict=True)]
        )

    def range_of_first(self, learned: Array, competing: Sequence[int]) -> Array:
        """Return the ends of the chance of each of ``competing`` to be the strongest of them; ``learned``: that by draws."""
        size, random = len(self.values), np.random.default_rng(SEED)
        least = [first_chances(one.draws(random, FEW_DRAWS, "least", size)[:, competing]) for one in self.divisions]
        most = first_chances(self.divisions[0].draws(random, FEW_DRAWS, "most", size)[:, competing])
        return np.array([np.min([*least, most, learned], axis=0), np.max([*least[:1], most, learned], axis=0)])


def believe(
    values: Array,
    covariance: Array,
    base: Array,
    plausible: Array | None = None,
    links: Iterable[Kinship[int]] = (),
    competing: Sequence[int] | None = None,
) -> Belief:
    """Return the posterior of strengths, by their estimates and the covariance of these.

    ``base`` has the weight of each entrant in the reference, to which estimates and covariance are relative. ``plausible`` is the
    covariance for the learned reading; None: the same. It may differ, as that reading draws strengths together, and the error of
    a result depends on them. ``competing`` are those whose ranks are asked for; None: all.
    """
    every = list(links)
    linked, linked_covariance = _apply(values, covariance if plausible is None else plausible, every)
    values, covariance = _apply(values, covariance, [link for link in every if link.carries])
    divisions = _divisions((linked, linked_covariance), range(len(values)) if competing is None else competing)
    found, errors, low, high = (np.empty(len(values)) for _ in range(4))
    for group in divisions[0].groups:
        found[group.places], errors[group.places], low[group.places], high[group.places] = group.summary()
    shift = base @ values - base @ found
    half = WIDTH * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return Belief(
        measured=values,
        values=found + shift,
        errors=errors,
        low=np.minimum(low + shift, values - half),
        high=np.maximum(high + shift, values + half),
        divisions=divisions,
    )


def _apply(values: Array, covariance: Array, links: Iterable[Kinship[int]]) -> tuple[Array, Array]:
    """Return estimates and covariance after conditioning on each link, in their order."""
    for link in links:
        along = covariance[:, link.one] - covariance[:, link.other]
        variance, difference = along[link.one] - along[link.other], values[link.one] - values[link.other]
        if variance > 0:
            mean, left = _difference(difference, variance, link)
            gain = along / variance
            values = values + gain * (mean - difference)
            covariance = covariance + np.outer(gain, gain) * (left - variance)
    return values, covariance


def _difference(estimate: float, variance: float, link: Kinship[int]) -> tuple[float, float]:
    """Return the posterior mean and variance of a difference, given its estimate with a variance and the prior of a link."""
    prior = np.array([0.0, *(link.width * tail for tail in TAILS)]) ** 2
    odds = np.array([link.equal, *[(1 - link.equal) / len(TAILS)] * len(TAILS)])
    total = variance + prior
    likelihood = -0.5 * (np.log(total) + estimate**2 / total)
    odds *= np.exp(likelihood - likelihood.max())
    odds /= odds.sum()
    means, variances = estimate * prior / total, variance * prior / total
    mean = float(odds @ means)
    return mean, float(odds @ (variances + means**2)) - mean**2


def _groups(values: Array, covariance: Array) -> list[list[int]]:
    """Return the places of the entrants of each group, the best first."""
    order = np.argsort(-values, kind="stable").tolist()
    groups = [order[:1]]
    for above, below in pairwise(order):
        variance = covariance[above, above] + covariance[below, below] - 2 * covariance[above, below]
        if values[above] - values[below] > GAP * sqrt(max(variance, 0.0)):
            groups.append([])
        groups[-1].append(below)
    return groups


class _Division(NamedTuple):
    """A field divided into groups with a prior each, and the weight of that."""

    groups: tuple["_Group", ...]
    weight: float

    def draws(self, random: np.random.Generator, count: int, spread: PriorWidth, size: int) -> Array:
        """Return ``count`` draws of the strengths of all ``size`` entrants (draws x entrants)."""
        found = np.empty((count, size))
        for group in self.groups:
            found[:, group.places] = group.draws(random, count, spread)
        return found


def _divisions(known: Estimates, competing: Iterable[int]) -> tuple[_Division, ...]:
    """Return that by gaps, then those in which the best two, three, … of the first group that competes have a prior apart."""
    by_gaps, ranked = _groups(*known), set(competing)
    first = next((places for places in by_gaps if ranked & set(places)), by_gaps[0])
    others = tuple(_Group.of(places, known) for places in by_gaps if places is not first)
    whole, best = _Group.of(first, known), [place for place in first if place in ranked]
    # none ends between equals, of which the order is arbitrary
    ahead = [best[:size] for size in range(2, min(len(best), BEST + 1)) if known[0][best[size - 1]] > known[0][best[size]]]
    parted = [(_Group.of(some, known), _Group.of([one for one in first if one not in some], known)) for some in ahead]
    if not parted:
        return (_Division((whole, *others), 1.0),)
    # a further centre costs its prior density, over the range of the estimates
    reach = float(np.ptp(known[0][first])) + 2 * sqrt(max(float(np.median(np.diag(known[1])[first])), RIDGE))
    prior = log(PARTED / len(parted)) - log(reach / sqrt(2 * pi))
    logs = [whole.log_likelihood + log(1 - PARTED), *(one.log_likelihood + rest.log_likelihood + prior for one, rest in parted)]
    weights = np.exp(np.array(logs) - max(logs))
    groups = [(whole, *others), *((*both, *others) for both in parted)]
    return tuple(map(_Division, groups, (weights / weights.sum()).tolist()))


class _Group:
    """Entrants with a common prior. Their posterior is a mixture of normal distributions, one for each width of the prior.

    With the covariance S of the estimates y, the width t and A = S + t^2 I, the centre of the prior has the precision 1'A^-1 1,
    and the strengths have the mean y - S A^-1 (y - centre) and the covariance S - S A^-1 S + S A^-1 1 1' A^-1 S / 1'A^-1 1. All
    widths share the axes of S. An array has a row for each axis or entrant and a column for each width, the first that of equal
    strengths.
    """

    def __init__(self, places: list[int], values: Array, covariance: Array) -> None:
        self.places = places
        variances, self._axes = np.linalg.eigh(covariance)
        known = np.diag(covariance)[np.diag(covariance) > 0]
        scale = float(np.median(known)) if len(known) else 1.0
        variances = np.maximum(variances, RIDGE * scale)[:, None]
        prior = scale * np.array([EQUAL, *WIDTHS]) ** 2
        total = variances + prior
        ones, along = self._axes.sum(axis=0)[:, None], (self._axes.T @ values)[:, None]
        self._precision = (ones**2 / total).sum(axis=0)  # of the centre
        centre = (ones * along / total).sum(axis=0) / self._precision
        left = along - centre * ones
        self._means = centre * ones + prior / total * left
        self._spread = np.sqrt(variances * prior / total)
        self._lever = ones * variances / total / np.sqrt(self._precision)  # by which the centre moves the strengths
        self._likelihood = -0.5 * (np.log(total).sum(axis=0) + np.log(self._precision) + (left**2 / total).sum(axis=0))

    @staticmethod
    def of(places: list[int], known: Estimates) -> "_Group":
        """Return a group of some places of a field."""
        return _Group(places, known[0][places], known[1][np.ix_(places, places)])

    @property
    def log_likelihood(self) -> float:
        """Return the log of the likelihood of the estimates, over all widths."""
        most = float(self._likelihood.max())
        return most + log(float(_odds(EVEN) @ np.exp(self._likelihood - most)))

    def _weights(self, equal: float) -> Array:
        """Return the posterior weight of each width; ``equal`` is the prior probability that strengths are equal."""
        odds = _odds(equal) * np.exp(self._likelihood - self._likelihood.max())
        return np.asarray(odds / odds.sum())

    def summary(self) -> tuple[Array, Array, Array, Array]:
        """Return mean, standard deviation and ends of the interval of each strength, if strengths differ."""
        weights = self._weights(0.0)
        means = self._axes @ self._means
        variances = self._axes**2 @ self._spread**2 + (self._axes @ self._lever) ** 2
        mean = means @ weights
        error = np.sqrt(np.maximum((variances + means**2) @ weights - mean**2, 0.0))
        ends = (_quantile(means, np.sqrt(variances), weights, level) for level in (TAIL, 1 - TAIL))
        return mean, error, *ends

    def draws(self, random: np.random.Generator, count: int, spread: PriorWidth) -> Array:
        """Return ``count`` draws of the strengths (draws x entrants); for "learned", in some of them all are equal."""
        weights = self._weights(EVEN)
        if spread == "most":
            weights = np.eye(len(weights))[-1]
        elif spread == "least":
            weights = np.eye(len(weights))[np.searchsorted(weights.cumsum(), LEAST)]
        width = random.choice(len(weights), count, p=weights)
        own = random.standard_normal((len(self.places), count))
        common = random.standard_normal(count)
        found = self._means[:, width] + self._spread[:, width] * own + self._lever[:, width] * common
        return np.asarray((self._axes @ found).T)


def _odds(equal: float) -> Array:
    """Return the prior probability of each width; ``equal`` is that of equal strengths."""
    differing = WIDTHS / (1 + WIDTHS**2)  # half-Cauchy over a grid of logarithms, with the median error as its scale
    return np.array([equal, *((1 - equal) * differing / differing.sum())])


def _quantile(means: Array, deviations: Array, weights: Array, level: float) -> Array:
    """Return the quantile of each row's mixture of normal distributions, by bisection; ``weights`` are those of the columns."""
    low, high = (means - 9 * deviations).min(axis=1), (means + 9 * deviations).max(axis=1)
    scale = np.maximum(deviations, 1e-300)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        below = normal((middle[:, None] - means) / scale) @ weights < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)


def normal(values: Array) -> Array:
    """Return the chance that a standard normal number is less, to 1e-7 (Abramowitz and Stegun 26.2.17)."""
    size = 1 / (1 + 0.2316419 * np.abs(values))
    series = size * (0.319381530 + size * (-0.356563782 + size * (1.781477937 + size * (-1.821255978 + size * 1.330274429))))
    above = np.exp(-0.5 * values**2) / sqrt(2 * pi) * series
    return np.asarray(np.where(values > 0, 1 - above, above))
