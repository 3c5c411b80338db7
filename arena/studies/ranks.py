"""``python -m arena.studies.ranks [--leagues N]``: how far the stated chance to be first is from the true one.

Leagues are simulated: strengths are drawn with a given spread, in standard errors of a rating, and every two bots play pairs of
hands. The bot with the largest stated chance to be first is called the leader. *Stated* is the mean of that chance, *true* the
share of leagues whose leader is the strongest (one of k equal bots counts 1 / k), and *by the errors alone* what would be stated if
the estimates had no common prior. In the second table the leaders of all leagues are sorted by what was stated.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.fit import least_squares
from arena.stats.posterior import believe
from arena.stats.ranks import rank_chances

PAIRS = 50  # of hands between every two bots
DEVIATION = 12.0  # points a hand, of a pair
FAR = 40.0  # points a hand, by which an outlier is behind
SIZES = (2, 4, 8)
SPREADS = (0.0, 0.5, 1.0, 2.0, 4.0)  # standard errors of a rating
BINS = (0.0, 0.4, 0.6, 0.8, 0.95, 1.0)


class SimulatedLeague(Struct, frozen=True):
    """What was stated of the leader of one league."""

    stated: float
    by_errors: float
    true: float  # 1 if it is the strongest, 1 / k if it is one of k strongest, else 0


class Setting(Struct, frozen=True):
    """A kind of league."""

    size: int
    spread: float
    outlier: bool = False

    @property
    def name(self) -> str:
        """Return the name shown in the table."""
        return f"{self.size} bots, {self.spread:g} apart{', one far behind' if self.outlier else ''}"


SETTINGS = (
    *(Setting(size, spread) for size in SIZES for spread in SPREADS),
    *(Setting(4, spread, outlier=True) for spread in (0.0, 1.0)),
)


def simulate(setting: Setting, leagues: int, seed: int = 1) -> list[SimulatedLeague]:
    """Return this many leagues."""
    chance = np.random.default_rng(seed)
    return [_league(setting, chance) for _ in range(leagues)]


def stated_and_true(leagues: Sequence[SimulatedLeague]) -> tuple[float, float]:
    """Return the mean stated chance and the true share."""
    return float(np.mean([one.stated for one in leagues])), float(np.mean([one.true for one in leagues]))


def _league(setting: Setting, chance: np.random.Generator) -> SimulatedLeague:
    size = setting.size
    error = DEVIATION / sqrt(PAIRS * size)
    strengths = chance.standard_normal(size) * setting.spread * error
    if setting.outlier:
        strengths[-1] -= FAR
    fit = least_squares(_played(strengths, chance))
    assert fit.values is not None
    assert fit.covariance is not None
    stated = rank_chances(believe(fit.values, fit.covariance, np.full(size, 1 / size)).draws())[:, 0]
    leader = int(stated.argmax())
    best = np.flatnonzero(strengths == strengths.max())
    return SimulatedLeague(
        float(stated[leader]), _by_errors(fit.values, fit.covariance, leader, chance), float(leader in best) / len(best)
    )


def _played(strengths: Array, chance: np.random.Generator) -> Comparisons:
    """Return the results of ``PAIRS`` pairs of two hands between every two bots."""
    size = len(strengths)
    tables = np.zeros((6, size, size))
    for i in range(size):
        for j in range(i):
            score = 2 * chance.normal(strengths[i] - strengths[j], DEVIATION, PAIRS)
            squares, count = (score**2).sum(), float(PAIRS)
            tables[:, i, j] = 2 * count, score.sum(), 4 * count, 2 * score.sum(), squares, count
            tables[:, j, i] = 2 * count, -score.sum(), 4 * count, -2 * score.sum(), squares, count
    return Comparisons(*tables)


def _by_errors(values: Array, covariance: Array, leader: int, chance: np.random.Generator) -> float:
    draws = chance.multivariate_normal(values, covariance, 2000, method="eigh")
    return float((draws.argmax(axis=1) == leader).mean())


def by_setting(found: Sequence[tuple[Setting, list[SimulatedLeague]]]) -> Iterator[str]:
    """Yield the table of all settings."""
    yield "| league | by the errors alone | stated | true |"
    yield "|---|--:|--:|--:|"
    for setting, leagues in found:
        stated, true = stated_and_true(leagues)
        yield f"| {setting.name} | {np.mean([one.by_errors for one in leagues]):.0%} | {stated:.0%} | {true:.0%} |"


def by_chance(leagues: Sequence[SimulatedLeague]) -> Iterator[str]:
    """Yield the table of stated chances."""
    yield "| stated between | leagues | stated | true |"
    yield "|---|--:|--:|--:|"
    for low, high in pairwise(BINS):
        inside = [one for one in leagues if low < one.stated <= high]
        if inside:
            stated, true = stated_and_true(inside)
            yield f"| {low:.0%} and {high:.0%} | {len(inside)} | {stated:.0%} | {true:.0%} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=200)
    leagues = parser.parse_args().leagues
    found = [(setting, simulate(setting, leagues)) for setting in SETTINGS]
    every = [one for _, several in found for one in several]
    print("\n".join([*by_setting(found), "", *by_chance(every)]))  # noqa: T201


if __name__ == "__main__":
    main()
