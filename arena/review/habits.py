"""Habits: a model of a player: its deadwood at each turn, the evidence of its takes and throws, when it knocks and what it throws.

``weights`` and ``evidence`` are the logarithm of how much likelier a hand of ten cards is than a random one:
``weights[turn][deadwood] - sum(evidence * facts)``, where the facts are counts of cards (``arena.review.likelihood.FACTS``),
and the coefficients change in equal steps from those of the first turn to those of the last row. ``knocks`` are chances.
``throwing`` weighs the features of a throw (``arena.train.rollouts``): a card is thrown with a chance in proportion to
exp(throwing * features). All are fitted on hands whose cards are open (``arena.review.fitting``), never on the reviewed hand.
"""

from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from msgspec import Struct, json

from arena.review.arrays import Floats, Ints

HABITS_VERSION: Final = 4  # of the usual habits
TURNS: Final = 13  # rows of the tables; the last is for all later turns. The kernel's TURNS is another number.

# Deadwood of 0 to 10 points has a column each, more has wider ones.
EDGES: Final = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 23, 26, 29, 32, 36, 40, 45, 50, 56, 63, 72)
COLUMN: Final[Ints] = np.searchsorted(EDGES, np.arange(101), side="right") - 1  # of each deadwood
COLUMNS: Final = len(EDGES)
KNOCKS: Final = 11  # columns of ``knocks``: deadwood 0 to 9, and 10 or more


class Habits(Struct, frozen=True):
    """The habits of one player, or of players in general."""

    weights: tuple[tuple[float, ...], ...]  # TURNS x COLUMNS
    evidence: tuple[tuple[float, ...], tuple[float, ...]]  # of each fact: at the first turn, and at the last row
    knocks: tuple[tuple[float, ...], ...]  # TURNS x KNOCKS
    throwing: tuple[float, ...]  # weights of the features of a throw
    as_scholar: bool = False  # the bot scholar predicts its throws better than ``throwing``, and plays for it in rollouts

    def knocking(self, turns: int) -> Floats:
        """Return the chance to knock at each turn (row) with each deadwood from 0 to 100 (column)."""
        rows = np.minimum(np.arange(turns), TURNS - 1)
        columns = np.minimum(np.arange(101), KNOCKS - 1)
        return np.asarray(np.array(self.knocks)[rows][:, columns])


@cache
def usual_habits() -> Habits:
    """Return the habits of players in general, fitted on the ladder's bots (``python tests/studies/habits.py``)."""
    return json.decode(files("arena.review").joinpath(f"habits_{HABITS_VERSION}.json").read_bytes(), type=Habits)


def own_knocking(turns: int) -> Floats:
    """Return the chances to knock of the rollouts' own policy: 1 in its first three turns, then 0. Gin is always called."""
    knocking = np.zeros((turns, 101))
    knocking[:3] = 1.0
    return knocking
