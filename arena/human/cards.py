"""Cards as a terminal shows them, with their suits; where its encoding has none, terminal.py writes letters."""

from arena.gin.cards import NAMES, Card, Cards, Melds, each
from arena.gin.melds import union
from arena.gin.signs import signed


def shown(card: Card) -> str:
    """Return how a card is written: ``7♥``."""
    return signed(NAMES[card])


def in_order(held: Cards) -> str:
    """Return some cards in deck order."""
    return " ".join(map(shown, each(held)))


def arranged(melds: Melds, held: Cards) -> str:
    """Return melds first, then the rest, ``3♣ 4♣ 5♣ | K♦``."""
    parts = [*map(in_order, melds), in_order(held & ~union(melds))]
    return " | ".join(part for part in parts if part)
