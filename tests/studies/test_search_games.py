"""``tests/studies/search_games.py``: the decisions that are searched, and the two estimates of what that gains."""

import numpy as np
import pytest
from msgspec.structs import replace
from search_games import RULES, Search, Study, worlds_of

from arena.train import Hands
from arena.train.native import AT_DISCARD, KNOCK, SCHOLAR

FEW = Search(worlds=8, close=3.0, by_professor=False)
DECKS = np.array([np.random.default_rng(seed).permutation(52) for seed in range(3)])


def test_professor_without_search_gains_nothing_on_deals_from_both_seats() -> None:
    points, worth = Study(SCHOLAR, FEW, seed=1).play(DECKS, searches=False)
    assert points.any()
    assert (points.sum(axis=0) == 0).all()
    assert not worth.any()


@pytest.mark.parametrize("search", [FEW, replace(FEW, by_professor=True)], ids=["habits", "professor"])
def test_a_search_changes_some_close_decisions_and_says_what_that_is_worth(search: Search) -> None:
    study = Study(SCHOLAR, search, seed=1)
    _, worth = study.play(DECKS, searches=True)
    assert 0 < study.changed < study.searched < len(study.seconds) < study.decisions
    assert worth.any()


def test_gin_is_not_searched() -> None:
    state = Hands(1, RULES, autoreset=False).states[0].copy()
    gin = KNOCK + 50
    state["phase"], state["seat"], state["held"][0] = AT_DISCARD, 0, 0b1111 | 0b11_1111 << 13 | 1 << 50
    study = Study(SCHOLAR, replace(FEW, close=1000.0), seed=1)
    assert study.better(state, gin) == gin
    assert study.searched == 0


def test_a_world_differs_from_the_state_in_what_the_seat_does_not_see() -> None:
    state = Hands(1, RULES, autoreset=False).states[0]
    stock = slice(int(state["top"]), int(state["bottom"]))
    (world,) = worlds_of(state, np.array([0b11], np.uint64), state["deck"][stock][None, ::-1].copy())
    assert int(world["held"][1]) == 0b11
    assert world["deck"][stock].tolist() == state["deck"][stock][::-1].tolist()
