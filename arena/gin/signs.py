"""Cards in words, with the signs of their suits."""

import re

SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
NOTATION = re.compile(r"\b([A2-9TJQK])([cdhs])\b")
RED = re.compile(r"(?:10|[A2-9TJQK])[♦♥]")  # a card of a red suit as it is shown


def signed(text: str) -> str:
    """Return words with their cards as they are shown: ``throw 7h`` becomes ``throw 7♥``."""
    return NOTATION.sub(lambda found: f"{'10' if found[1] == 'T' else found[1]}{SIGNS[found[2]]}", text)
