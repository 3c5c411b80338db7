"""What the kernel says of a throw agrees with counting each case."""

import numpy as np
from support.hands.reference import cost, features

from arena.gin.cards import bits, each
from arena.review import fitting
from arena.review.habits import usual_habits
from arena.review.rollouts import judged_throws
from arena.train.native import FEATURES


def dealt(seed: int, *sizes: int) -> list[int]:
    order = np.random.default_rng(seed).permutation(52).tolist()
    return [bits(order[start : start + size]) for start, size in zip(np.cumsum((0, *sizes)), sizes, strict=False)]


def test_a_throw_is_judged_by_what_it_leaves_and_by_what_the_other_seat_may_do_with_it() -> None:
    held, dead, known = zip(*(dealt(seed, 11, 6, seed % 3) for seed in range(12)), strict=True)
    found = judged_throws(held, dead, known)
    assert found.cards.tolist() == [[*each(cards)] for cards in held]
    hands = [*zip(held, dead, known, strict=True)]
    counted = [[features(hand, card, *seen) for card in each(hand)] for hand, *seen in hands]
    assert found.features.tolist() == [[[*map(float, each)] for each in of_hand] for of_hand in counted]
    assert found.costs.tolist() == [[*map(cost, of_hand)] for of_hand in counted]
    assert (found.features > 0).any(axis=(0, 1)).all(), "each is seen"


def test_there_is_a_weight_for_each_fact_about_a_throw() -> None:
    assert FEATURES == len(usual_habits().throwing) == len(fitting.SPREAD_THROWS)
