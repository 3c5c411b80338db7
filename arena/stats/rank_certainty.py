"""How certain a ranking is, and how well one rating for each entrant fits the results.

*Chances of a rank* come from draws of the true strengths (``Belief.draws``). *Residuals* compare each pairing with what
the ratings predict. The *non-transitive share* is the part of the results that no ratings fit (a beats b beats c beats a).
"""

from math import sqrt

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.fit import Fit

WARN_ABOVE = 0.05  # non-transitive share above which ratings alone mislead


class NonTransitivity(Struct, frozen=True):
    """The part of the results that no ratings can fit: a beats b, b beats c, c beats a."""

    share: float | None  # of the sum of squares, both less what chance explains; None: chance explains the whole sum
    chi_square: float  # sum of squared residuals, each divided by its variance
    degrees_of_freedom: int  # its mean if chance alone makes residuals

    @property
    def warns(self) -> bool:
        """Tell whether the share is above 5 % and significant at the 5 % level; False, if ratings can fit any results.

        Source of the 95 % quantile of chi-square: Wilson and Hilferty (1931).
        """
        if self.degrees_of_freedom <= 0:
            return False
        variance = 2 / (9 * self.degrees_of_freedom)
        beyond_chance = self.chi_square > self.degrees_of_freedom * (1 - variance + 1.645 * sqrt(variance)) ** 3
        return self.share is not None and self.share > WARN_ABOVE and beyond_chance


def rank_chances(draws: Array) -> Array:
    """Return the chance of every entrant (row) to have every rank (column), best first, from draws of the strengths of all."""
    size = draws.shape[1]
    order = np.argsort(-draws, axis=1, kind="stable")
    return np.column_stack([np.bincount(order[:, rank], minlength=size) for rank in range(size)]) / len(draws)


def first_chances(draws: Array) -> Array:
    """Return the chance of every entrant to be the strongest, from draws of the strengths of all."""
    return np.bincount(draws.argmax(axis=1), minlength=draws.shape[1]) / len(draws)


def residuals(played: Comparisons, fit: Fit) -> Array:
    """Return by how many standard deviations i scored more against j than expected; zero where they did not meet."""
    surplus = played.score - played.weight * fit.expected
    deviation = np.sqrt(fit.noise)
    return np.divide(surplus, deviation, out=np.zeros_like(surplus), where=deviation > 0)


def payoffs(played: Comparisons, fit: Fit) -> Array:
    """Return the rating difference of i and j by their own results (one Newton step); by the ratings where they never met."""
    surplus = played.score - played.weight * fit.expected
    beyond = np.divide(surplus, fit.information, out=np.zeros_like(surplus), where=fit.information > 0)
    return np.asarray(fit.values[:, None] - fit.values[None, :] + beyond)


def non_transitivity(played: Comparisons, fit: Fit) -> NonTransitivity:
    """Return the non-transitive share. Source: Jiang, Lim, Yao and Ye (2011), Hodge ranking; weights are inverse variances.

    It is the part of the sum of squares of ``payoffs`` that remains after subtracting the rating differences. Chance alone adds,
    on average, one for each degree of freedom to that part, and one for each pairing to the total. Both are subtracted.
    """
    met = np.triu((played.weight > 0) & (fit.noise > 0), 1)
    chi_square = float((residuals(played, fit)[met] ** 2).sum())
    total = float((payoffs(played, fit)[met] ** 2 * fit.information[met] ** 2 / fit.noise[met]).sum())
    freedom = max(int(met.sum()) - (played.size - 1), 0)
    beyond_chance = total - int(met.sum())
    share = min(max(chi_square - freedom, 0.0) / beyond_chance, 1.0) if beyond_chance > 0 else None
    return NonTransitivity(share, chi_square, freedom)
