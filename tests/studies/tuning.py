"""``python tests/studies/tuning.py [null] [REPETITIONS]``: how many hands some searches need to find planted optima.

Objectives are simulated: a hand has a standard deviation of 25 points, and the errors of candidates that share deals a correlation
of 0.3. The optimum is drawn at random, and gains 2 points a hand over the start. ``quadratic``: correlated parameters; ``skewed``:
steeper on one side of the optimum; ``plateau``: flat far from it. A cell is the median share of the gain that is missing at the
end. With ``null`` no parameter matters, and the output is how often the duel at the end says "better".

SPSA is that of fishtest and OpenBench: two-sided, a pair of hands an iteration, alpha 0.602, gamma 0.101, A a tenth of the
iterations, c at the end a twentieth of the range. A pair of hands has the spread of a pair of games, in units of 25 points. It is
run with the usual r at the end, 0.002, and with a larger one. Random search gives each of 30 points the same deals.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import NamedTuple

import numpy as np

from arena.extras.tuner.tune import CANDIDATES, ROUNDS, Array, Round, Tuner, summarize
from arena.parameters import Parameter
from arena.stats.duels import Question, SequentialTest, Verdict
from arena.stats.scales import POINTS
from arena.stats.wealth import Block, DealScore, Observations

DEVIATION, SHARED, GAIN = 25.0, 0.3, 2.0
BUDGETS = (2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
ENOUGH = 0.1  # share of the gain that may be missing
Objective = Callable[[Array], float]


class Planted(NamedTuple):
    """Objectives, as many as there are rows, and their starts in the unit cube."""

    kind: str
    best: Array  # n x d
    curved: Array  # n x d x d
    start: Array  # n x d

    def gains(self, points: Array) -> Array:
        """Return the gain of each row's point over its start."""
        found: Array = GAIN * (1 - self._losses(points) / self._losses(self.start))
        return found

    def one(self, row: int, point: Array) -> float:
        """Return the gain of a point in one of the objectives."""
        return float(self._replace(best=self.best[[row]], curved=self.curved[[row]], start=self.start[[row]]).gains(point[None])[0])

    def _losses(self, points: Array) -> Array:
        apart = points - self.best
        if self.kind == "skewed":
            apart = np.where(apart > 0, 2 * apart, apart)
        square: Array = np.einsum("ni,nij,nj->n", apart, self.curved, apart)
        return 1 - np.exp(-3 * square) if self.kind == "plateau" else square


def planted(kind: str, size: int, rows: int) -> Planted:
    """Return some objectives; those of a kind and a size are always the same."""
    best, curved, start = np.empty((rows, size)), np.empty((rows, size, size)), np.empty((rows, size))
    for row in range(rows):
        random = np.random.default_rng([row, size])
        best[row] = random.uniform(0.15, 0.85, size)
        start[row] = random.uniform(0.05, 0.95, size)
        while abs(start[row] - best[row]).max() < 0.25:
            start[row] = random.uniform(0.05, 0.95, size)
        turned, _ = np.linalg.qr(random.normal(size=(size, size)))
        curved[row] = (turned * np.exp(random.uniform(-1, 1, size))) @ turned.T
    return Planted(kind, best, curved, start)


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
    return np.array(list(tuned(objective, start, hands, random, early=early).best.values()))


def tuned(objective: Objective, start: Array, hands: int, random: np.random.Generator, *, early: bool = False) -> Tuner:
    """Return what the search knows at its end."""
    names = [f"p{axis}" for axis in range(len(start))]
    parameters = {name: Parameter(float(value), 0.0, 1.0) for name, value in zip(names, start, strict=True)}
    rounds: list[Round] = []
    seed = str(random.integers(1 << 30))
    while True:
        tuner = Tuner(parameters, seed, rounds)
        reason = tuner.reason_to_end(hands)
        asked = tuner.next_candidates()
        if reason == "budget" or (early and reason) or not asked:
            return tuner
        deals = max(2, hands // (2 * ROUNDS * len(asked)))
        points = np.array([list(values.values()) for values in asked])
        rounds.append(summarize(asked, play(objective, points, deals, random), 2 * deals * len(asked) + 2 * CANDIDATES))


def by_rows(search: Callable[[Objective, Array, int, np.random.Generator], Array], several: Planted, hands: int) -> Array:
    """Return the points that a search finds, one objective after the other."""
    return np.array(
        [search(partial(several.one, row), start, hands, np.random.default_rng(row)) for row, start in enumerate(several.start)]
    )


def spsa(r_end: float, several: Planted, hands: int) -> Array:
    """Return the points that the search of fishtest and OpenBench finds, in all objectives at once."""
    random, point = np.random.default_rng(1), several.start.copy()
    steps, c_end = hands // 2, 0.05
    base = 0.1 * steps
    c, a = c_end * steps**0.101, r_end * c_end**2 * (base + steps) ** 0.602
    for step in range(1, steps + 1):
        reach = c / step**0.101
        rate = a / (base + step) ** 0.602 / reach**2
        flips = random.choice([-1.0, 1.0], point.shape)
        above, below = np.clip(point + reach * flips, 0, 1), np.clip(point - reach * flips, 0, 1)
        noise = DEVIATION / np.sqrt(2) * random.normal(size=len(point))
        won = 2 * (several.gains(above) - several.gains(below) + noise) / DEVIATION
        point = np.clip(point + rate * reach * won[:, None] * flips, 0, 1)
    return point


def random_search(objective: Objective, start: Array, hands: int, random: np.random.Generator) -> Array:
    """Return the best of some random points."""
    points = np.vstack([start, random.uniform(size=(29, len(start)))])
    found: Array = points[int(np.argmax(play(objective, points, hands // 60, random).mean(axis=1)))]
    return found


SEARCHES: dict[str, Callable[[Planted, int], Array]] = {
    "arena tune": partial(by_rows, tune),
    "SPSA, r 0.002": partial(spsa, 0.002),
    "SPSA, r 0.03": partial(spsa, 0.03),
    "random": partial(by_rows, random_search),
}


def rows(repetitions: int) -> Iterator[str]:
    """Yield the rows of the table."""
    for size in (1, 3, 6):
        for kind in ("quadratic", "skewed", "plateau"):
            several = planted(kind, size, repetitions)
            for name, search in SEARCHES.items():
                found: dict[int, float] = {}
                for hands in BUDGETS:
                    found[hands] = 1 - median(several.gains(search(several, hands)).tolist()) / GAIN
                    if found[hands] <= ENOUGH:
                        break
                needed = f"{hands:,}" if found[hands] <= ENOUGH else "more"
                cells = " | ".join(f"{found[one]:.2f}" if one in found else "" for one in BUDGETS)
                yield f"| {kind}, {size} | {name} | {cells} | {needed} |"


def table(repetitions: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| objective, parameters | search | {' | '.join(f'{hands:,}' for hands in BUDGETS)} | hands for 90 % |"
    yield f"|---|---|{'--:|' * (len(BUDGETS) + 1)}"
    yield from rows(repetitions)


def false_claims(repetitions: int) -> Iterator[str]:
    """Yield how often something is found, and called better, where no parameter matters."""
    test = SequentialTest(question=Question(0.0, 0.5), scale=POINTS, alpha=0.05, beta=0.05, most_hands=4_000, until="verdict")
    found = better = 0
    for number in range(repetitions):
        random = np.random.default_rng(number)
        start = random.uniform(size=3)
        if np.allclose(tune(nothing, start, 8_000, random, early=True), start, atol=1e-3):
            continue
        found += 1
        scores = random.normal(0, DEVIATION / np.sqrt(2), (1_000, 2))
        blocks = [Block(tuple(DealScore(score, 0.0, 2, same=False) for score in row), 0.0) for row in scores.tolist()]
        better += test.judge(Observations.of(blocks)).verdict is Verdict.BETTER
    yield f"of {repetitions} searches {found} found other values, and {better} of these were called better"


if __name__ == "__main__":
    wanted = int(sys.argv[-1]) if len(sys.argv) > 1 else 7
    for line in (false_claims if "null" in sys.argv else table)(wanted):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
