"""A player that plays by habits, one decision at a time: the opponent of the rollouts, for the referee's engine."""

import numpy as np

from arena.gin.actions import Action
from arena.gin.cards import Card
from arena.gin.view import View
from arena.review import throwing
from arena.review.habits import Habits
from arena.review.own_play import action_by, throws_of
from arena.review.rollouts import TURNS


class HabitPlayer:
    """Takes by the rule of the policy; throws and knocks by habits."""

    def __init__(self, habits: Habits, random: np.random.Generator) -> None:
        self._knocking, self._throwing, self._random = habits.knocking(TURNS), np.array(habits.throwing), random

    def answer(self, view: View) -> Action:
        """Return what it does."""
        return action_by(view, lambda turn, left: bool(self._random.random() < self._knocking[turn, left]), self._throw)

    def _throw(self, view: View) -> Card:
        judged_by = throws_of(view)
        liked = throwing.likings(self._throwing, throwing.matters(*judged_by), self._random.gumbel(size=(1, 11)))[0]
        cards = judged_by[1][0]
        may = view.may_discard >> cards & 1 == 1
        return int(cards[np.where(may, liked, -np.inf).argmax()])
