"""Stakes and evidence: fixed before each block, never more than the wealth, and right about the mean of the scores."""

from math import exp, fsum, log, log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.scales import DIFFERENCES, EQUITY, MOST_LOST, POINTS, Scale
from arena.stats.wealth import Bets, Block, DealScore, Direction, Observations, bets, path

SHARES = st.lists(st.floats(-1, 1), max_size=40)  # of the largest score
SIDES: tuple[Direction, Direction] = (1, -1)


def block(*scores: float, luck: float = 0.0, lost: float = 0.0) -> Block:
    return Block(tuple(DealScore(score, luck) for score in scores), lost)


def placed(blocks: list[Block], scale: Scale = POINTS) -> Bets:
    return bets(Observations.of(blocks), scale)


def evidence(found: Bets, scale: Scale, mean: float, side: Direction) -> float:
    """Return the log of the wealth after the last block."""
    return float(path(found, scale, mean, side)[-1])


def by_hand(blocks: list[Block], scale: Scale, mean: float, side: Direction) -> float:
    """Return the same as README.md of arena/stats states it, block by block."""
    logs, seen, scores = [0.0] * len(scale.distances), list[DealScore](), list[float]()
    far = scale.most + side * mean
    for one in blocks:
        deals, weight = len(one.deals), 20 / len(one.deals)
        squares = sum((x - sum(scores) / len(scores)) ** 2 for x in scores)
        v = (weight * scale.variance / deals + squares) / (weight + len(scores))
        share = slope(seen, scale)
        for place, distance in enumerate(scale.distances):
            stake = min(distance / v, 0.99 / far)
            afforded = min(share, (0.99 / stake - far) / scale.most_luck)
            logs[place] += log1p(stake * side * (one.y - afforded * one.luck - mean))
        scores.append(one.y - share * one.luck)
        seen.extend(one.deals)
    top = max(logs)
    return top + log(fsum(exp(one - top) for one in logs) / len(logs))


def slope(deals: list[DealScore], scale: Scale) -> float:
    y, luck = sum(deal.y for deal in deals), sum(deal.luck for deal in deals)
    prior, count = 20 * scale.luck_variance, max(len(deals), 1)
    product = prior * scale.share + sum(deal.y * deal.luck for deal in deals) - y * luck / count
    return min(max(product / (prior + sum(deal.luck**2 for deal in deals) - luck**2 / count), 0.0), 1.0)


@pytest.mark.parametrize("scale", [POINTS, DIFFERENCES, EQUITY], ids=["points", "gauntlet", "equity"])
@pytest.mark.parametrize("side", SIDES)
def test_evidence_is_what_the_formula_says(scale: Scale, side: Direction) -> None:
    chance = np.random.default_rng(1)
    y, luck = chance.normal(0.5, 15, (80, 2)).clip(-scale.most, scale.most), chance.normal(0, 9, (80, 2))
    blocks = [Block(tuple(map(DealScore, *both))) for both in zip(y.tolist(), luck.tolist(), strict=True)]
    assert evidence(placed(blocks, scale), scale, -0.5, side) == pytest.approx(by_hand(blocks, scale, -0.5, side))
    assert evidence(bets(Observations.of_deals(y, luck), scale), scale, -0.5, side) == pytest.approx(
        evidence(placed(blocks, scale), scale, -0.5, side)
    )


def test_the_score_of_a_block_is_the_mean_of_its_deals() -> None:
    assert (block(10, -2, 0, 0).y, block(10, -2, 0, 0).hands) == (2.0, 8)
    assert Block((DealScore(8.0), DealScore(0.0, same=True))).y == 4.0


def test_the_first_variance_is_the_prior_one_and_later_ones_follow_from_the_blocks_before() -> None:
    found = placed([block(10, 10), block(-6, -6), block(40, -40)]).variance
    assert found[0] == pytest.approx(150 / 2)
    assert found[2] == pytest.approx((10 * 75 + 128) / 12), "the prior counts as ten blocks of two deals; deviations of 8, twice"


@given(SHARES, st.lists(st.floats(-60, 60), max_size=40), st.floats(-40, 40), st.floats(-40, 40))
def test_no_bet_depends_on_the_block_itself(past: list[float], luck: list[float], one: float, other: float) -> None:
    before = [block(40 * score, luck=lucky) for score, lucky in zip(past, luck, strict=False)]
    found, instead = (placed([*before, block(score, luck=other)]) for score in (one, other))
    assert (found.variance[-1], found.share[-1]) == (instead.variance[-1], instead.share[-1])
    assert 0 <= found.share[-1] <= 1


@pytest.mark.parametrize("scale", [POINTS, DIFFERENCES, EQUITY], ids=["points", "gauntlet", "equity"])
@given(scores=SHARES, luck=st.lists(st.floats(-60, 60), max_size=40), at=st.floats(-0.98, 0.98), worst=st.sampled_from([-1.0, 1.0]))
def test_no_block_costs_more_than_the_largest_loss(
    scale: Scale, scores: list[float], luck: list[float], at: float, worst: float
) -> None:
    blocks = [block(scale.most * score, luck=lucky) for score, lucky in zip(scores, luck, strict=False)]
    last = block(worst * scale.most, luck=-worst * scale.most_luck)
    found = placed([*blocks, last], scale)
    for side in SIDES:
        steps = np.diff(path(found, scale, at * scale.most, side), prepend=0.0)
        assert steps.min() >= log(1 - MOST_LOST) - 1e-9


def test_the_largest_stake_takes_no_luck_off() -> None:
    lucky = [block(8.0 * sign, luck=8.0 * sign) for sign in (1, -1)] * 30
    far = Scale(distances=(1000.0,), variance=150.0, share=0.85, luck_variance=25.0, most=40.0)
    with_luck, without = (placed([*lucky, block(3.0, luck=luck)], far) for luck in (40.0, 0.0))
    assert with_luck.share[-1] > 0.8
    assert evidence(with_luck, far, 0.0, 1) == pytest.approx(evidence(without, far, 0.0, 1))


def test_the_share_begins_at_its_prior_and_approaches_the_slope_of_score_on_luck() -> None:
    lucky = [block(0.4 * luck, luck=luck) for luck in (8.0, -8.0) * 300]
    found = placed(lucky).share
    assert found[0] == 0.85
    assert found[-1] == pytest.approx(0.4, abs=0.02)


def test_luck_that_explains_nothing_is_not_subtracted() -> None:
    blocks = [block(-30.0 + 10 * (-1) ** (number // 2), luck=10.0 * (-1) ** number) for number in range(4000)]
    assert placed(blocks).share[-1] == pytest.approx(0.0, abs=0.01), "whatever the mean score is"


def test_evidence_does_not_overflow() -> None:
    assert evidence(placed([block(40.0)] * 20_000), POINTS, -39.0, 1) > 700


def test_a_lost_block_counts_as_the_worst_for_each_side_and_teaches_nothing() -> None:
    before = [block(4.0, luck=3.0), block(-2.0, luck=1.0)] * 20
    lost = placed([*before, block(0.0, lost=1.0), block(5.0)])
    for side in SIDES:
        worst = placed([*before, block(-40.0 * side, luck=60.0 * side)])
        assert path(lost, POINTS, 0.3, side)[-2] == pytest.approx(evidence(worst, POINTS, 0.3, side))
    assert lost.variance[-1] == pytest.approx(placed([*before, block(5.0)]).variance[-1])
    assert lost.share[-1] == pytest.approx(placed([*before, block(5.0)]).share[-1])


@given(st.floats(-40, 40), st.floats(-40, 40), st.floats(-30, 30), st.floats(-30, 30))
def test_a_lost_leg_counts_for_no_side_more_than_anything_it_could_have_been(
    one: float, other: float, luck: float, lucky: float
) -> None:
    before = [block(4.0, luck=3.0), block(-2.0, luck=1.0)] * 20
    known, unknown = block(one / 2, luck=luck), block((one + other) / 2, luck=luck + lucky)
    half = placed([*before, Block(known.deals, 0.5)])
    for side in SIDES:
        assert evidence(half, POINTS, 0.3, side) <= evidence(placed([*before, unknown]), POINTS, 0.3, side) + 1e-9
