"""``tests/studies/search_games.py``: the decisions that are searched, and the two estimates of what that gains."""

import numpy as np
import pytest
from search_games import RULES, Study, worlds_of

from arena.train import Hands
from arena.train.native import SCHOLAR
from arena_bots.common.lookahead import Lookahead

FEW = Lookahead(worlds=8, close=3.0)
DECKS = np.array([np.random.default_rng(seed).permutation(52) for seed in range(3)])


def test_professor_without_search_gains_nothing_on_deals_from_both_seats() -> None:
    points, worth = Study(SCHOLAR, FEW, seed=1).play(DECKS, searches=False)
    assert points.any()
    assert (points.sum(axis=0) == 0).all()
    assert not worth.any()


@pytest.mark.process
def test_looking_ahead_changes_some_decisions_and_the_study_says_what_that_is_worth() -> None:
    study = Study(SCHOLAR, FEW, seed=1)
    _, worth = study.play(DECKS, searches=True)
    assert 0 < study.changed < len(study.seconds) < study.decisions
    assert worth.any()


def test_a_world_differs_from_the_state_in_what_the_seat_does_not_see() -> None:
    state = Hands(1, RULES, autoreset=False).states[0]
    stock = slice(int(state["top"]), int(state["bottom"]))
    (world,) = worlds_of(state, np.array([0b11], np.uint64), state["deck"][stock][None, ::-1].copy())
    assert int(world["held"][1]) == 0b11
    assert world["deck"][stock].tolist() == state["deck"][stock][::-1].tolist()
