"""The arithmetic on arrays gives what the engine's gives, hand by hand."""

import numpy as np
from sampled import hands, related

from arena.gin import melds
from arena.gin.cards import DECK, Cards, bits, each
from arena.review import vectors
from arena.train import sets


def test_deadwood_is_that_of_the_engine() -> None:
    held = [*hands(10, 1500), *hands(11, 1500)]
    assert vectors.deadwoods(np.array(held)).tolist() == [melds.deadwood(one) for one in held]


def test_deadwood_after_each_throw_is_that_of_the_engine() -> None:
    held = [*hands(11, 1500)]
    cards = vectors.each(np.array(held), 11)
    assert cards.tolist() == [[*each(one)] for one in held]
    expected = [[melds.deadwood(one ^ 1 << card) for card in each(one)] for one in held]
    assert vectors.after_throws(np.array(held), cards).tolist() == expected


def test_the_cards_that_complete_a_meld_are_those_of_the_engine() -> None:
    held = [*hands(10, 1500)]
    assert sets.completes(np.array(held)).tolist() == [melds.completes(one) for one in held]


def test_melded_cards_are_those_of_some_meld() -> None:
    held = [*hands(10, 600)]
    assert vectors.meldable(np.array(held)).tolist() == [melds.union(melds.melds_in(one)) for one in held]


def test_related_cards_can_be_in_one_meld_with_a_card_that_is_held() -> None:
    held = [*hands(1, 52), *hands(3, 200)]
    assert sets.related_cards(np.array(held)).tolist() == [_related_to(one) for one in held]


def _related_to(held: Cards) -> Cards:
    return bits(card for card in each(DECK & ~held) if any(related(card, own) for own in each(held)))


def test_cards_are_counted() -> None:
    held = [*hands(3, 50), *hands(11, 50), 0, (1 << 52) - 1]
    assert vectors.counts(np.array(held)).tolist() == [one.bit_count() for one in held]
