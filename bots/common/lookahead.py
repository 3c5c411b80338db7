"""Plays close discards and knocks to the end of the hand, against cards that the opponent is likely to hold.

The networks know a position by some thirty numbers, and so judge discards that differ by little only roughly. For these,
:mod:`arena.review` samples hands of the opponent by the habits of players in general, and plays each on after each of the actions.
The networks and the rollouts err independently, so the mean of both is better than either.
"""

from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from arena.gin.actions import Pass
from arena.review.habits import usual_habits
from arena.review.hand_walks import step_of
from arena.review.rollouts import Rollouts, states
from arena.review.sights import sight
from arena.review.worlds import SAMPLES, sample
from arena.sdk import Action, BigGin, Discard, Knock, View, deadwood
from arena.sdk.bot import least_left
from arena.train.engine import action_of, number_of

from .equity import counts_games, in_points
from .values import Valuer

WORLDS = 500
CLOSE = 4.0  # points by the networks that an action may be worth less than the best, and is still compared

Values = dict[int, float]  # of actions, by their numbers in the kernel
Floats = NDArray[np.float64]


class Lookahead:
    """Compares actions over sampled worlds.

    The usual habits are read from their file when it is made: a bot that is ready may open none.
    """

    def __init__(self, worlds: int = WORLDS, close: float = CLOSE) -> None:
        self._worlds, self._close, self._habits = worlds, close, usual_habits()
        self._play = cache(lambda rules: Rollouts(rules, self._habits))

    def better(self, bot: Valuer, view: View, action: Action) -> Action:
        """Return the best of the actions that are close by the networks of ``bot``; ``action``, its own, if none is, or gin.

        The networks know no score: in a game, its chances are added to them in units of points, and which actions are close does
        not depend on it.
        """
        if goes_gin(view, action):
            return action
        values = close_actions(bot, view, self._close)
        if len(values) == 1:
            return action
        points = self.points(view, list(values), bot.random)
        if counts_games(view):
            points = in_points(view, points)
        best = list(values)[int(np.argmax(points.mean(axis=0) + list(values.values())))]
        return action if best == number_of(action) else action_of(best)

    def points(self, view: View, actions: list[int], random: Random) -> Floats:
        """Return the points of each action (columns) in sampled worlds (rows)."""
        (found,) = sample([sight(view)], self._habits, self._worlds // SAMPLES, [np.random.default_rng(random.getrandbits(64))])
        begun, size = states(step_of(view, Pass()), found), len(found.theirs)
        places, first = np.repeat(np.arange(size), len(actions)), np.tile(actions, size)
        return self._play(view.rules).points(begun, found.chance, places, first).reshape(size, len(actions))


def goes_gin(view: View, action: Action) -> bool:
    """Tell whether an action ends the hand with gin."""
    return isinstance(action, BigGin) or (isinstance(action, Knock) and deadwood(view.without(action.card)) == 0)


def close_actions(bot: Valuer, view: View, close: float) -> Values:
    """Return the discards and the knock that are worth at most ``close`` points less than the best, with their values."""
    values = {number_of(Discard(card)): value for value, card in bot.throw_values(view, view.cards, view.may_discard)}
    if view.may_knock:
        knock = Knock(least_left(view))
        values[number_of(knock)] = bot.knock_value(view, deadwood(view.without(knock.card)))
    least = max(values.values()) - close
    return {number: value for number, value in values.items() if value >= least}
