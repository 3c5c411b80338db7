"""Shuffle the cards by a text. Source: R2.1.

Take 1,024 bytes of SHAKE-256 over the UTF-8 text. Start from the cards 0..51 in deck order. For n from 51 down to 1, read bytes
until one is below 256 - 256 % (n + 1); exchange the cards at n and at that byte modulo n + 1.
"""

from hashlib import shake_256
from typing import Final

from arena.gin.cards import Card

Deck = tuple[Card, ...]  # 52 cards as dealt by R2.1

_BYTES: Final = 1024
_FIRST: Final = 136  # one block of SHAKE-256, more than twice as much as most decks need
_FAIR: Final = tuple([256 - 256 % (last + 1) for last in range(52)])  # bytes below it choose each of last + 1 cards equally often


def shuffle(text: str) -> Deck:
    """Return the deck of a text, shuffled as the module's docstring says. Raises: ValueError, if 1,024 bytes are too few."""
    stream = shake_256(text.encode())
    deck = exchange(stream.digest(_FIRST)) or exchange(stream.digest(_BYTES))
    if deck is None:
        raise ValueError(f"{_BYTES} bytes shuffle no deck")
    return deck


def exchange(stream: bytes) -> Deck | None:
    """Return the deck after the exchanges that the bytes decide; None: there are too few bytes."""
    deck = list(range(52))
    last = 51
    for byte in stream:
        if byte < _FAIR[last]:
            other = byte % (last + 1)
            deck[last], deck[other] = deck[other], deck[last]
            last -= 1
            if last == 0:
                return tuple(deck)
    return None
