"""Functions for arrays of sets of cards (integers with a bit for each card)."""

import numpy as np
from numpy.typing import ArrayLike

from arena.gin.cards import DECK
from arena.train import kernel
from arena.train.card_arrays import Ints, completing_cards, related_cards


def deadwoods(sets: ArrayLike) -> Ints:
    """Return the points of deadwood of each set. Raises: ValueError. Rule: R1.6."""
    points = _as_array(sets)
    kernel.deadwoods(points.ctypes.data, points.size)
    return points


def completing(sets: ArrayLike) -> Ints:
    """Return the cards outside each set that would make a meld with two of its cards, or extend one. Raises: ValueError."""
    return completing_cards(_as_array(sets))


def beside(sets: ArrayLike) -> Ints:
    """Return the cards outside each set that may be in a meld of three with one of its cards. Raises: ValueError."""
    return related_cards(_as_array(sets))


def _as_array(sets: ArrayLike) -> Ints:
    """Return a copy of some sets, one after another in memory. Raises: ValueError."""
    given = np.asarray(sets)
    if given.dtype.kind not in "iu":
        raise ValueError(f"sets: dtype {given.dtype}; expected whole numbers")
    held = np.array(given, np.int64, order="C")
    if (held & ~DECK).any():
        raise ValueError("sets: a bit above the 52 cards")
    return held
