"""The search for the best values of a bot's parameters: what to try next, and what is known, from the results so far.

The gain of a candidate over the start, in points a hand, is a smooth surface over the parameters' ranges: a Gaussian process that
is exactly 0 at the start. Its width along each parameter, and its height, are those of the largest likelihood, less a penalty for
extreme widths, so a parameter that does nothing becomes flat. The first round is spread over the ranges. In each later round one
candidate is the best known point, unless that is the start, and every other the best point of a surface drawn from the posterior
(Thompson sampling), so a region is tried as often as it is likely to hold the best. All candidates of a round play the same deals,
so their errors are correlated; the process uses their covariance. Sources: Rasmussen and Williams, Gaussian Processes for Machine
Learning, 2006, chapters 2 and 5; Thompson, Biometrika 25, 1933. ``tests/studies/tuning.py`` compares it with other searches.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.parameters import Parameter
from arena.stats.scales import Interval

Array = NDArray[np.float64]
Reason = Literal["budget", "time", "narrow", "flat"]

CANDIDATES = 12  # of a round
ROUNDS = 10  # into which the budget is divided
LEAST_ROUNDS = 3  # before the search may end early
ENOUGH = 400  # blocks in which a candidate did not score as the start does: before them nothing is known of any gain
POOLED = 20.0  # blocks: the weight of all candidates' scatter in that of each
LEAST_ERROR = 0.001  # points a hand
WIDTHS = (0.35, 0.7, 1.4, 2.8, 8.0)  # of the surface along a parameter, in ranges; the last is almost flat
HEIGHTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # of the surface, points a hand
NARROW = 0.05  # the search ends when the expected further gain is at most this share of the gain found so far
LITTLE = 0.05  # or at most this many points a hand
NEGLIGIBLE = 0.05  # points a hand; a parameter whose best value gains less keeps its start
DRAWS = 100  # surfaces drawn to estimate the further gain
JITTER = 1e-6  # added to the diagonal, so that matrices are positive definite
NORMAL_95 = 1.96


class Round(Struct, frozen=True, kw_only=True):
    """The gains of some candidates over the start, on deals that all of them played."""

    candidates: tuple[dict[str, float], ...]  # values by the parameter's name
    gains: tuple[float, ...]  # points a hand
    errors: tuple[float, ...]  # standard errors
    correlation: float  # of the errors of two candidates, because of the common deals
    hands: int  # played by all of them, and by the start
    faults: tuple[int, ...] = ()  # of each candidate
    differing: tuple[int, ...] = ()  # of each candidate: blocks in which it did not score as the start does; empty: not known


class Tuner:
    """Decides what to try next: the same parameters, seed, rounds and calls give the same answers."""

    def __init__(self, parameters: Mapping[str, Parameter[float]], seed: str, rounds: Sequence[Round] = ()) -> None:
        """Learn from the rounds so far."""
        self.parameters = parameters
        self.rounds = rounds
        self._size = len(parameters)
        self.start = {name: one.start for name, one in parameters.items()}
        digest = sha256(f"arena-tune-1|{seed}|{len(rounds)}".encode()).digest()
        self._random = np.random.default_rng(int.from_bytes(digest))
        self._surface = Surface(self._points_of(self.start)[0], *self._observations()) if rounds else None
        self.best = self._best() if rounds else self.start

    def next_candidates(self) -> tuple[dict[str, float], ...]:
        """Return the candidates of the next round, at most CANDIDATES, without the start and without duplicates."""
        if self._surface is None:  # a Latin hypercube: in each parameter, one candidate in each of CANDIDATES equal intervals
            places = self._random.permuted(np.tile(np.arange(CANDIDATES), (self._size, 1)), axis=1).T
            points = (places + self._random.uniform(size=places.shape)) / CANDIDATES
        else:
            pool = self._random_candidates()
            points = pool[np.argmax(self._surface.draw(pool, CANDIDATES - 1, self._random), axis=0)]
        chosen = [self.best, *map(self._values_at, points)]
        return tuple({tuple(one.values()): one for one in chosen if one != self.start}.values())

    def gain(self, values: Mapping[str, float], over: Mapping[str, float] | None = None) -> Interval:
        """Return the expected gain of some values over others, in points a hand; None: over the start.

        The interval is of the surface alone, and not of the best of many values. The search decides by it, and states it nowhere.
        """
        if self._surface is None:
            return Interval(0.0, 0.0, 0.0)
        mean, covariance = self._surface.posterior(self._points_of(values, over or self.start))
        error = NORMAL_95 * float(np.sqrt(max(0.0, covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])))
        value = float(mean[0] - mean[1])
        return Interval(value, value - error, value + error)

    def stated_gain(self, values: Mapping[str, float], over: Mapping[str, float] | None = None) -> float | None:
        """Return the expected gain that may be stated, as ``gain``; None: too few results differ from those of the start."""
        return self.gain(values, over).value if self.is_informed else None

    def curve(self, name: str, points: int = 17) -> list[tuple[float, float]]:
        """Return values of a parameter over its range, with their gains over the start; all others are at their best."""
        parameter = self.parameters[name]
        values = sorted({parameter.at(float(share)) for share in np.linspace(0, 1, points)})
        return [(value, self.gain({**self.best, name: value}).value) for value in values]

    @property
    def is_informed(self) -> bool:
        """Tell whether enough results differ from those of the start to state a gain, or to end the search early."""
        return sum(sum(one.differing) for one in self.rounds) >= ENOUGH

    def reason_to_end(self, budget: int) -> Reason | None:
        """Return the reason to end the search; None: it continues. ``budget``: of hands."""
        if sum(one.hands for one in self.rounds) >= budget:
            return "budget"
        if len(self.rounds) >= LEAST_ROUNDS and self.is_informed:
            remaining, gain = self._remaining_gain(), self.gain(self.best)
            if remaining <= max(LITTLE, NARROW * gain.value):
                return "narrow" if gain.low > 0 else "flat"
        return None

    def _remaining_gain(self) -> float:
        """Return the expected gain of the true best point, which is not known, over the best known one."""
        assert self._surface
        pool = np.vstack([self._points_of(self.best), self._random_candidates()])
        drawn = self._surface.draw(pool, DRAWS, self._random)
        return float(np.mean(drawn.max(axis=0) - drawn[0]))

    def _best(self) -> dict[str, float]:
        """Return the values with the largest expected gain; a parameter that gains next to nothing keeps its start."""
        assert self._surface
        tried = [one for round_ in self.rounds for one in round_.candidates]
        points, reach = np.vstack([self._points_of(*tried), self._random_points(400)]), 0.5
        for _ in range(6):  # closer to the top each time
            top = points[np.argmax(self._surface.mean(points))]
            reach /= 2
            points = np.vstack([top, self._random_points(100, top, reach)])
        found = self._values_at(points[np.argmax(self._surface.mean(points))])
        for name in found:
            back = {**found, name: self.start[name]}
            expected, without = self._surface.mean(self._points_of(found, back))
            if expected - without < NEGLIGIBLE:
                found = back
        return found

    def _random_candidates(self) -> Array:
        """Return random points to choose candidates from: 250 over the ranges, and 150 near the best."""
        return np.vstack([self._random_points(250), self._random_points(150, self._points_of(self.best)[0], 0.15)])

    def _random_points(self, count: int, centre: Array | None = None, reach: float = 0.5) -> Array:
        """Return random points of the unit cube, at most ``reach`` from a centre along each axis; None: its middle."""
        middle = np.full(self._size, 0.5) if centre is None else centre
        return np.clip(middle + self._random.uniform(-reach, reach, (count, self._size)), 0.0, 1.0)

    def _values_at(self, point: Array) -> dict[str, float]:
        """Return the values of the parameters at a point of the unit cube."""
        return {name: one.at(float(share)) for (name, one), share in zip(self.parameters.items(), point, strict=True)}

    def _points_of(self, *several: Mapping[str, float]) -> Array:
        """Return the points of the unit cube for some values of the parameters, a row for each."""
        return np.array([[one.share(values[name]) for name, one in self.parameters.items()] for values in several])

    def _observations(self) -> tuple[Array, Array, Array]:
        """Return the points that were tried, their gains, and the covariance of the errors, which is 0 between rounds."""
        gains = np.concatenate([one.gains for one in self.rounds])
        noise, at = np.zeros((len(gains), len(gains))), 0
        for one in self.rounds:
            errors, end = np.array(one.errors), at + len(one.errors)
            correlation = np.full((len(errors), len(errors)), one.correlation)
            np.fill_diagonal(correlation, 1.0)
            noise[at:end, at:end] = correlation * np.outer(errors, errors)
            at = end
        return self._points_of(*(values for one in self.rounds for values in one.candidates)), gains, noise


class Surface:
    """A Gaussian process over the unit cube that is 0 at the start, after some observations."""

    def __init__(self, start: Array, points: Array, gains: Array, noise: Array) -> None:
        """Choose height and widths by the penalized likelihood: first equal widths, then each width, then the height again.

        ``start``: d; ``points``: n x d; ``gains``: n; ``noise``: the covariance of their errors, n x n.
        """
        self._start, self._points, self._gains = start, points, gains
        self._noise = noise + JITTER * np.eye(len(gains))
        size = points.shape[1]
        equal = [(height, (width,) * size) for height in HEIGHTS for width in WIDTHS]
        self._height, self._widths = max(equal, key=lambda one: self._log_likelihood(*one))
        for axis in range(size if size > 1 else 0):
            tries = [(*self._widths[:axis], width, *self._widths[axis + 1 :]) for width in WIDTHS]
            self._widths = max(tries, key=lambda widths: self._log_likelihood(self._height, widths))
        self._height = max(HEIGHTS, key=lambda height: self._log_likelihood(height, self._widths))
        self._root = np.linalg.cholesky(self._kernel(points, points, self._height, self._widths) + self._noise)
        self._weights = np.linalg.solve(self._root.T, np.linalg.solve(self._root, gains))

    def mean(self, points: Array) -> Array:
        """Return the expected gain of each point."""
        return self._kernel(points, self._points, self._height, self._widths) @ self._weights

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """Return the expected gain of each point over the start (n), and their covariance (n x n)."""
        across = self._kernel(points, self._points, self._height, self._widths)
        known = np.linalg.solve(self._root, across.T)
        return across @ self._weights, self._kernel(points, points, self._height, self._widths) - known.T @ known

    def draw(self, points: Array, count: int, random: np.random.Generator) -> Array:
        """Return the gains at each point of ``count`` surfaces drawn from the posterior: points x surfaces."""
        mean, covariance = self.posterior(points)
        root = np.linalg.cholesky(covariance + JITTER * (1 + self._height**2) * np.eye(len(points)))
        drawn: Array = mean[:, None] + root @ random.standard_normal((len(points), count))
        return drawn

    def _log_likelihood(self, height: float, widths: Sequence[float]) -> float:
        """Return the log of the marginal likelihood up to a constant, less a penalty for widths far from 1."""
        root = np.linalg.cholesky(self._kernel(self._points, self._points, height, widths) + self._noise)
        residual = np.linalg.solve(root, self._gains)
        return float(-0.5 * residual @ residual - np.log(np.diag(root)).sum() - 0.1 * (np.log(widths) ** 2).sum())

    def _kernel(self, one: Array, other: Array, height: float, widths: Sequence[float]) -> Array:
        """Return the covariance of the gains over the start: squared exponential, of f(one) - f(start) and f(other) - f(start)."""
        one, other, start = one / widths, other / widths, self._start / widths
        across = _decay(((one[:, None, :] - other[None, :, :]) ** 2).sum(axis=2))
        kernel: Array = height**2 * (
            across - _decay(((one - start) ** 2).sum(axis=1))[:, None] - _decay(((other - start) ** 2).sum(axis=1))[None, :] + 1
        )
        return kernel


def _decay(squares: Array) -> Array:
    values: Array = np.exp(-0.5 * squares)
    return values


def summarize(candidates: Sequence[dict[str, float]], differences: Array, hands: int) -> Round:
    """Return a round from the differences to the start in points a hand: candidates x blocks, at least two blocks.

    The scatter of few blocks does not tell the error of a candidate, least of all where it plays almost as the start does and most
    of its differences are 0. So its variance is shrunk towards its share of blocks that differ times the mean square of these in
    the whole round. Candidates that played alike are one observation: their errors are larger, so that together they count as one.
    ``hands`` were played in the round.
    """
    blocks, differing = differences.shape[1], (differences != 0).sum(axis=1)
    square = float((differences**2).sum() / max(int(differing.sum()), 1))
    common = square * (differing + 1) / (blocks + 2)  # by Laplace's rule, because none of more blocks may differ
    variances = (differences.var(axis=1, ddof=1) * (blocks - 1) + common * POOLED) / (blocks - 1 + POOLED) / blocks
    varying = differences[differences.std(axis=1) > 0]
    correlations = np.corrcoef(varying) if len(varying) > 1 else np.zeros((1, 1))
    off_diagonal = correlations[~np.eye(len(correlations), dtype=bool)]
    correlation = float(np.clip(off_diagonal.mean(), 0.0, 0.95)) if len(off_diagonal) else 0.0
    alike = (differences[:, None, :] == differences[None, :, :]).all(axis=2).sum(axis=1)
    errors = np.sqrt(variances * alike / (1 + (alike - 1) * correlation))
    return Round(
        candidates=tuple(candidates),
        gains=tuple(differences.mean(axis=1).tolist()),
        errors=tuple(np.maximum(errors, LEAST_ERROR).tolist()),
        correlation=correlation,
        hands=hands,
        differing=tuple(differing.tolist()),
    )
