"""How certain a ranking is, and how well one rating for each entrant fits the results.

*Chances of a rank* come from draws of the true strengths (:mod:`arena.stats.posterior`). *Residuals* compare each pairing with what
the ratings predict. The *non-transitive share* is the part of all pairings that no ratings fit (a beats b beats c beats a).
"""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.fit import Fit

WARN_ABOVE = 0.05  # non-transitive share above which ratings alone are misleading


class NonTransitivity(Struct, frozen=True):
    """The part of the results that no ratings can fit: a beats b, b beats c, c beats a."""

    share: float | None  # of the sum of squares, less what chance explains; None: chance explains all of it
    chi_square: float  # the residual sum of squares, in variances
    degrees_of_freedom: int  # its mean under chance alone

    @property
    def warns(self) -> bool:
        """Tell whether the share is above 5 % and significant at the 5 % level; never, where ratings fit any results."""
        if self.degrees_of_freedom <= 0:
            return False
        beyond_chance = self.chi_square > self.degrees_of_freedom + 1.645 * (2 * self.degrees_of_freedom) ** 0.5
        return self.share is not None and self.share > WARN_ABOVE and beyond_chance


def rank_chances(draws: Array) -> Array:
    """Return the chance of every entrant (row) to have every rank (column), best first, from draws of the strengths of all."""
    size = draws.shape[1]
    order = np.argsort(-draws, axis=1, kind="stable")
    return np.column_stack([np.bincount(order[:, rank], minlength=size) for rank in range(size)]) / len(draws)


def chances_ahead(draws: Array, entrants: Iterable[int]) -> Array:
    """Return the chance of each of ``entrants`` (row) to be stronger than each of all (column), from draws of their strengths."""
    return np.array([(draws[:, [entrant]] > draws).mean(axis=0) for entrant in entrants])


def residuals(played: Comparisons, fit: Fit) -> Array:
    """Return by how many standard deviations i scored more against j than expected; zero where they did not meet."""
    if fit.expected is None or fit.noise is None:
        return np.zeros_like(played.weight)
    surplus = played.score - played.weight * fit.expected
    deviation = np.sqrt(fit.noise)
    return np.divide(surplus, deviation, out=np.zeros_like(surplus), where=deviation > 0)


def payoffs(played: Comparisons, fit: Fit) -> Array:
    """Return the rating difference between i and j by their own pairing; by their ratings where they never met."""
    if fit.values is None or fit.expected is None or fit.information is None:
        return np.zeros_like(played.weight)
    surplus = played.score - played.weight * fit.expected
    beyond = np.divide(surplus, fit.information, out=np.zeros_like(surplus), where=fit.information > 0)
    return np.asarray(fit.values[:, None] - fit.values[None, :] + beyond)


def non_transitivity(played: Comparisons, fit: Fit) -> NonTransitivity:
    """Return the non-transitive share. Source: Jiang, Lim, Yao and Ye (2011), Hodge ranking; weights are inverse variances.

    It is what remains of ``payoffs`` after subtracting the rating differences. In a sample chance alone makes it positive: one
    variance for each degree of freedom, and one for each pairing in the total. Both are subtracted.
    """
    if fit.noise is None or fit.information is None:
        return NonTransitivity(None, 0.0, 0)
    met = np.triu((played.weight > 0) & (fit.noise > 0), 1)
    left = float((residuals(played, fit)[met] ** 2).sum())
    whole = float((payoffs(played, fit)[met] ** 2 * fit.information[met] ** 2 / fit.noise[met]).sum())
    freedom = max(int(met.sum()) - (played.size - 1), 0)
    explained = whole - int(met.sum())
    share = min(max(left - freedom, 0.0) / explained, 1.0) if explained > 0 else None
    return NonTransitivity(share, left, freedom)
