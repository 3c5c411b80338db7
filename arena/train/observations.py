"""An observation: eight numbers of 64 bits for each hand. Source: R4.4."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.train.card_arrays import Ints

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
