"""Sets of cards in arena's own arrays: as ``arena.train.sets``, but nothing is checked."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.gin.cards import DECK, SUIT

Ints = NDArray[np.int64]

ACES: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
NOT_ACE: Final = DECK & ~ACES
NOT_LOW: Final = NOT_ACE & ~(ACES << 1)
NOT_KING: Final = DECK & ~(ACES << 12)
NOT_HIGH: Final = NOT_KING & ~(ACES << 11)


def completing_cards(held: Ints) -> Ints:
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
