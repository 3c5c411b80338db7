"""How the errors of ratings change when several pairings play the same deals.

"Deals" are those of one key: all deals of a pair of legs. The model: i scores r_i - r_j + u_id - u_jd + v_ijd against j on the
deals d. The u of an entrant, how well these deals suit it, is in all of its results on them; v is in this result alone. Their
variances follow from two sums of squares by the method of moments: of all residuals, and of the sums of residuals of an entrant on
the same deals. The expectations of both are known, less the degrees of freedom that the ratings use, which were fitted to the same
results. Entrants differ in how large their u are, and those that play alike have similar ones. So the covariance of two residuals
on the same deals is estimated by their product, as in the sandwich estimator (Liang and Zeger 1986), shrunk towards that of the
model where a pairing has few pairs.

Sources: Searle, Casella and McCulloch (1992), Variance components; Cameron and Miller (2015), A practitioner's guide to
cluster-robust inference.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.intp]

COLLINEAR = 1e-6  # relative determinant at which the variances cannot be separated: no entrant meets two others on the same deals
BATCH = 1 << 20  # elements of the Laplacians that are multiplied at a time, 8 MB


class SharedPairs(Struct, frozen=True):
    """Pairs of legs on deals that other pairings may have too, in an order that does not depend on the order of play."""

    deals: Places  # number of the deals of each pair, from 0; pairs on the same deals have the same
    one: Places  # place of an entrant in the table
    other: Places
    weight: Array  # of each pair
    score: Array  # of ``one`` against ``other``

    def among(self, entrants: list[int]) -> "SharedPairs | None":
        """Return the pairs between the given entrants, with places in that list; None: there are none."""
        places = np.full(1 + int(max(self.one.max(), self.other.max(), *entrants)), -1)
        places[entrants] = range(len(entrants))
        here = (places[self.one] >= 0) & (places[self.other] >= 0)
        if not here.any():
            return None
        return SharedPairs(self.deals[here], places[self.one[here]], places[self.other[here]], self.weight[here], self.score[here])

    def residuals(self, expected: Array) -> Array:
        """Return each score less the expected one; ``expected`` is a matrix over the entrants, for one unit of weight."""
        return np.asarray(self.score - self.weight * expected[self.one, self.other])


def deal_noise(pairs: SharedPairs, expected: Array, information: Array, bread: Array, own: Array) -> tuple[float, Array]:
    """Return the effect of shared deals on the errors of ratings.

    The first is the variance of a pair, as a multiple of its mean squared residual; the second the sum of the covariances of
    different pairs on the same deals, as a matrix over the entrants.

    All arguments but ``pairs`` are matrices over the entrants: ``information`` of one unit of weight, ``own`` the weight of a
    pairing's own residuals, from 0 to 1 (the rest is that of the model), ``bread`` the inverse of the information on the ratings.
    The covariance of two pairs has the geometric mean of their weights, hence the square roots.
    """
    residuals, size = pairs.residuals(expected), len(bread)
    of_pairs = pairs.weight * information[pairs.one, pairs.other]
    alone, shared = _variances(pairs, residuals, of_pairs, bread)
    squares = float((residuals**2 / of_pairs).sum())
    inflation = (alone * len(residuals) + 2 * shared * float(of_pairs.sum())) / squares if squares else 1.0
    own_share = own[pairs.one, pairs.other]
    measured = _cross_products(pairs, np.sqrt(inflation * own_share) * residuals, size)
    modelled = np.sqrt(1 - own_share) * of_pairs
    powers = _Powers.of(pairs, modelled, size)
    return inflation, measured + shared * (powers.square - 2 * _laplacian(pairs, modelled**2, size))


def _variances(pairs: SharedPairs, residuals: Array, information: Array, bread: Array) -> tuple[float, float]:
    """Return the variances of v and u of the model, for a pair of one unit of information; ``information`` is that of each pair.

    A pair of information m has a residual of variance m v + 2 m² u: its v grows with the root of m, each of its two u with m.
    """
    size = len(bread)
    squares = float((residuals**2 / information).sum()), float((_by_entrant(pairs, residuals, size) ** 2).sum())
    # expected: squares[0] = all_alone v + all_shared u, squares[1] = sums_alone v + sums_shared u, for the variances v and u
    first, powers = _laplacian(pairs, information, size), _Powers.of(pairs, information, size)
    fitted = bread @ powers.square  # for what the ratings, fitted to the same results, take away from the sums of squares
    all_alone = len(residuals) - np.trace(bread @ first)
    all_shared = np.trace(first) - 2 * np.trace(fitted) + np.trace(fitted @ bread @ first)
    sums_alone = np.trace(first) - np.trace(fitted)
    sums_shared = np.trace(powers.square) - 2 * np.trace(bread @ powers.cube) + np.trace(fitted @ fitted)
    determinant = all_alone * sums_shared - all_shared * sums_alone
    if determinant <= COLLINEAR * all_alone * sums_shared:
        return squares[0] / max(all_alone, 1.0), 0.0
    alone = (sums_shared * squares[0] - all_shared * squares[1]) / determinant
    shared = (all_alone * squares[1] - sums_alone * squares[0]) / determinant
    if shared <= 0:
        return squares[0] / all_alone, 0.0
    return (float(alone), float(shared)) if alone > 0 else (0.0, squares[1] / float(sums_shared))


class _Powers(NamedTuple):
    """Sums over all deals of powers of the Laplacian of the graph of the entrants that met on them."""

    square: Array
    cube: Array

    @staticmethod
    def of(pairs: SharedPairs, weights: Array, size: int) -> "_Powers":
        isolated = _is_isolated(pairs, size)
        # a pair that is alone on its deals is a graph of one edge, whose Laplacian w L has the powers 2 w² L and 4 w³ L
        square = 2 * _laplacian(pairs, np.where(isolated, weights, 0.0) ** 2, size)
        cube = 4 * _laplacian(pairs, np.where(isolated, weights, 0.0) ** 3, size)
        for entrants, graphs in _graphs(pairs, weights, ~isolated):
            squared, at = graphs @ graphs, (entrants[:, :, None], entrants[:, None, :])
            np.add.at(square, at, squared)
            np.add.at(cube, at, squared @ graphs)
        return _Powers(square, cube)


def _is_isolated(pairs: SharedPairs, size: int) -> NDArray[np.bool_]:
    """Tell for each pair whether its entrants meet no other bot on its deals; such pairs can be many, and need no matrix."""
    one, other = pairs.deals * size + pairs.one, pairs.deals * size + pairs.other
    times = np.bincount(np.concatenate([one, other]))
    return np.asarray((times[one] == 1) & (times[other] == 1))


def _graphs(pairs: SharedPairs, weights: Array, chosen: NDArray[np.bool_]) -> Iterator[tuple[Places, Array]]:
    """Yield the entrants on several deals (deals x entrants), and the Laplacians of the graphs of the chosen pairs on them.

    There can be thousands of deals with a few entrants each, so deals with the same number of entrants are yielded together.
    """
    field = _Field.of(pairs, chosen)
    for size in np.unique(field.sizes).tolist():
        alike = np.flatnonzero(field.sizes == size)
        for some in np.array_split(alike, -(-len(alike) * size**2 // BATCH)):
            row = np.full(len(field.sizes), -1)
            row[some] = range(len(some))
            here = row[field.deals] >= 0
            graphs = np.zeros((len(some), size, size))
            _connect(graphs, (row[field.deals[here]],), field.one[here], field.other[here], weights[chosen][here])
            yield field.entrants[field.first[some, None] + np.arange(size)], graphs


class _Field(NamedTuple):
    """The entrants on each number of ``SharedPairs.deals``, and pairs with places among the entrants on the same deals."""

    entrants: Places  # those on the first deals, then those on the second, and so on
    first: Places  # for each deals, where its entrants begin
    sizes: Places  # for each deals, the number of its entrants
    deals: Places  # for each pair, the place of its deals in ``first``
    one: Places  # for each pair, a place among the entrants on its deals
    other: Places

    @staticmethod
    def of(pairs: SharedPairs, chosen: NDArray[np.bool_]) -> "_Field":
        ends = np.stack([pairs.one[chosen], pairs.other[chosen]])
        field = 1 + int(ends.max(initial=0))
        met, places = np.unique(pairs.deals[chosen] * field + ends, return_inverse=True)  # deals and entrant as one number
        _, first, deals, sizes = np.unique(met // field, return_index=True, return_inverse=True, return_counts=True)
        one, other = places.reshape(ends.shape)
        return _Field(met % field, first, sizes, deals[one], one - first[deals[one]], other - first[deals[other]])


def _laplacian(pairs: SharedPairs, weights: Array, size: int) -> Array:
    """Return the sum over all pairs of weight x (e_i - e_j)(e_i - e_j)'."""
    found = np.zeros((size, size))
    _connect(found, (), pairs.one, pairs.other, weights)
    return found


def _connect(found: Array, graph: tuple[Places, ...], one: Places, other: Places, weights: Array) -> None:
    """Add weight x (e_i - e_j)(e_i - e_j)' to a matrix for each pair; ``graph`` says to which, if ``found`` has several."""
    for row, column, added in ((one, one, weights), (other, other, weights), (one, other, -weights), (other, one, -weights)):
        np.add.at(found, (*graph, row, column), added)


def _by_entrant(pairs: SharedPairs, residuals: Array, size: int) -> Array:
    """Return the sum of the residuals of each entrant (column) on each deals (row)."""
    found = np.zeros((int(pairs.deals.max()) + 1, size))
    np.add.at(found, (pairs.deals, pairs.one), residuals)
    np.add.at(found, (pairs.deals, pairs.other), -residuals)
    return found


def _cross_products(pairs: SharedPairs, residuals: Array, size: int) -> Array:
    """Return the sum over different pairs on the same deals of the product of their residuals, as a matrix over the entrants."""
    sums = _by_entrant(pairs, residuals, size)
    return np.asarray(sums.T @ sums - _laplacian(pairs, residuals**2, size))
