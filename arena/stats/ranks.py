"""How sure a ranking is, and whether one line of ratings says it all: ranks, residuals, circles, and the Nash average."""

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.fit import Fit

DRAWS = 20_000  # leagues imagined: a probability is good to 0.7 %
SEED = 20_000  # fixed, so that a report of the same records is the same report
CIRCULAR = 0.05  # from this share on, ratings hide who beats whom
COOLEST = 1e-7  # temperature, in the unit of the payoffs, at which the Nash average is read


class Circles(Struct, frozen=True):
    """How much of who beats whom no ratings can say: a beats b, b beats c, c beats a."""

    share: float | None  # of the sum of squares, the part that chance explains taken off; None: nothing to share out
    chi_square: float  # what ratings leave over, in variances
    freedom: int  # what chance alone would leave over, on average

    @property
    def warns(self) -> bool:
        """Tell whether the share is too great to be left unsaid, and more than chance (one time in twenty)."""
        beyond_chance = self.chi_square > self.freedom + 1.645 * (2 * self.freedom) ** 0.5
        return self.share is not None and self.share > CIRCULAR and beyond_chance


def rank_chances(values: Array, covariance: Array) -> Array:
    """Return the chance of every entrant (row) to hold every rank (column), the best first.

    The estimates' own error is drawn from a generator of its own with a fixed seed.
    """
    size = len(values)
    spread, axes = np.linalg.eigh(covariance)
    steps = np.random.default_rng(SEED).standard_normal((DRAWS, size)) * np.sqrt(np.maximum(spread, 0.0))
    order = np.argsort(-(values + steps @ axes.T), axis=1, kind="stable")
    chances = np.zeros((size, size))
    for rank in range(size):
        chances[:, rank] = np.bincount(order[:, rank], minlength=size) / DRAWS
    return chances


def residuals(played: Comparisons, fit: Fit) -> Array:
    """Return by how many standard deviations i did better against j than its rating says; nought where they did not meet."""
    if fit.expected is None or fit.noise is None:
        return np.zeros_like(played.weight)
    surplus = played.score - played.weight * fit.expected
    deviation = np.sqrt(fit.noise)
    return np.divide(surplus, deviation, out=np.zeros_like(surplus), where=deviation > 0)


def payoffs(played: Comparisons, fit: Fit) -> Array:
    """Return how far i stands above j, in units of rating, by what they did against each other; by rating, where they never met."""
    if fit.values is None or fit.expected is None or fit.information is None:
        return np.zeros_like(played.weight)
    surplus = played.score - played.weight * fit.expected
    beyond = np.divide(surplus, fit.information, out=np.zeros_like(surplus), where=fit.information > 0)
    return np.asarray(fit.values[:, None] - fit.values[None, :] + beyond)


def circles(played: Comparisons, fit: Fit) -> Circles:
    """Return the cyclic share. Source: Jiang, Lim, Yao and Ye (2011), Hodge ranking; weights are inverse variances.

    What is left when ratings are taken from ``payoffs`` is the circular part. It is never nought in a sample: chance leaves one
    variance for every pairing beyond those that fix the ratings, and one for every pairing in the whole; both are taken off.
    """
    if fit.noise is None or fit.information is None:
        return Circles(None, 0.0, 0)
    met = np.triu(fit.noise > 0, 1)
    left = float((residuals(played, fit)[met] ** 2).sum())
    whole = float((payoffs(played, fit)[met] ** 2 * fit.information[met] ** 2 / fit.noise[met]).sum())
    freedom = int(met.sum()) - (played.size - 1)
    told = whole - int(met.sum())
    share = min(max(left - freedom, 0.0) / told, 1.0) if told > 0 else None
    return Circles(share, left, freedom)


def nash_average(payoff: Array) -> Array:
    """Return how often an opponent would pick each entrant that knew only ``payoff``: the Nash equilibrium of greatest entropy.

    Source: Balduzzi et al. (2018), Re-evaluating evaluation. An entrant's copies share its weight, and who loses to everybody
    weighs nothing. At a temperature t the game has one equilibrium, softmax(payoff x p / t); it is followed by Newton while t
    falls, and its limit is the one wanted.
    """
    size = len(payoff)
    if not size:
        return np.zeros(0)
    scale = max(float(np.abs(payoff).max()), 1e-300)
    logs = np.full(size, -np.log(size))
    for cooling in np.geomspace(1.0, COOLEST, 60):
        logs = _equilibrium(payoff / scale, logs, cooling)
    return np.asarray(np.exp(logs))


def _equilibrium(payoff: Array, logs: Array, temperature: float) -> Array:
    """Return the logs of p = softmax(payoff x p / temperature), by Newton with short steps."""
    size = len(logs)
    for _ in range(100):
        chances = np.exp(logs)
        system = np.zeros((size + 1, size + 1))
        system[:size, :size] = temperature * np.eye(size) - payoff * chances
        system[:size, size], system[size, :size] = 1.0, chances
        off = np.append(payoff @ chances - temperature * logs, 1 - chances.sum())
        step = np.linalg.solve(system, off)[:size]
        logs = np.minimum(logs + step * min(1.0, 2.0 / max(np.abs(step[chances > 1e-12]).max(), 1e-300)), 0.0)
        if np.abs(step * chances).max() < 1e-13:
            break
    return np.asarray(logs - np.logaddexp.reduce(logs))
