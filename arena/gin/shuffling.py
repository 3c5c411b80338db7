"""Shuffle the cards by a text. Source: R2.1.

Take 1,024 bytes of SHAKE-256 over the UTF-8 text. Start from the cards 0..51 in deck order. For n from 51 down to 1, read bytes
until one is below 256 - 256 % (n + 1); exchange the cards at n and at that byte modulo n + 1.
"""

from hashlib import shake_256

from arena.gin.cards import Card

Deck = tuple[Card, ...]  # 52 cards as dealt by R2.1


def shuffled(text: str) -> Deck:
    """Return the 52 cards in the order that the module's docstring gives for ``text``."""
    stream = iter(shake_256(text.encode()).digest(1024))
    deck = list(range(52))
    for last in range(51, 0, -1):
        fair = 256 - 256 % (last + 1)
        byte = next(stream)
        while byte >= fair:
            byte = next(stream)
        other = byte % (last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(deck)
