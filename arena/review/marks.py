"""Marks for decisions that are clearly worse than the best: inaccuracy, mistake and blunder."""

from typing import Literal

from arena.review.estimates import Price

Mark = Literal["", "inaccuracy", "mistake", "blunder"]

INACCURACY, MISTAKE, BLUNDER = 2.0, 4.0, 8.0  # points a hand
CLEAR = 2.0  # standard errors from zero


def mark(price: Price) -> Mark:
    """Return the mark of a price; none unless it is more than two standard errors above zero."""
    if price.points < INACCURACY or price.points <= CLEAR * price.se:
        return ""
    if price.points >= BLUNDER:
        return "blunder"
    return "mistake" if price.points >= MISTAKE else "inaccuracy"
