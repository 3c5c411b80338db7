"""``bots/common/lookahead.py``: discards and knocks that are close by the networks, compared by rollouts."""

import numpy as np
import pytest

from arena.gin.cards import card
from arena.gin.rulesets import Standard
from arena.sdk import Action, Discard, Knock, View
from arena.sdk.positions import position
from arena.train.engine import number_of
from arena_bots.common.lookahead import CLOSE, Lookahead, close_actions
from arena_bots.professor import Professor

FEW = Lookahead(worlds=8)
EARLY = position("2c3c4c7d8d9dThJhKh5s6s", pile="Qs")  # deadwood 21 after Kh or Th is thrown


def own(view: View) -> Action:
    """Return Professor's action."""
    action: Action = Professor("a").answer(view)
    return action


def test_close_actions_are_those_within_some_points_of_the_best_by_the_networks() -> None:
    every = close_actions(Professor("a"), EARLY, 1000.0)
    values = sorted(every.values(), reverse=True)
    second = values[0] - values[1]
    assert list(close_actions(Professor("a"), EARLY, 0.0).values()) == values[:1]
    assert len(close_actions(Professor("a"), EARLY, second + 1e-9)) == 2


def test_a_knock_is_compared_with_discards() -> None:
    view = position("2c3c4c7d8d9dThJhQhAs2s", pile="Ks")
    knock = number_of(Knock(card("2s")))
    assert {knock, number_of(Discard(card("2s")))} <= set(close_actions(Professor("a"), view, 1000.0))


def test_the_best_by_the_sum_of_networks_and_rollouts_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = list(close_actions(Professor("a"), EARLY, CLOSE))
    assert len(actions) > 1
    least = actions[-1]
    monkeypatch.setattr(Lookahead, "points", lambda _, __, asked, ___: 100 * (np.array([asked]) == least))
    assert number_of(FEW.better(Professor("a"), EARLY, own(EARLY))) == least


def test_the_same_random_numbers_give_the_same_action() -> None:
    assert FEW.better(Professor("a"), EARLY, own(EARLY)) == FEW.better(Professor("a"), EARLY, own(EARLY))


def test_the_score_of_a_game_decides_between_a_safe_and_a_risky_action(monkeypatch: pytest.MonkeyPatch) -> None:
    safe, risky = list(close_actions(Professor("a"), EARLY, CLOSE))[:2]
    outcomes = {safe: [10, 10], risky: [70, -60]}  # which lose a game at 10:95, unless a hand wins it
    monkeypatch.setattr(Lookahead, "points", lambda _, __, asked, ___: np.array([outcomes.get(one, [-60, -60]) for one in asked]).T)
    for score, best in (((0, 0), safe), ((30, 95), risky)):
        view = position("2c3c4c7d8d9dThJhKh5s6s", pile="Qs", rules=Standard(), score=score)
        assert number_of(FEW.better(Professor("a"), view, own(view))) == best


def test_gin_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """R7.1."""
    monkeypatch.setattr(Lookahead, "points", None)
    view = position("2c3c4c7d8d9dThJhQhKhAs", pile="Ks")
    gin = Knock(card("As"))
    assert Lookahead(worlds=8, close=1000.0).better(Professor("a"), view, gin) == gin
