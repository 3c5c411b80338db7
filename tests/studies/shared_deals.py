"""``python tests/studies/shared_deals.py FOLDER [--deals N]``: what it is worth that all pairings play the same deals.

Ten bots, among them two with another value for one constant, play every other on the same deals from both seats, with the two-ended
stock. The results are lines of a file in the folder, to which the same command adds what is missing. Printed is the variance of the
difference of two ratings, divided by what it would be if each pairing had played as many deals of its own; and how often intervals
hold the ratings of all deals, in leagues whose deals are drawn from these.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import table_policy
from msgspec import Struct, json
from msgspec.structs import replace
from numpy.typing import NDArray
from table_policy import TablePolicy

from arena.records import net
from arena.stats.comparisons import sum_pairs
from arena.stats.estimates import hand_points
from arena.stats.fit import least_squares
from arena.stats.pairs import Pair, cap
from arena.stats.ranks import WIDTH

Array = NDArray[np.float64]

BOTS = (
    *map(TablePolicy, ("greedy", "cautious", "card-counter", "two-way", "early-bird", "gin-hunter", "challenger", "scholar")),
    TablePolicy("early-bird", "EARLY", 2),
    TablePolicy("two-way", "LATE_KNOCK", 4),
)
BLOCK = 20  # deals that are played before the next pairing
LEAGUES = 300  # drawn for each number of deals


class PlayedDeal(Struct, frozen=True, array_like=True):
    """A deal, played by two bots from both seats."""

    deal: int
    one: int  # place in ``BOTS``
    other: int
    points: int  # net of ``one`` in both hands, each capped


def play(file: Path, deals: int) -> None:
    """Play the deals that are missing."""
    bots, done = [policy.build() for policy in BOTS], len(results(file))
    with file.open("ab") as out:
        for first in range(done, deals, BLOCK):
            for one, other in combinations(range(len(BOTS)), 2):
                both = (bots[one], bots[other])
                legs = (table_policy.hands(seats, "all", first, BLOCK) for seats in (both, both[::-1]))
                for deal, (leg, swapped) in enumerate(zip(*legs, strict=True), first):
                    points = cap(net(leg, 0)) + cap(net(swapped, 1))
                    out.write(json.encode(PlayedDeal(deal, one, other, points)) + b"\n")


def results(file: Path) -> Array:
    """Return the net points of each bot (second index) against each other (third) on each deal that all have played (first)."""
    lines = [json.decode(line, type=PlayedDeal) for line in file.read_bytes().splitlines()] if file.is_file() else []
    pairings = len(BOTS) * (len(BOTS) - 1) // 2
    found = np.zeros((len(lines) // pairings // BLOCK * BLOCK, len(BOTS), len(BOTS)))
    for line in lines:
        if line.deal < len(found):
            found[line.deal, line.one, line.other], found[line.deal, line.other, line.one] = line.points, -line.points
    return found


def ratios(points: Array, rounds: Sequence[Array]) -> Array:
    """Return the variance of the difference of two ratings with shared deals, divided by that with deals of their own.

    Each round is a table of who meets whom; all who meet in it play the same deals, and those of two rounds are different.
    """
    shared = sum(np.cov((points * met).sum(axis=2), rowvar=False) for met in rounds)
    variances = points.var(axis=0, ddof=1)
    return np.asarray(_of_differences(np.asarray(shared)) / _of_differences(np.diag(variances.sum(axis=1)) - variances))


def _of_differences(covariance: Array) -> Array:
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance + np.eye(len(own)))


def everybody(size: int) -> list[Array]:
    """Return one round in which everybody meets everybody."""
    return [np.ones((size, size)) - np.eye(size)]


def one_opponent(size: int) -> Iterator[Array]:
    """Yield rounds in which everybody meets one other, until all have met; ``size`` is even."""
    circle = list(range(1, size))
    for turn in range(size - 1):
        order = [0, *circle[turn:], *circle[:turn]]
        met = np.zeros((size, size))
        met[order, order[::-1]] = 1
        yield met


def coverage(points: Array, deals: int, *, aware: bool) -> float:
    """Return how often the 95 % interval of a difference holds it, in round robins on some of the deals."""
    chance, truth, inside = np.random.default_rng(1), points.mean(axis=0).mean(axis=1) / 2, []
    above = np.triu_indices(len(truth), 1)
    for _ in range(LEAGUES):
        found = sum_pairs(_pairs(points[chance.integers(0, len(points), deals)]), hand_points)[1]
        fit = least_squares(found if aware else replace(found, shared=None))
        missed = np.abs(np.subtract.outer(fit.values - truth, fit.values - truth))
        inside.append((missed <= WIDTH * np.sqrt(_of_differences(fit.covariance)))[above].mean())
    return float(np.mean(inside))


def _pairs(points: Array) -> Iterator[Pair]:
    for deal, scores in enumerate(points.astype(int).tolist()):
        for one, other in combinations(range(len(scores)), 2):
            yield Pair(
                entrant=f"bot{one:03}",
                opponent=f"bot{other:03}",
                deals=f"all/{deal}",
                batch=True,
                legs=2,
                matches=(0, 0),
                games=(0, 0),
                points=(0, 0),
                capped_points=scores[one][other],
                hands=2,
            )


def _lines(points: Array) -> Iterator[str]:
    size = len(BOTS)
    together, apart = ratios(points, everybody(size)), ratios(points, list(one_opponent(size)))
    yield f"{len(points)} deals: variance with shared deals / with deals of their own"
    yield "| bots | all on the same deals | one opponent on each |\n|---|--:|--:|"
    rows = [
        (together[one, other], apart[one, other], f"{BOTS[one].name} – {BOTS[other].name}")
        for one, other in combinations(range(size), 2)
    ]
    for first, second, names in sorted(rows):
        yield f"| {names} | {first:.2f} | {second:.2f} |"
    for kind, column in (("median", np.median), ("mean", np.mean)):
        yield f"| {kind} | {column([row[0] for row in rows]):.2f} | {column([row[1] for row in rows]):.2f} |"
    yield "| deals | covered | by intervals of independent pairs |\n|--:|--:|--:|"
    for deals in (8, 20, 60):
        yield f"| {deals} | {coverage(points, deals, aware=True):.3f} | {coverage(points, deals, aware=False):.3f} |"


def main() -> None:
    """Play, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deals", type=int, default=600)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    play(options.folder / "results.jsonl", options.deals)
    for line in _lines(results(options.folder / "results.jsonl")[: options.deals]):
        print(line)  # noqa: T201


if __name__ == "__main__":
    main()
