"""How often a verdict or an interval is wrong, over thousands of tests at once, at the very bounds where errors are likeliest.

Every kind of score has its exact mean by construction. The runs go on after a verdict, and the worst moment of each counts: so
does one who stops by hand at whatever moment pleases.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from msgspec import Struct
from numpy.typing import NDArray

from arena.stats import confidence
from arena.stats.confidence import ConfidenceSequence
from arena.stats.sequential import (
    BOUND,
    CORRECTED_BOUND,
    LUCK_SHARE,
    MOST,
    NOT_WEAKER,
    PRIOR_PAIRS,
    PRIOR_VARIANCE,
    STRONGER,
    Question,
    SequentialTest,
    Verdict,
)

Array = NDArray[np.float64]
Scores = Callable[[np.random.Generator, float, int], Iterator[tuple[Array, Array]]]  # chance, mean, runs: (score, luck) a pair

RUNS, PAIRS = 2000, 4000
NOISE = 2 * (0.05 * 0.95 / RUNS) ** 0.5  # what this many runs may be off; README.md has the rates over ten times as many


def drawn(values: Array, chances: Array) -> Scores:
    """Return scores drawn from a table; where its mean is off, all but the atom at nought are moved."""

    def scores(rng: np.random.Generator, mean: float, runs: int) -> Iterator[tuple[Array, Array]]:
        moving = values != 0
        moved = values + moving * (mean - values @ chances) / chances[moving].sum()
        assert np.abs(moved).max() <= BOUND
        assert moved @ chances == pytest.approx(mean)
        while True:
            yield rng.choice(moved, runs, p=chances), np.zeros(runs)

    return scores


def with_atom(values: list[float], chances: list[float], nought: float) -> Scores:
    """Return scores that are nought so often, and otherwise drawn from a table."""
    return drawn(np.array([0.0, *values]), np.array([nought, *(np.array(chances) * (1 - nought))]))


def dependent(rng: np.random.Generator, mean: float, runs: int) -> Iterator[tuple[Array, Array]]:
    """Yield scores whose spread and skew hang on the last one: a bounded martingale around its mean."""
    last = np.zeros(runs)
    while True:
        size = np.where(last > mean, 30.0, 4.0)
        rare = np.where(last > mean, 0.2, 0.5)
        last = mean + np.where(rng.random(runs) < rare, size * (1 - rare) / rare * 0.4, -size * 0.4)
        yield last, np.zeros(runs)


def lucky(rng: np.random.Generator, mean: float, runs: int) -> Iterator[tuple[Array, Array]]:
    """Yield scores of which luck explains the most."""
    while True:
        luck = rng.uniform(-25, 25, runs)
        yield mean + luck * 0.9 + rng.uniform(-12, 12, runs), luck


KINDS: dict[str, Scores] = {
    "skewed up": drawn(np.array([-3.0, -1.0, 2.0, 50.0]), np.array([0.4, 0.3, 0.27, 0.03])),
    "skewed down": drawn(np.array([3.0, 1.0, -2.0, -50.0]), np.array([0.4, 0.3, 0.27, 0.03])),
    "differs in 4 % of deals": with_atom([-30.0, -10.0, 10.0, 30.0], [0.25, 0.25, 0.25, 0.25], 0.96),
    "differs in 4 %, one way": with_atom([-8.0, 35.0], [0.7, 0.3], 0.96),
    "mostly nought": with_atom([-45.0, -5.0, 5.0, 45.0], [0.1, 0.3, 0.5, 0.1], 0.7),
    "as wide as may be": drawn(np.array([-59.0, 59.0]), np.array([0.5, 0.5])),
    "dependent": dependent,
    "lucky": lucky,
}


class Gamblers(Struct):
    """What :class:`arena.stats.sequential.Wealth` holds, for many runs at once."""

    pairs: int
    mean: Array
    squares: Array
    better: Array
    worse: Array

    def add(self, y: Array, question: Question, bound: float) -> None:
        variance = (PRIOR_PAIRS * PRIOR_VARIANCE + self.squares) / (PRIOR_PAIRS + self.pairs)
        reach = (question.m1 - question.m0) / variance
        self.better += np.log1p(np.minimum(reach, MOST / (bound + question.m0)) * (y - question.m0))
        self.worse += np.log1p(-np.minimum(reach, MOST / (bound - question.m1)) * (y - question.m1))
        before = y - self.mean
        self.mean = self.mean + before / (self.pairs + 1)
        self.squares = self.squares + before * (y - self.mean)
        self.pairs += 1


class Runs(Struct):
    """Many runs, pair by pair: the logs of the averaged wealths, and of each run's greatest so far."""

    better: Array
    worse: Array
    best: Array
    worst: Array
    first: NDArray[np.int8]  # 1: better was shown first; -1: not as good; 0: neither


def gamblers(runs: int) -> Gamblers:
    return Gamblers(0, *(np.zeros(runs) for _ in range(4)))


def simulate(pairs: Iterator[tuple[Array, Array]], question: Question, runs: int, length: int) -> Runs:
    plain, corrected = gamblers(runs), gamblers(runs)
    found = Runs(np.zeros(runs), np.zeros(runs), np.full(runs, -np.inf), np.full(runs, -np.inf), np.zeros(runs, np.int8))
    enough = np.log(20)
    for _, (y, luck) in zip(range(length), pairs, strict=False):
        plain.add(y, question, BOUND)
        corrected.add(y - LUCK_SHARE * luck, question, CORRECTED_BOUND)
        found.better = np.logaddexp(plain.better, corrected.better) - np.log(2)
        found.worse = np.logaddexp(plain.worse, corrected.worse) - np.log(2)
        found.best, found.worst = np.maximum(found.best, found.better), np.maximum(found.worst, found.worse)
        open_still = found.first == 0
        found.first[open_still & (found.worse >= enough)] = -1
        found.first[open_still & (found.better >= enough)] = 1
    return found


@pytest.mark.slow
@pytest.mark.parametrize("question", [STRONGER, NOT_WEAKER], ids=["stronger", "not weaker"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_verdict_is_wrong_in_one_case_of_twenty_at_most(kind: str, question: Question) -> None:
    rng = np.random.default_rng(20)
    at_m0 = simulate(KINDS[kind](rng, question.m0, RUNS), question, RUNS, PAIRS)
    at_m1 = simulate(KINDS[kind](rng, question.m1, RUNS), question, RUNS, PAIRS)
    enough = np.log(20)
    print(f"{kind}: I {np.mean(at_m0.best >= enough):.4f} II {np.mean(at_m1.worst >= enough):.4f}")  # noqa: T201 - what -s is for
    assert np.mean(at_m0.best >= enough) <= 0.05 + NOISE
    assert np.mean(at_m1.worst >= enough) <= 0.05 + NOISE


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_runs_are_those_of_the_product(kind: str) -> None:
    pairs = [pair for _, pair in zip(range(300), KINDS[kind](np.random.default_rng(4), 0.5, 5), strict=False)]
    found = simulate(iter(pairs), STRONGER, 5, 300)
    for run in range(5):
        test = SequentialTest()
        for y, luck in pairs:
            test = test.add(float(y[run]), luck=float(luck[run]))
        assert [test.better, test.worse] == pytest.approx([found.better[run], found.worse[run]])
        assert test.verdict is {1: Verdict.BETTER, -1: Verdict.NOT_AS_GOOD, 0: Verdict.GOING_ON}[int(found.first[run])]


def out_of_interval(pairs: Iterator[tuple[Array, Array]], mean: float, runs: int, length: int) -> Iterator[tuple[Array, Array]]:
    """Yield, after every pair, the logs of the wealth that bets on more than the true mean, and on less."""
    state = [gamblers(runs), gamblers(runs)]
    wealth = np.zeros((2, 2, len(confidence.REACHES), runs))
    for _, (y, luck) in zip(range(length), pairs, strict=False):
        for kind, (score, bound) in enumerate([(y, BOUND), (y - LUCK_SHARE * luck, CORRECTED_BOUND)]):
            past = state[kind]
            variance = (PRIOR_PAIRS * PRIOR_VARIANCE + past.squares) / (PRIOR_PAIRS + past.pairs)
            wealth[0, kind] += np.log1p(np.minimum(confidence.REACHES / variance, MOST / (bound + mean)) * (score - mean))
            wealth[1, kind] += np.log1p(-np.minimum(confidence.REACHES / variance, MOST / (bound - mean)) * (score - mean))
            past.add(score, STRONGER, bound)
        logs = np.logaddexp.reduce(wealth, axis=(1, 2)) - np.log(2 * len(confidence.REACHES))
        yield logs[0], logs[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_holds_the_mean_at_every_look(kind: str) -> None:
    mean, runs = 0.5, 600
    out = np.zeros(runs, dtype=bool)
    for above, below in out_of_interval(KINDS[kind](np.random.default_rng(8), mean, runs), mean, runs, 1500):
        out |= (above >= np.log(40)) | (below >= np.log(40))
    print(f"{kind}: covered {1 - out.mean():.4f}")  # noqa: T201 - what -s is for
    assert 1 - out.mean() >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_is_that_of_the_product(kind: str) -> None:
    pairs = [pair for _, pair in zip(range(100), KINDS[kind](np.random.default_rng(5), 0.5, 3), strict=False)]
    *_, (above, below) = out_of_interval(iter(pairs), 0.5, 3, 100)
    for run in range(3):
        sequence = ConfidenceSequence.start()
        for y, luck in pairs:
            sequence = sequence.add(float(y[run]), luck=float(luck[run]))
        logs = np.logaddexp.reduce(sequence.wealth[..., sequence.grid == 0.5], axis=(1, 2))[:, 0] - np.log(
            2 * len(confidence.REACHES)
        )
        assert logs == pytest.approx(np.array([above[run], below[run]]))
