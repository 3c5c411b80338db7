"""A player by habits, for the referee's engine, is the opponent of the rollouts."""

import numpy as np
import pytest
from msgspec.structs import replace
from self_play import self_play

from arena.gin.actions import DISCARD, Discard, Knock
from arena.gin.cards import each
from arena.gin.melds import deadwood
from arena.review import habits
from arena.review.own_play import HabitPlayer
from arena.review.walking import HandStep
from arena_bots.gin_hunter import GinHunter

NEVER, ALWAYS = ((0.0,) * 11,) * 13, ((1.0,) * 11,) * 13
TIDY = (-50.0, *(0.0,) * 6)  # throws what leaves the least deadwood


def turns(count: int) -> list[HandStep]:
    hands = self_play((GinHunter("a"), GinHunter("b")), count, "habits")
    return [one for played in hands for one in played if one.hand.phase is DISCARD]


def player(knocks: tuple[tuple[float, ...], ...], throwing: tuple[float, ...] = TIDY) -> HabitPlayer:
    by = replace(habits.usual(), knocks=knocks, throwing=throwing)
    return HabitPlayer(by, np.random.default_rng(1))


@pytest.mark.process
def test_it_knocks_as_often_as_its_habits_say() -> None:
    may = [one.view for one in turns(30) if one.view.may_knock and deadwood(one.view.cards) > 0]
    open_ = [view for view in may if min(deadwood(view.without(card)) for card in each(view.may_knock))]
    assert len(open_) > 20
    assert all(isinstance(player(ALWAYS).answer(view), Knock) for view in open_)
    assert all(isinstance(player(NEVER).answer(view), Discard) for view in open_)


def test_it_throws_by_what_its_habits_like() -> None:
    for one in turns(5):
        action = player(NEVER).answer(one.view)
        least = min(deadwood(one.view.without(card)) for card in each(one.view.may_discard))
        assert isinstance(action, Discard | Knock)
        assert deadwood(one.view.without(action.card)) == least


@pytest.mark.process
def test_it_never_throws_what_it_may_not() -> None:
    returns = (50.0, *(0.0,) * 6)  # likes to leave much
    views = [one.view for one in turns(20)]
    actions = [player(NEVER, returns).answer(view) for view in views]
    assert all(view.may_discard >> one.card & 1 for view, one in zip(views, actions, strict=True) if isinstance(one, Discard))
