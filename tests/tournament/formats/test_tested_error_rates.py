"""Error rates of verdicts and intervals over thousands of simulated tests, at the bounds, where errors are most likely.

Scores of every kind have their exact mean by construction, and are judged by the classes that arena ships. Real hands of bots with
and without moods are in ``tests/tournament/formats/test_tested_standing_proof.py``; here are scores that no bot was seen to have.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from support.sizes import mostly_nightly, size
from verdict_study import largest

from arena.stats.confidence_sequence import bisect
from arena.stats.pairs import CAP
from arena.stats.scales import DIFFERENCES, POINTS
from arena.stats.wealth import Observations
from arena.tournament.formats.tested import LEG

Array = NDArray[np.float64]
Scores = Callable[[np.random.Generator, int], tuple[Array, Array]]  # scores and luck of the deals of a number of blocks, a row each

RUNS, BLOCKS = size(400, 2000), 1000
NOISE = 2 * (0.05 * 0.95 / RUNS) ** 0.5  # tolerance for this many runs
MEAN = 0.5


def drawn(values: list[float], chances: list[float]) -> Scores:
    """Return scores drawn from a table; all values except zero are shifted to give the wanted mean."""
    table, chance = np.array(values), np.array(chances)
    moving = table != 0
    moved = table + moving * (MEAN - table @ chance) / chance[moving].sum()
    assert np.abs(moved).max() <= CAP
    assert moved @ chance == pytest.approx(MEAN)
    return lambda rng, blocks: (rng.choice(moved, (blocks, LEG), p=chance), np.zeros((blocks, LEG)))


def with_atom(values: list[float], chances: list[float], zero: float) -> Scores:
    """Return scores that are zero with chance ``zero``, and otherwise drawn from a table."""
    return drawn([0.0, *values], [zero, *(chance * (1 - zero) for chance in chances)])


def dependent(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
    """Return scores whose variance and skew depend on the last block: a bounded martingale around its mean."""
    scores, last = np.empty((blocks, LEG)), 0.0
    for row, chances in zip(scores, rng.random((blocks, LEG)), strict=True):
        size, rare = (24.0, 0.2) if last > MEAN else (4.0, 0.5)
        row[:] = MEAN + np.where(chances < rare, size * (1 - rare) / rare * 0.4, -size * 0.4)
        last = row.mean()
    return scores, np.zeros((blocks, LEG))


def lucky(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
    """Return scores that luck mostly explains."""
    luck = rng.uniform(-25, 25, (blocks, LEG))
    return MEAN + luck * 0.9 + rng.uniform(-12, 12, (blocks, LEG)), luck


def moody(size: float) -> Scores:
    """Return scores whose block as a whole is better or worse by ``size`` points; luck explains more in one mood."""

    def scores(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
        mood, luck = rng.choice([-1.0, 1.0], (blocks, 1)), rng.uniform(-10, 10, (blocks, LEG))
        return MEAN + size * mood + (0.7 + 0.5 * mood) * luck + rng.choice([-9.0, 9.0], (blocks, LEG)), luck

    return scores


def drifting(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
    """Return scores that rise within a block, in some blocks twice as fast."""
    slope = np.linspace(-9, 9, LEG) * rng.choice([1.0, 2.0], (blocks, 1))
    return MEAN + slope + rng.normal(0, 8, (blocks, LEG)).clip(-20, 20), np.zeros((blocks, LEG))


def learning(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
    """Return scores of a bot that finds out how to win at a random deal of a block, or not at all; then it stays better by 16."""
    found, expected = rng.integers(0, LEG + 1, (blocks, 1)), (LEG + 1) / 2 / (LEG + 1)  # of the deals that are played after it
    known = np.arange(LEG) >= found
    return MEAN + 16 * (known - (1 - expected)) + rng.normal(0, 8, (blocks, LEG)).clip(-30, 30), np.zeros((blocks, LEG))


def against_field(opponents: int, size: float) -> Scores:
    """Return the scores of a gauntlet: candidate less baseline, over the opponents.

    Every leg is a process with a mood of its own that is worth ``size`` points. A deal has both seats of both bots against each
    opponent, four legs, whose luck counts as independent here: real legs share cards, and differ less.
    """
    sides = np.tile([1.0, 1.0, -1.0, -1.0], opponents)[:, None]

    def scores(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
        legs = (blocks, 4 * opponents, 1)
        mood, luck = size * rng.choice([-1.0, 1.0], legs), rng.uniform(-20, 20, (*legs[:2], LEG))
        hands = sides * (mood + 0.8 * luck + rng.choice([-15.0, 15.0], luck.shape))
        return MEAN + hands.mean(axis=1) * 2, (sides * luck).mean(axis=1) * 2

    return scores


def rare(score: float, chance: float) -> Scores:
    """Return scores that are constant, but in some blocks ``score`` in all deals."""
    usual = (MEAN - chance * score) / (1 - chance)
    return lambda rng, blocks: (np.where(rng.random((blocks, 1)) < chance, score, usual) + np.zeros(LEG), np.zeros((blocks, LEG)))


def lattice(size: float, share: float = 1.0) -> Scores:
    """Return scores that are ``size`` or ``-size`` in all deals of a block; 0 in the rest of the blocks."""
    up = (share + MEAN / size) / 2

    def scores(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
        drawn = rng.random((blocks, 1))
        return np.where(drawn < up, size, np.where(drawn < share, -size, 0.0)) + np.zeros(LEG), np.zeros((blocks, LEG))

    return scores


PARETO = (np.random.default_rng(1).pareto(1.1, 200_000) * 2).clip(0, 2 * CAP)


def pareto(sign: int) -> Scores:
    """Return scores with a heavy tail on one side, held to the largest."""
    shift = bisect(lambda by: float((sign * PARETO + by).clip(-CAP, CAP).mean()) < MEAN, -CAP, CAP, 50)[0]
    held = (sign * PARETO + shift).clip(-CAP, CAP)
    return lambda rng, blocks: (rng.choice(held, (blocks, LEG)), np.zeros((blocks, LEG)))


def volatile(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
    """Return scores whose standard deviation is 15 times as large in every second 200 blocks."""
    scale = np.where(np.arange(blocks) // 200 % 2 == 0, 0.6, 9.0)[:, None]
    return MEAN + (scale * rng.normal(0, 1, (blocks, LEG))).clip(MEAN - CAP, CAP - MEAN), np.zeros((blocks, LEG))


def loud_later(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
    """Return scores that do not vary in 60 blocks, and then as much as they can."""
    loud = (np.arange(blocks) >= 60)[:, None] * rng.choice([-1.0, 1.0], (blocks, 1)) * (CAP - MEAN)
    return MEAN + loud + np.zeros(LEG), np.zeros((blocks, LEG))


def skewed_luck(share: float) -> Scores:
    """Return scores that luck, rarely large, explains by ``share``, and from a third of the blocks on by ``-share``."""

    def scores(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
        luck = np.where(rng.random((blocks, LEG)) < 0.02, 58.8, -1.2)
        slope = np.where(np.arange(blocks) < blocks / 3, share, -share)[:, None]
        return MEAN + slope * luck + rng.normal(0, 4, (blocks, LEG)).clip(-15, 15), luck

    return scores


def one_of_four(rng: np.random.Generator, blocks: int) -> tuple[Array, Array]:
    """Return the scores of a gauntlet in which the candidate gives all away to one of four opponents in a share of its legs."""
    given = (rng.random((2, blocks, 1)) < 0.1).mean(axis=0)
    y = MEAN - 2 * CAP / 4 * (given - 0.1) + rng.normal(0, 6, (blocks, LEG)).clip(-20, 20)
    return y, np.zeros((blocks, LEG))


KINDS: dict[str, Scores] = {
    "skewed up": drawn([-3.0, -1.0, 2.0, 35.0], [0.4, 0.3, 0.27, 0.03]),
    "skewed down": drawn([3.0, 1.0, -2.0, -35.0], [0.4, 0.3, 0.27, 0.03]),
    "differ in 4 % of deals": with_atom([-25.0, -10.0, 10.0, 25.0], [0.25, 0.25, 0.25, 0.25], 0.96),
    "differ in 4 % of deals, skewed": with_atom([-12.0, 15.0], [0.7, 0.3], 0.96),
    "mostly zero": with_atom([-35.0, -5.0, 5.0, 35.0], [0.1, 0.3, 0.5, 0.1], 0.7),
    "as wide as possible": drawn([-39.0, 39.0], [0.5, 0.5]),
    "dependent on the last block": dependent,
    "lucky": lucky,
    "moods of 2 points": moody(2.0),
    "moods of 8 points": moody(8.0),
    "drift within a block": drifting,
    "learning within a block": learning,
    "a catastrophe in 0.5 % of blocks": rare(-CAP, 0.005),
    "a catastrophe in 0.05 % of blocks": rare(-CAP, 0.0005),
    "a jackpot in 2 % of blocks": rare(CAP, 0.02),
    "all or nothing": lattice(CAP),
    "steps of 12.5 in a tenth of blocks": lattice(12.5, 0.1),
    "a heavy tail above": pareto(1),
    "a heavy tail below": pareto(-1),
    "volatile": volatile,
    "quiet, then loud": loud_later,
    "skewed luck that turns": skewed_luck(0.3),
    "gauntlet, one opponent": against_field(1, 0.0),
    "gauntlet, one opponent, moods of 8 points": against_field(1, 8.0),
    "gauntlet, three opponents, moods of 5 points": against_field(3, 5.0),
    "gauntlet, a catastrophe in 0.6 % of blocks": rare(-2 * CAP, 0.00625),
    "gauntlet, gives all away to one of four": one_of_four,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", mostly_nightly(KINDS, *list(KINDS)[::3]))
def test_a_verdict_is_wrong_and_an_interval_misses_the_mean_at_most_one_time_in_twenty(kind: str) -> None:
    scale = DIFFERENCES if "gauntlet" in kind else POINTS
    found = largest(lambda chance, blocks: Observations.of_deals(*KINDS[kind](chance, blocks)), MEAN, RUNS, scale, BLOCKS)
    print(f"| {kind} | {found.better:.3f} | {found.worse:.3f} | {found.covered:.3f} |")  # noqa: T201 - shown with -s
    assert max(found.better, found.worse, 1 - found.covered) <= 0.05 + NOISE


@pytest.mark.slow
@pytest.mark.parametrize("mean", [-38.0, -25.0, 25.0, 38.0])
def test_a_verdict_on_very_unequal_bots_is_wrong_at_most_one_time_in_twenty(mean: float) -> None:
    """The scores are as far from 0 as can be told, and reach both ends of their range."""
    share = (mean / CAP + 1) / 2

    def draw(chance: np.random.Generator, blocks: int) -> Observations:
        y = CAP * (2 * chance.beta(6 * share, 6 * (1 - share), (blocks, LEG)) - 1)
        return Observations.of_deals(y, np.zeros((blocks, LEG)))

    found = largest(draw, mean, RUNS, POINTS, BLOCKS)
    assert max(found.better, found.worse, 1 - found.covered) <= 0.05 + NOISE


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_every_kind_have_their_mean_and_stay_within_the_bounds_of_their_scale(kind: str) -> None:
    scale = DIFFERENCES if "gauntlet" in kind else POINTS
    y, luck = KINDS[kind](np.random.default_rng(3), 100_000)
    means = y.mean(axis=1)
    assert np.abs(means).max() <= scale.most
    assert np.abs(luck.mean(axis=1)).max() <= scale.most_luck
    assert means.mean() == pytest.approx(MEAN, abs=max(5 * means.std() / 100_000**0.5, 0.02))
