"""Cards as a terminal shows them, with signs of their suits.

Where a terminal's encoding lacks the signs, ``human/player.py`` writes letters.
"""

from arena.gin.cards import NAMES, Card, Cards, Melds, each, with_signs
from arena.gin.melds import union


def card_sign(card: Card) -> str:
    """Return a card with its suit's sign: ``7♥``."""
    return with_signs(NAMES[card])


def in_order(held: Cards) -> str:
    """Return some cards in deck order."""
    return " ".join(map(card_sign, each(held)))


def arrangement(melds: Melds, held: Cards) -> str:
    """Return melds first, then the rest, ``3♣ 4♣ 5♣ | K♦``."""
    parts = [*map(in_order, melds), in_order(held & ~union(melds))]
    return " | ".join(part for part in parts if part)
