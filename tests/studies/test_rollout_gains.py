"""``tests/studies/rollout_gains.py``: the decisions that are searched."""

import numpy as np
from rollout_gains import RULES, Study, is_gin, worlds_of

from arena.gin.match import Scoreline
from arena.gin.seeing import see
from arena.sdk.bot import least_left
from arena.train.engine import hand_of
from arena.train.native import KNOCK, SCHOLAR


def test_a_search_judges_decisions_of_seat_0_and_keeps_gin() -> None:
    study = Study(SCHOLAR, worlds=4, seed=1)
    decisions = study.decisions(12, seed=1)
    assert set(decisions["seat"]) == {0}
    views = [see(hand_of(state, RULES), Scoreline()) for state in decisions]
    gin = [view.may_knock != 0 and is_gin(view, KNOCK + least_left(view)) for view in views]
    assert any(gin)
    assert [study.gain(state) for state in decisions[gin]] == [0] * sum(gin)
    assert any(study.gain(state) for state in decisions[:20])


def test_a_world_differs_from_the_state_in_what_the_seat_does_not_see() -> None:
    state = Study(SCHOLAR, worlds=4, seed=1).decisions(1, seed=1)[0]
    stock = slice(int(state["top"]), int(state["bottom"]))
    (world,) = worlds_of(state, np.array([0b11], np.uint64), state["deck"][stock][None, ::-1].copy())
    views = [see(hand_of(one, RULES), Scoreline()) for one in (state, world)]
    assert views[0] == views[1]
    assert int(world["held"][1]) == 0b11
    assert world["deck"][stock].tolist() == state["deck"][stock][::-1].tolist()
