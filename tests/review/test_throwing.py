"""What a throw by habits is judged by agrees with counting each case."""

from itertools import combinations

import numpy as np

from arena.gin.cards import bits
from arena.gin.cards import each as cards_of
from arena.gin.melds import deadwood
from arena.review import fitting, policy
from arena.review.vectors import after_throws, each


def melds(three: tuple[int, ...]) -> bool:
    return deadwood(bits(three)) == 0


def in_melds(held: int) -> int:
    return bits({card for three in combinations(cards_of(held), 3) if melds(three) for card in three})


def dealt(seed: int, *sizes: int) -> list[int]:
    order = np.random.default_rng(seed).permutation(52).tolist()
    return [bits(order[start : start + size]) for start, size in zip(np.cumsum((0, *sizes)), sizes, strict=False)]


def test_the_cards_kept_are_judged_by_their_melds_and_the_ways_to_another() -> None:
    for seed in range(8):
        held, dead, known = dealt(seed, 11, 6, 2)
        cards = each(np.array([held]), 11)
        found = policy.matters(np.array([held]), cards, after_throws(np.array([held]), cards), np.array([dead]), np.array([known]))
        for place, thrown in enumerate(cards[0].tolist()):
            kept = held & ~(1 << thrown)
            others, live = kept & ~in_melds(kept), [*cards_of(bits(range(52)) & ~(held | dead | known))]
            assert found[5][0, place] == in_melds(kept).bit_count()
            assert found[6][0, place] == sum(melds((*two, card)) for two in combinations(cards_of(others), 2) for card in live)


def test_there_is_a_weight_for_each_fact_about_a_throw() -> None:
    held = np.array([dealt(1, 11)[0]])
    cards = each(held, 11)
    found = policy.matters(held, cards, after_throws(held, cards), np.array([0]), np.array([0]))
    assert len(found) == len(fitting.flat().throwing) == len(fitting.SPREAD_THROWS)
