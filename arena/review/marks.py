"""Marks for decisions that are clearly worse than the best: inaccuracy, mistake and blunder."""

from typing import Literal

from arena.review.prices import Price

Mark = Literal["", "inaccuracy", "mistake", "blunder"]

INACCURACY, MISTAKE, BLUNDER = 2.0, 4.0, 8.0  # points a hand
CLEAR = 2.0  # standard errors from zero


def mark(price: Price) -> Mark:
    """Return the mark of a price as it is stored, rounded; none unless it is more than two standard errors above zero."""
    points, se = round(price.points, 3), round(price.se, 3)
    if points < INACCURACY or points <= CLEAR * se:
        return ""
    if points >= BLUNDER:
        return "blunder"
    return "mistake" if points >= MISTAKE else "inaccuracy"
