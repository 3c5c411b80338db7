"""``python tests/studies/intervals.py [--leagues N] [--rounds N] [--bots N] [--aim AIM] [--field FIELD]``: how right a table is.

Leagues with fields of several kinds are simulated (``simulated.py``). Printed are for each kind the share of the 95 % intervals
that hold the true rating, of all bots and of the first of the table; by how much the rating of the first is too high on average, in
points a hand; and the mean half of an interval. In brackets stands the same for ratings as measured, with 1.96 standard errors on
either side.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from simulated import AIMS, FIELDS, SimulatedLeague

WIDTH = 1.96  # standard errors, of an interval of the ratings as measured


class SeenTable(Struct, frozen=True):
    """How right a table is."""

    covered: float  # share of the intervals
    leader: bool  # whether that of the first is right
    excess: float  # by how much the rating of the first is too high
    half: float  # mean half of an interval


def judge(found: dict[str, tuple[float, float, float]], true: dict[str, float], first: str) -> SeenTable:
    """Return how right ratings are, each with the ends of its interval."""
    mean = float(np.mean(list(true.values())))
    right = {name: low <= true[name] - mean <= high for name, (_, low, high) in found.items()}
    half = float(np.mean([(high - low) / 2 for _, low, high in found.values()]))
    return SeenTable(float(np.mean(list(right.values()))), right[first], found[first][0] - true[first] + mean, half)


def simulate(kind: str, aim: str, rounds: int, size: int, leagues: int) -> list[tuple[SeenTable, SeenTable]]:
    """Return for each league how right its table is, and how right the ratings as measured are."""
    chance, seen = np.random.default_rng(7), []
    for _ in range(leagues):
        league = SimulatedLeague(FIELDS[kind](size, chance), aim, chance)
        league.play(rounds)
        ratings = league.ratings().estimates
        shown = {name: (ratings[name].value, ratings[name].low, ratings[name].high) for name in league.table().ranking}
        measured = {
            name: (one.value, one.value - WIDTH * one.error, one.value + WIDTH * one.error)
            for name, one in league.measured().items()
        }
        best = max(measured, key=lambda name: measured[name][0])
        seen.append((judge(shown, league.true, next(iter(shown))), judge(measured, league.true, best)))
    return seen


def row(seen: Sequence[tuple[SeenTable, SeenTable]]) -> str:
    """Return the cells of one kind of league."""
    shown, measured = zip(*seen, strict=True)
    cells = []
    for name, digits in (("covered", ".3f"), ("leader", ".3f"), ("excess", "+.2f"), ("half", ".2f")):
        now, alone = (float(np.mean([getattr(one, name) for one in several])) for several in (shown, measured))
        cells.append(f"{now:{digits}} ({alone:{digits}})")
    return " | ".join(cells)


def main() -> None:
    """Print a table for each aim."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--bots", type=int, default=8)
    parser.add_argument("--aim", choices=AIMS, action="append")
    parser.add_argument("--field", choices=FIELDS, action="append")
    options = parser.parse_args()
    for aim in options.aim or AIMS:
        print(f"\n| {aim} | all | first | first too high by | half |\n|---|--:|--:|--:|--:|", flush=True)  # noqa: T201
        for kind in options.field or FIELDS:
            print(f"| {kind} | {row(simulate(kind, aim, options.rounds, options.bots, options.leagues))} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
