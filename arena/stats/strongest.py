"""Which entrants may be the strongest: wrong with a chance of at most 5 %, however often one looks, and never taken back.

For a rating difference d with the variance V, the *evidence* that i is stronger than b is the mean over gaps g > 0 of the
likelihood ratio of g to 0, ``exp(g d / V - g^2 / 2V)``, where g is half-normal with the width t:

    E_ib = 2 Phi(m / sqrt(p)) sqrt(p) / t exp(m^2 / 2p)        p = 1 / (1/V + 1/t^2),  m = p d / V

An entrant b is out as soon as the mean of E_ib over all others i has reached 40.

*Proof.* For successive fits of results that were scheduled beforehand, d / V has independent increments with the variance of the
growth of 1 / V (Jennison and Turnbull 1997). So each ratio, and each mean of them, is a supermartingale that begins at 1 unless i
is stronger. If b is a strongest entrant, no i is, so b is ever out with a probability of at most 1/40 (Ville 1939), whatever the
number of entrants. Of two equal strongest ones either may go, so the statement is wrong with a chance of at most 5 %.

The proof takes errors as normal and their variances as known; ``python tests/studies/ranks.py settled`` shows what that costs. It
needs a schedule that results do not change: in a league results decide who plays, and its statement is another one
(:mod:`arena.league.rules.pairing`).

A look is taken after the k-th pair of every two entrants, at numbers k that depend on k alone, so a later look contains all
earlier ones, and who was out stays out.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from arena.stats.comparisons import Array, Comparisons, Measure, PairSums
from arena.stats.pairs import Pair
from arena.stats.ranks import normal

EVIDENCE = 40.0  # mean evidence that takes an entrant out
GROWTH = 8  # the next look comes after 1/GROWTH more pairs, at least one
LARGE = 64  # entrants; in a larger field it comes after twice as many pairs
MOST_EXPONENT = 300.0  # exp() of more is not needed, and might overflow

Differences = tuple[Array, Array]  # ratings and their covariance, of which differences alone matter


def evidence(known: Differences, width: float) -> Array:
    """Return the mean evidence that others are stronger than each entrant; ``width``: a typical gap, in the unit of the ratings."""
    values, covariance = known
    own, gap = np.diag(covariance), values[:, None] - values
    variance = np.maximum(own[:, None] + own - 2 * covariance, 1e-300)
    precision = 1 / (1 / variance + 1 / width**2)
    mean, root = precision * gap / variance, np.sqrt(precision)
    each = 2 * normal(mean / root) * root / width * np.exp(np.minimum(mean**2 / (2 * precision), MOST_EXPONENT))
    np.fill_diagonal(each, 0.0)
    return np.asarray(each.sum(axis=0) / max(len(values) - 1, 1))


def look_ends(most: int, size: int) -> Iterator[int]:
    """Yield the numbers of pairs after which a look is taken in a field of ``size`` entrants, up to ``most``."""
    growth, end = GROWTH if size <= LARGE else 1, 1
    while end <= most:
        yield end
        end += max(end // growth, 1)


class StrongestSet:
    """The entrants that may be the strongest, look after look; one always remains."""

    def __init__(self, size: int, width: float) -> None:
        self.left = np.ones(size, bool)
        self._width = width

    def look(self, known: Differences) -> None:
        """Leave out those against whom the evidence is enough."""
        left = self.left & (evidence(known, self._width) < EVIDENCE)
        if left.any():  # else it was wrong before
            self.left = left


def growth_needed(known: Differences, width: float) -> Array:
    """Return by how much more play each entrant would be out if the ratings stay, as a multiple; infinite for the first."""
    needed = np.full(len(known[0]), np.inf)
    for times in reversed(2.0 ** np.arange(0, 8, 0.25)):
        needed[evidence((known[0], known[1] / times), width) >= EVIDENCE] = times
    return needed


class ScheduledPairs:
    """The pairs of a tournament whose schedule results do not change, by the look at which they count first."""

    def __init__(self, field: Sequence[str], measure: Callable[[Pair], Measure]) -> None:
        """Expect pairs of every two entrants of ``field``, whose keys end with their number from 0."""
        self._field = frozenset(field)
        self._measure = measure
        self._sums: dict[int, PairSums] = {}  # by the place of the look
        self._pairs = Counter[int]()  # by number
        self._ends = [0]  # the first numbers of pairs after which a look is taken

    def add(self, pair: Pair) -> None:
        """Count a pair; a leg without its partner does not count."""
        if pair.legs == 2 and {pair.entrant, pair.opponent} <= self._field:
            number = int(pair.deals.rpartition("/")[2])
            self._pairs[number] += 1
            self._sums.setdefault(self._look(number), PairSums(self._measure)).add(pair)

    def looks(self) -> Iterator[Comparisons]:
        """Yield the sums at each look for which every two entrants have played enough; the entrants are sorted by name."""
        size, played, sums = len(self._field), 0, PairSums(self._measure)
        while self._pairs[played] and self._pairs[played] == size * (size - 1) // 2:
            played += 1
        for place, _ in enumerate(look_ends(played, size)):
            sums.merge(self._sums[place])
            yield sums.comparisons()[1]

    def _look(self, number: int) -> int:
        """Return the place of the first look that counts a pair with a number."""
        if number >= self._ends[-1]:
            self._ends = list(look_ends(4 * number + 4, len(self._field)))
        return bisect_right(self._ends, number)
