"""An interval for the points a hand that may be looked at after every pair. Source: as :mod:`arena.stats.sequential`.

For every mean m on a grid, the two gamblers of the sequential test bet against "at most m" and "at least m"; a mean from which
either grew rich is out for good, and with a chance of 95 % the true one never is. A bet that suits a far mean is too bold for a
near one, so each gambler spreads its wealth evenly over several reaches; the average of wealths is a wealth.
"""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.stats.duels import Score
from arena.stats.sequential import BOUND, CORRECTED_BOUND, LUCK_SHARE, MOST, PRIOR_PAIRS, PRIOR_VARIANCE

Array = NDArray[np.float64]

REACHES = np.array([0.25, 0.5, 1.0, 2.0, 4.0, 8.0])[:, None]  # points: how far from m a gambler expects the mean
FINE = 0.02  # points between the means of the grid, near nought
COARSE = 0.5  # and far away
NEAR = 10.0  # where near ends
BOUNDS = np.array([BOUND, CORRECTED_BOUND])[:, None, None]


def _grid() -> Array:
    near = np.arange(-NEAR / FINE, NEAR / FINE + 1) * FINE
    far = np.arange(NEAR / COARSE + 1, BOUND / COARSE) * COARSE
    return np.round(np.concatenate([-far[::-1], near, far]), 2)


class Interval(Struct, frozen=True):
    """From low to high, in points a hand."""

    low: float
    high: float


class ConfidenceSequence(Struct, frozen=True, eq=False):
    """The means not yet ruled out; ``add`` gives the next. ``start`` is the first."""

    alpha: float
    pairs: int
    mean: Array  # of the scores as they are and less luck
    squares: Array  # sums of squared deviations, likewise
    grid: Array  # the means still in
    wealth: Array  # logs, by side, score, reach and mean
    interval: Interval

    @staticmethod
    def start(alpha: float = 0.05) -> "ConfidenceSequence":
        """Return the sequence before the first pair, which rules out nothing."""
        grid = _grid()
        wealth = np.zeros((2, 2, len(REACHES), len(grid)))
        return ConfidenceSequence(alpha, 0, np.zeros(2), np.zeros(2), grid, wealth, Interval(-BOUND, BOUND))

    def add(self, y: float, *, luck: float = 0.0) -> "ConfidenceSequence":
        """Return the sequence after one more pair; score and luck as in the sequential test."""
        score = np.array([y, y - LUCK_SHARE * luck])
        wealth = self.wealth + self._gain(score[:, None, None])
        mean = self.mean + (score - self.mean) / (self.pairs + 1)
        squares = self.squares + (score - self.mean) * (score - mean)
        rich = np.logaddexp.reduce(wealth, axis=(1, 2)) - np.log(2 * len(REACHES)) >= np.log(2 / self.alpha)
        inside = np.flatnonzero(~rich.any(axis=0))
        if len(inside) in {0, len(self.grid)}:  # nothing new is out; or all is, which happens to one in twenty at most
            return ConfidenceSequence(self.alpha, self.pairs + 1, mean, squares, self.grid, wealth, self.interval)
        kept = slice(inside[0], inside[-1] + 1)
        return ConfidenceSequence(self.alpha, self.pairs + 1, mean, squares, self.grid[kept], wealth[..., kept], self._around(kept))

    def _gain(self, score: Array) -> Array:
        """Return the logs of what each bet multiplies its wealth by."""
        variance = (PRIOR_PAIRS * PRIOR_VARIANCE + self.squares) / (PRIOR_PAIRS + self.pairs)
        bold = REACHES / variance[:, None, None]
        up = np.minimum(bold, MOST / (BOUNDS + self.grid))
        down = np.minimum(bold, MOST / (BOUNDS - self.grid))
        return np.log1p(np.stack([up, -down]) * (score - self.grid))

    def _around(self, kept: slice) -> Interval:
        """Return the interval that ends at the nearest means that are out."""
        low = self.grid[kept.start - 1] if kept.start else self.interval.low
        high = self.grid[kept.stop] if kept.stop < len(self.grid) else self.interval.high
        return Interval(float(low), float(high))


class Follower:
    """Follows the scores of a duel as they come, and keeps the interval."""

    def __init__(self, alpha: float = 0.05) -> None:
        self._sequence = ConfidenceSequence.start(alpha)

    def look(self, scores: Iterable[Score]) -> Interval:
        """Return the interval after ``scores``, the first of which it has seen already."""
        for number, score in enumerate(scores):
            if number >= self._sequence.pairs:
                self._sequence = self._sequence.add(score.y, luck=score.luck)
        return self._sequence.interval
