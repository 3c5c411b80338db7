"""``tests/studies/responses.py``: parameters of Professor as terms of its networks."""

import numpy as np
import pytest
from responses import NAMES, with_terms

from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand
from arena.gin.seeing import see
from arena_bots.common.taught import Taught
from arena_bots.professor import Professor
from arena_bots.training.measure import PAIRED


@pytest.mark.process
def test_networks_with_terms_choose_as_professor_does_with_its_parameters() -> None:
    values = np.array([3.0, -4.0, 2.0, 1.5, 0.1])
    one, other, usual, changed = Taught("", with_terms(values)), Professor(""), Professor(""), 0
    for name, value in zip(NAMES, values.tolist(), strict=True):
        setattr(other, name, value)
    batch = Batch(PAIRED, Deals("responses", "terms"), 4)
    while not batch.over:
        hand, standing = Hand.start(batch.deal(), batch.rules), batch.standing
        while hand.result is None:
            view = see(hand, standing)
            action = one.answer(view)
            assert action == other.answer(view)
            changed += action != usual.answer(view)
            hand = hand.play(action)
        batch = batch.add(hand.result)
    assert changed
