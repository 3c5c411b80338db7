"""Functions for arrays of sets of cards (integers with a bit for each card), and the layout of observations."""

from typing import Final, NamedTuple

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


# For arena's own arrays, without the check: ``completes`` is ``completing`` and ``related_cards`` is ``beside``.


def completes(held: Ints) -> Ints:
    """Return the cards outside each hand that would make a meld with two of its cards, or extend one."""
    below, lower = held << 1 & NOT_ACE, held << 2 & NOT_LOW
    above, higher = held >> 1 & NOT_KING, held >> 2 & NOT_HIGH
    runs = below & lower | below & above | above & higher
    return np.asarray((runs | pairs(held) * ACES) & ~held)


def pairs(held: Ints) -> Ints:
    """Return the ranks of which each hand has two cards or more, as bits 0 to 12."""
    clubs, diamonds, hearts, spades = (held >> start & SUIT for start in (0, 13, 26, 39))
    return np.asarray(clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades))


def near(held: Ints) -> Ints:
    """Return the cards that are one or two ranks from a card of each hand, in its suit."""
    below, above = held << 1 & NOT_ACE, held >> 1 & NOT_KING
    return np.asarray(below | above | held << 2 & NOT_LOW | held >> 2 & NOT_HIGH)


def related_cards(held: Ints) -> Ints:
    """Return the cards outside each hand that can be in a meld of three with one of its cards."""
    ranks = (held | held >> 13 | held >> 26 | held >> 39) & SUIT
    return np.asarray((near(held) | ranks * ACES) & ~held)


# An observation: eight numbers of 64 bits for each hand. Source: R4.4.

OWN, PILE, KNOWN, MY_TAKES, THEIR_TAKES, MY_THROWS, THEIR_THROWS, SCALARS = range(8)  # the columns
PLANES = 10  # of an observation in zeros and ones


class Scalars(NamedTuple):
    """The last column of an observation in parts, an array each."""

    phase: Ints  # the number of an ``arena.gin.match.Phase``
    upcard: Ints  # the top of the discard pile, or -1
    drawn: Ints  # the card that I drew or took in this turn, or -1
    taken: Ints  # 1: it is from the discard pile
    stock: Ints  # cards left
    dealer: Ints  # 1: I dealt
    knock_limit: Ints  # points of deadwood that a knock may leave in this hand
    multiplier: Ints  # how many times this hand counts


def scalars(bits: Ints) -> Scalars:
    """Return the parts of the last column of observations (hands x 8). Raises: ValueError, for another shape."""
    if np.ndim(bits) != 2 or np.shape(bits)[1] != SCALARS + 1:
        raise ValueError(f"bits: shape {np.shape(bits)}; expected those of hands, (n, {SCALARS + 1})")
    packed = bits[:, SCALARS]

    def part(start: int, width: int) -> Ints:
        return packed >> start & (1 << width) - 1

    return Scalars(part(0, 4), part(4, 6) - 1, part(10, 6) - 1, part(16, 1), part(17, 6), part(23, 1), part(24, 7), part(31, 7))


def planes(bits: Ints) -> NDArray[np.uint8]:
    """Return observations (hands x 8) as zeros and ones (hands x 10 x 52).

    The planes: own cards, discard pile, cards that the opponent is known to hold, my takes, its takes, my throws,
    its throws, upcard; and in the last two, as many ones as the limit of a knock, and as the multiplier less one.

    Raises: ValueError, for another shape.
    """
    found = scalars(bits)
    sets = np.empty((len(bits), PLANES), "<i8")
    sets[:, :SCALARS] = bits[:, :SCALARS]
    sets[:, SCALARS] = np.where(found.upcard < 0, 0, np.int64(1) << np.maximum(found.upcard, 0))
    sets[:, SCALARS + 1] = (np.int64(1) << np.minimum(found.knock_limit, 52)) - 1
    sets[:, SCALARS + 2] = (np.int64(1) << np.minimum(found.multiplier - 1, 52)) - 1
    flat = np.unpackbits(sets.view(np.uint8).reshape(len(sets), PLANES, 8), axis=2, bitorder="little")
    return np.ascontiguousarray(flat[:, :, :52])
