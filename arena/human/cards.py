"""Cards as a terminal shows them, with their suits; where its encoding has none, terminal.py writes letters."""

import re

from arena.gin.cards import NAMES, Card, Cards, Melds, each
from arena.gin.melds import union

SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
NOTATION = re.compile(r"\b([A2-9TJQK])([cdhs])\b")
RED = re.compile(r"(?:10|[A2-9TJQK])[♦♥]")  # a card of a red suit as it is shown


def shown(card: Card) -> str:
    """Return how a card is written: ``7♥``."""
    return signed(NAMES[card])


def signed(text: str) -> str:
    """Return words with their cards as they are shown: ``throw 7h`` becomes ``throw 7♥``."""
    return NOTATION.sub(lambda found: f"{'10' if found[1] == 'T' else found[1]}{SIGNS[found[2]]}", text)


def in_order(held: Cards) -> str:
    """Return some cards in deck order."""
    return " ".join(map(shown, each(held)))


def arranged(melds: Melds, held: Cards) -> str:
    """Return melds first, then the rest, ``3♣ 4♣ 5♣ | K♦``."""
    parts = [*map(in_order, melds), in_order(held & ~union(melds))]
    return " | ".join(part for part in parts if part)
