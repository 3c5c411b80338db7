"""``python tests/studies/ranks.py [--leagues N]``: how far the stated chance to be first is from the true one.

Leagues are simulated: strengths are drawn with a given spread, in standard errors of a rating, and every two bots play pairs of
hands; in a sparse league only neighbours in a ring do, in two parts only bots of one part, and the first part is looked at. In a
cycle three kinds of bots each win more against the next. The bot with the largest stated chance to be first is called the leader.
*From* and *to* are the means of the range that is stated of that chance, *learned* is the mean chance with the learned spread, and
*true* the share of leagues whose leader is the strongest (one of k equal bots counts 1 / k). *Places* is the share of bots whose
interval of places contains a place that they have, *of the leader* the same of the leader. In the second table the leaders
are sorted by the learned chance.
"""

import argparse
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple

from arena.stats.estimates import estimates, fit_points, rank_interval
from arena.stats.fit import Array, Comparisons

PAIRS = 50  # of hands between every two bots
DEVIATION = 12.0  # points a hand, of a pair
FAR = 40.0  # points a hand, by which an outlier is behind
SIZES = (2, 4, 8)
SPREADS = (0.0, 0.5, 1.0, 2.0, 4.0)  # standard errors of a rating
CYCLE = 3.0  # points a hand, that one kind of bot in a cycle wins more against the next
SPECIAL = (BEHIND := "one far behind", AHEAD := "one far ahead", SPARSE := "sparse", APART := "two parts", CYCLIC := "in a cycle")
BINS = (0.0, 0.4, 0.6, 0.8, 0.95, 1.0)


class SimulatedLeague(Struct, frozen=True):
    """What was stated of the leader of one league."""

    low: float  # end of the range of its chance to be the strongest
    stated: float
    high: float
    true: float  # 1 if it is the strongest, 1 / k if it is one of k strongest, else 0
    places: float  # share of the bots whose interval of places is right
    leader: bool  # whether that of the leader is


class Setting(Struct, frozen=True):
    """A kind of league."""

    size: int
    spread: float
    special: str = ""  # one of ``SPECIAL``

    @property
    def name(self) -> str:
        """Return the name shown in the table."""
        return f"{self.size} bots, {self.spread:g} apart{self.special and f', {self.special}'}"


SETTINGS = (
    *(Setting(size, spread) for size in SIZES for spread in SPREADS),
    *(Setting(9, spread, special) for special in SPECIAL for spread in (0.0, 1.0)),
)


def simulate(setting: Setting, leagues: int, seed: int = 1) -> list[SimulatedLeague]:
    """Return this many leagues."""
    chance = np.random.default_rng([seed, *setting.name.encode()])
    return [_league(setting, chance) for _ in range(leagues)]


def stated_and_true(leagues: Sequence[SimulatedLeague]) -> tuple[float, float]:
    """Return the mean stated chance and the true share."""
    return float(np.mean([one.stated for one in leagues])), float(np.mean([one.true for one in leagues]))


def _league(setting: Setting, chance: np.random.Generator) -> SimulatedLeague:
    size = setting.size
    error = DEVIATION / sqrt(PAIRS * size)
    strengths = chance.standard_normal(size) * setting.spread * error
    strengths[-1] += {BEHIND: -FAR, AHEAD: FAR}.get(setting.special, 0.0)
    rated = fit_points([str(at) for at in range(size)], _played(strengths, setting.special, chance))
    part = rated.parts[0]
    found = estimates(rated)
    leader = max(part.names, key=lambda name: found[name].ranks[0])
    here = {name: strengths[int(name)] for name in part.names}
    best = [name for name in here if here[name] == max(here.values())]
    ends = found[leader].first
    assert ends
    right = {name: _is_right(rank_interval(found[name].ranks), here[name], here.values()) for name in here}
    return SimulatedLeague(
        ends[0],
        found[leader].ranks[0],
        ends[1],
        float(leader in best) / len(best),
        float(np.mean(list(right.values()))),
        right[leader],
    )


def _is_right(interval: tuple[int, int] | None, strength: float, field: Collection[float]) -> bool:
    """Return whether an interval of places has one of those that a bot of this strength has in its field."""
    first, last = 1 + sum(one > strength for one in field), sum(one >= strength for one in field)
    return interval is not None and interval[0] <= last and first <= interval[1]


def _meet(one: int, other: int, size: int, special: str) -> bool:
    """Return whether two bots meet."""
    if special == SPARSE:
        return (one - other) % size in {1, size - 1}
    return special != APART or (one < size // 2) == (other < size // 2)


def _played(strengths: Array, special: str, chance: np.random.Generator) -> Comparisons:
    """Return the results of ``PAIRS`` pairs of two hands between every two bots that meet."""
    size = len(strengths)
    tables = np.zeros((6, size, size))
    kinds = chance.permutation(size) % 3
    for i in range(size):
        for j in (j for j in range(i) if _meet(i, j, size, special)):
            cycle = (0.0, CYCLE, -CYCLE)[(kinds[i] - kinds[j]) % 3] if special == CYCLIC else 0.0
            score = 2 * chance.normal(strengths[i] - strengths[j] + cycle, DEVIATION, PAIRS)
            squares, count = (score**2).sum(), float(PAIRS)
            tables[:, i, j] = 2 * count, score.sum(), 4 * count, 2 * score.sum(), squares, count
            tables[:, j, i] = 2 * count, -score.sum(), 4 * count, -2 * score.sum(), squares, count
    return Comparisons(*tables)


def by_setting(found: Iterable[tuple[Setting, list[SimulatedLeague]]]) -> Iterator[str]:
    """Yield the table of all settings."""
    yield "| league | from | learned | to | true | places | of the leader |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for setting, leagues in found:
        low, stated, high, true, places, leader = np.mean([astuple(one) for one in leagues], axis=0).tolist()
        yield f"| {setting.name} | {low:.0%} | {stated:.0%} | {high:.0%} | {true:.0%} | {places:.3f} | {leader:.3f} |"


def by_chance(leagues: Sequence[SimulatedLeague]) -> Iterator[str]:
    """Yield the table of learned chances."""
    yield "| learned between | leagues | learned | true |"
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
    every: list[SimulatedLeague] = []

    def found() -> Iterator[tuple[Setting, list[SimulatedLeague]]]:
        for setting in SETTINGS:
            every.extend(simulated := simulate(setting, leagues))
            yield setting, simulated

    for line in by_setting(found()):
        print(line, flush=True)  # noqa: T201
    print("", *by_chance(every), sep="\n")  # noqa: T201


if __name__ == "__main__":
    main()
