"""The ladder is in order: each bot beats the one named beside it, at 95 % certainty, on paired deals."""

import pytest

from arena.gin.deal import Deals
from arena.gin.match import Batch
from arena_bots.training.measure import PAIRED, Measurement, bot, measure, play_pairs

STEPS = [  # better, worse, hands
    ("greedy", "random-legal", 100),
    ("card-counter", "greedy", 3000),
    ("two-way", "greedy", 1000),
    ("early-bird", "card-counter", 800),
    ("gin-hunter", "two-way", 800),
    ("challenger", "early-bird", 2400),
    ("scholar", "early-bird", 600),
    ("scholar", "challenger", 1200),
    ("professor", "challenger", 2400),
]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("better", "worse", "hands"), STEPS, ids=[f"{better} beats {worse}" for better, worse, _ in STEPS])
def test_the_ladder_is_in_order(better: str, worse: str, hands: int) -> None:
    strength = measure(bot(better), bot(worse), hands)
    assert strength.mean > strength.error, f"{better} against {worse}: {strength}"


@pytest.mark.process
def test_a_bot_is_as_strong_as_itself() -> None:
    strength = measure(bot("card-counter"), bot("card-counter"), 40)
    assert strength == Measurement(0.0, 0.0, 40, strength.won, strength.seconds)


@pytest.mark.process
def test_what_one_bot_gains_the_other_loses() -> None:
    forth, back = measure(bot("greedy"), bot("two-way"), 100), measure(bot("two-way"), bot("greedy"), 100)
    assert forth.mean == -back.mean
    assert forth.error == back.error


def test_both_legs_of_a_pair_have_the_same_deal() -> None:
    (first, second), *_ = play_pairs(bot("two-way"), bot("two-way"), Batch(PAIRED, Deals("legs", "pairs"), 1))
    assert first == second
