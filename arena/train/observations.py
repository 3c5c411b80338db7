"""What is in an observation: eight numbers of 64 bits for each hand. Source: R4.4."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
OWN, PILE, KNOWN, MY_TAKES, THEIR_TAKES, MY_THROWS, THEIR_THROWS, SCALARS = range(8)  # the columns
PLANES = 8  # of an observation in zeros and ones


class Scalars(NamedTuple):
    """The last column of an observation in parts, an array each."""

    phase: Ints  # the number of an ``arena.gin.hand.Phase``
    upcard: Ints  # the top of the discard pile, or -1
    drawn: Ints  # the card that I drew or took in this turn, or -1
    taken: Ints  # 1: it is from the discard pile
    stock: Ints  # cards left
    dealer: Ints  # 1: I dealt


def scalars(bits: Ints) -> Scalars:
    """Return the parts of the last column of observations (hands x 8)."""
    packed = bits[:, SCALARS]

    def part(start: int, width: int) -> Ints:
        return packed >> start & (1 << width) - 1

    return Scalars(part(0, 4), part(4, 6) - 1, part(10, 6) - 1, part(16, 1), part(17, 6), part(23, 1))


def planes(bits: Ints) -> NDArray[np.uint8]:
    """Return observations (hands x 8) as zeros and ones (hands x 8 x 52).

    The planes: own cards, discard pile, cards that the opponent is known to hold, my takes, its takes, my throws,
    its throws, upcard.
    """
    sets = np.ascontiguousarray(bits, "<i8").copy()
    upcard = scalars(bits).upcard
    sets[:, SCALARS] = np.where(upcard < 0, 0, np.int64(1) << np.maximum(upcard, 0))
    flat = np.unpackbits(sets.view(np.uint8).reshape(len(sets), 8, 8), axis=2, bitorder="little")
    return np.ascontiguousarray(flat[:, :, :52])
