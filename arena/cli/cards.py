"""Cards on a terminal: suits where its encoding has them, letters elsewhere."""

from typing import TextIO

from arena.gin.cards import NAMES, Card, Cards, Melds, each
from arena.gin.melds import union

SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
DASHES = str.maketrans({"–": "-", "…": "...", "×": "x"})


def can_write(out: TextIO, text: str) -> bool:
    """Tell whether a terminal's encoding has some signs: Windows-1252 has dashes, but no suits."""
    try:
        text.encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Hand:
    """Writes cards for one terminal."""

    def __init__(self, out: TextIO) -> None:
        self._suits = can_write(out, "".join(SIGNS.values()))

    def card(self, card: Card) -> str:
        """Return how a card is written: ``7♥``, or ``7h``."""
        name = NAMES[card]
        return name[0] + SIGNS[name[1]] if self._suits else name

    def cards(self, held: Cards) -> str:
        """Return some cards in deck order."""
        return " ".join(map(self.card, each(held)))

    def arranged(self, melds: Melds, held: Cards) -> str:
        """Return melds first, then the rest, ``3♣ 4♣ 5♣ | K♦``."""
        parts = [*map(self.cards, melds), self.cards(held & ~union(melds))]
        return " | ".join(part for part in parts if part)
