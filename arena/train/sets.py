"""What learners and reviews compute from sets of cards in arrays: whole numbers with a bit for each card, as in observations."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.gin.cards import DECK, SUIT
from arena.train import kernel

Ints = NDArray[np.int64]

ACES: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
NOT_ACE: Final = DECK & ~ACES
NOT_LOW: Final = NOT_ACE & ~(ACES << 1)
NOT_KING: Final = DECK & ~(ACES << 12)
NOT_HIGH: Final = NOT_KING & ~(ACES << 11)


def deadwoods(sets: ArrayLike) -> Ints:
    """Return the points of deadwood of each set. Raises: ValueError. Rule: R1.6."""
    points = _as_array(sets)
    kernel.deadwoods(points.ctypes.data, points.size)
    return points


def completing(sets: ArrayLike) -> Ints:
    """Return the cards outside each set that would make a meld with two of its cards, or extend one. Raises: ValueError."""
    return completes(_as_array(sets))


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


# The same without the check, for arrays of arena's own.


def completes(held: Ints) -> Ints:
    """Return the cards outside each hand that would make a meld with two of its cards, or extend one."""
    below, lower = held << 1 & NOT_ACE, held << 2 & NOT_LOW
    above, higher = held >> 1 & NOT_KING, held >> 2 & NOT_HIGH
    runs = below & lower | below & above | above & higher
    return np.asarray((runs | pairs(held) * ACES) & ~held)


def pairs(held: Ints) -> Ints:
    """Return the ranks of which a hand has two cards or more, as bits 0 to 12."""
    clubs, diamonds, hearts, spades = (held >> start & SUIT for start in (0, 13, 26, 39))
    return np.asarray(clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades))


def near(held: Ints) -> Ints:
    """Return the cards that are one or two ranks from a card of each hand, in its suit."""
    below, above = held << 1 & NOT_ACE, held >> 1 & NOT_KING
    return np.asarray(below | above | held << 2 & NOT_LOW | held >> 2 & NOT_HIGH)


def related_cards(held: Ints) -> Ints:
    """Return the cards outside each hand that can be in one meld with one of its cards."""
    ranks = (held | held >> 13 | held >> 26 | held >> 39) & SUIT
    return np.asarray((near(held) | ranks * ACES) & ~held)
