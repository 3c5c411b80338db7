"""What learners compute from sets of cards is what the engine computes, one set at a time."""

from typing import Any

import numpy as np
import pytest
from support.hands.sampled import hands as sampled
from support.hands.sampled import related

from arena.gin.cards import DECK, bits, each
from arena.gin.melds import completes, deadwood
from arena.train import beside, completing, deadwoods


def test_deadwoods_and_completing_cards_are_those_of_the_engine_in_any_shape() -> None:
    held = [cards for size in (1, 5, 10, 11) for cards in sampled(size, 100)]
    several = np.array(held).reshape(4, 50, 2)[:, ::-1]
    assert deadwoods(several).ravel().tolist() == [deadwood(cards) for cards in several.ravel().tolist()]
    assert completing(several).ravel().tolist() == [completes(cards) for cards in several.ravel().tolist()]
    assert deadwoods(0) == 0
    assert several.ravel().tolist() != held  # and what was given is not overwritten
    assert sorted(several.ravel().tolist()) == sorted(held)


def test_beside_a_card_are_those_of_its_rank_and_its_neighbours_in_its_suit() -> None:
    for held in (*sampled(1, 52), *sampled(3, 200)):
        near = (one for one in each(DECK & ~held) if any(related(one, own) for own in each(held)))
        assert int(beside(held)) == bits(near)


@pytest.mark.parametrize(("given", "message"), [(0.5, "dtype float64"), (1 << 52, "a bit above the 52 cards"), (-1, "a bit above")])
def test_what_is_no_set_of_cards_is_refused(given: Any, message: str) -> None:
    for compute in (deadwoods, completing, beside):
        with pytest.raises(ValueError, match=f"^sets: {message}"):
            compute([given])
