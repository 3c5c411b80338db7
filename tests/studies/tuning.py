"""``python tests/studies/tuning.py [REPETITIONS]``: how many hands some searches need to find planted optima.

Objectives are simulated: a hand has a standard deviation of 25 points, and the errors of candidates that share deals a correlation
of 0.3. The optimum is drawn at random, and gains 2 points a hand over the start. ``quadratic``: correlated parameters; ``skewed``:
steeper on one side of the optimum; ``plateau``: flat far from it. A cell is the median share of the gain that is missing at the end.

SPSA is that of fishtest and OpenBench: two-sided, a pair of hands an iteration, alpha 0.602, gamma 0.101, A a tenth of the
iterations, c at the end a twentieth of the range. A pair of hands has the spread of a pair of games, in units of 25 points. It is run
with the usual r at the end, 0.002, and with a larger one. Random search gives each of 30 points the same deals.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

import numpy as np

from arena.compare.tune import CANDIDATES, ROUNDS, Array, Round, Tuner, summarize
from arena.parameters import Parameter

DEVIATION, SHARED, GAIN = 25.0, 0.3, 2.0
BUDGETS = (2_000, 4_000, 8_000, 16_000, 32_000)
MORE = (64_000, 128_000, 256_000)  # for the other searches alone
Objective = Callable[[Array], float]
Search = Callable[[Objective, Array, int, np.random.Generator], Array]


def planted(kind: str, size: int, random: np.random.Generator) -> tuple[Objective, Array]:
    """Return an objective and its start, both in the unit cube."""
    best = random.uniform(0.15, 0.85, size)
    start = random.uniform(0.05, 0.95, size)
    while abs(start - best).max() < 0.25:
        start = random.uniform(0.05, 0.95, size)
    turned, _ = np.linalg.qr(random.normal(size=(size, size)))
    curved = (turned * np.exp(random.uniform(-1, 1, size))) @ turned.T

    def loss(point: Array) -> float:
        apart = point - best
        if kind == "skewed":
            apart = np.where(apart > 0, 2 * apart, apart)
        square = float(apart @ curved @ apart)
        return 1 - float(np.exp(-3 * square)) if kind == "plateau" else square

    whole = loss(start)
    return (lambda point: GAIN * (1 - loss(point) / whole)), start


def nothing(_: Array) -> float:
    """Return 0: no parameter matters."""
    return 0.0


def play(objective: Objective, points: Array, deals: int, random: np.random.Generator) -> Array:
    """Return the differences to the start of points on common deals, two hands each."""
    noise = np.sqrt(SHARED) * random.normal(size=(1, deals)) + np.sqrt(1 - SHARED) * random.normal(size=(len(points), deals))
    found: Array = np.array([[objective(point)] for point in points]) + DEVIATION / np.sqrt(2) * noise
    return found


def tune(objective: Objective, start: Array, hands: int, random: np.random.Generator, *, early: bool = False) -> Array:
    """Search as ``arena tune``; ``early``: end as soon as it would."""
    names = [f"p{axis}" for axis in range(len(start))]
    parameters = {name: Parameter(float(value), 0.0, 1.0) for name, value in zip(names, start, strict=True)}
    rounds: list[Round] = []
    seed = str(random.integers(1 << 30))
    while True:
        tuner = Tuner(parameters, seed, rounds)
        reason = tuner.over(hands)
        asked = tuner.ask()
        if reason == "budget" or (early and reason) or not asked:
            return np.array(list(tuner.best.values()))
        deals = max(2, hands // (2 * ROUNDS * len(asked)))
        points = np.array([list(values.values()) for values in asked])
        rounds.append(summarize(asked, play(objective, points, deals, random), 2 * deals * len(asked) + 2 * CANDIDATES))


def spsa(objective: Objective, start: Array, hands: int, random: np.random.Generator, r_end: float = 0.002) -> Array:
    """Search as fishtest and OpenBench do."""
    steps, c_end = hands // 2, 0.05
    base, point = 0.1 * steps, start.copy()
    c, a = c_end * steps**0.101, r_end * c_end**2 * (base + steps) ** 0.602
    for step in range(1, steps + 1):
        reach, flips = c / step**0.101, random.choice([-1.0, 1.0], len(start))
        rate = a / (base + step) ** 0.602 / reach**2
        above, below = np.clip(point + reach * flips, 0, 1), np.clip(point - reach * flips, 0, 1)
        won = 2 * (objective(above) - objective(below) + DEVIATION / np.sqrt(2) * random.normal()) / DEVIATION
        point = np.clip(point + rate * reach * won * flips, 0, 1)
    return point


def random_search(objective: Objective, start: Array, hands: int, random: np.random.Generator) -> Array:
    """Return the best of some random points."""
    points = np.vstack([start, random.uniform(size=(29, len(start)))])
    found: Array = points[int(np.argmax(play(objective, points, hands // 60, random).mean(axis=1)))]
    return found


SEARCHES: dict[str, Search] = {
    "arena tune": tune,
    "SPSA, r 0.002": spsa,
    "SPSA, r 0.03": partial(spsa, r_end=0.03),
    "random": random_search,
}


def missing(search: Search, kind: str, size: int, hands: int, repetitions: int) -> float:
    """Return the median share of the gain that a search misses."""
    shares = []
    for number in range(repetitions):
        random = np.random.default_rng([number, size])
        objective, start = planted(kind, size, random)
        shares.append(1 - objective(search(objective, start, hands, random)) / GAIN)
    return median(shares)


def rows(repetitions: int) -> Iterator[str]:
    """Yield the rows of the table."""
    for kind in ("quadratic", "skewed", "plateau"):
        for size in (1, 2, 4, 6):
            for name, search in SEARCHES.items():
                found = {hands: missing(search, kind, size, hands, repetitions) for hands in BUDGETS}
                if min(found.values()) > 0.1 and name != "arena tune":
                    found |= {hands: missing(search, kind, size, hands, max(5, repetitions // 3)) for hands in MORE}
                needed = next((f"{hands:,}" for hands, share in found.items() if share <= 0.1), "more")
                cells = " | ".join(f"{found[hands]:.2f}" if hands in found else "" for hands in (*BUDGETS, *MORE))
                yield f"| {kind}, {size} | {name} | {cells} | {needed} |"


def table(repetitions: int) -> Iterator[str]:
    """Yield the lines of the table."""
    columns = (*BUDGETS, *MORE)
    yield f"| objective, parameters | search | {' | '.join(f'{hands:,}' for hands in columns)} | hands for 90 % |"
    yield f"|---|---|{'--:|' * (len(columns) + 1)}"
    yield from rows(repetitions)


if __name__ == "__main__":
    for line in table(int(sys.argv[1]) if len(sys.argv) > 1 else 9):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
