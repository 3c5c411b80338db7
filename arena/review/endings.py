"""What many hands score at their ends: a knock, gin or big gin with its lay-offs, or a stock that runs out. Source: R5.2, R6-R8."""

from functools import lru_cache
from typing import Final

import numpy as np

from arena.gin.cards import Melds
from arena.gin.rules import Rules
from arena.gin.score import Ending, Showdown, score
from arena.review.lay_offs import after_lay_offs, defended, parts
from arena.review.vectors import Flags, Ints, deadwoods

MOST: Final = 100  # points of deadwood that ten cards can leave


class Endings:
    """The scores of ended hands under some rules, in points for the seat that calls; negative, if the other scores."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._scores = {called: _scores(rules, called) for called in (Ending.KNOCK, Ending.GIN, Ending.BIG_GIN, Ending.SHOWDOWN)}
        self.may_knock: Flags = np.array([rules.may_knock_with(left) for left in range(MOST + 1)])

    def knock(self, caller: Ints, left: Ints, defender: Ints) -> Ints:
        """Return what a knock scores; ``left`` points are gin if they are 0. The caller lays its best melds."""
        gin = left == 0
        theirs = deadwoods(defender)
        open_to = ~gin | self._rules.layoff_on_gin
        theirs[open_to] = after_lay_offs(caller[open_to], defender[open_to])
        return np.where(gin, self._scores[Ending.GIN][0, theirs], self._scores[Ending.KNOCK][left, theirs])

    def knock_with(self, melds: Melds, left: int, defender: Ints) -> Ints:
        """Return what a knock with declared melds scores against each hand."""
        theirs = deadwoods(defender)
        if left or self._rules.layoff_on_gin:
            in_runs, fourths = parts(melds)
            theirs = defended(defender, np.full_like(defender, in_runs), np.full_like(defender, fourths))
        return np.asarray(self._scores[Ending.KNOCK if left else Ending.GIN][left, theirs])

    def big_gin(self, defender: Ints) -> Ints:
        """Return what big gin scores."""
        return np.asarray(self._scores[Ending.BIG_GIN][0, deadwoods(defender)])

    def out(self, last: Ints, other: Ints) -> Ints:
        """Return what hands score in which the stock runs out after a throw of the seat ``last``, for that seat."""
        if self._rules.stock_out != "showdown":
            return np.zeros(len(last), np.int64)
        return np.asarray(self._scores[Ending.SHOWDOWN][deadwoods(last), after_lay_offs(last, other)])


@lru_cache(maxsize=64)
def _scores(rules: Rules, called: Ending) -> Ints:
    """Return the score of each deadwood of the caller (rows) and of the defender."""
    callers = range(MOST + 1) if called in (Ending.KNOCK, Ending.SHOWDOWN) else (0,)
    return np.array(
        [[for_caller(Showdown(called, 0, (mine, theirs)), rules) for theirs in range(MOST + 1)] for mine in callers], np.int64
    )


def for_caller(show: Showdown, rules: Rules) -> int:
    """Return the points of the caller, seat 0; negative, if the other seat scores."""
    result = score(show, rules)
    return result.points if result.winner == 0 else -result.points
