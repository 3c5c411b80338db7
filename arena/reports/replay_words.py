"""The one source of the words for actions and endings.

A page gets ``REPLAY`` among its values, and fills in the names in braces.
"""

from typing import Any

from arena.gin.cards import NAMES, Cards, LayOffs, Melds, names
from arena.gin.score import Ending

DID = {
    "pass": "passed",
    "take": "took {card} from the pile",
    "draw": "drew {card} from the stock",
    "draw_unseen": "drew from the stock",
    "discard": "threw {card}",
    "knock": "knocked with {left}",
    "gin": "went gin",
    "big_gin": "went big gin",
    "lay_off": "laid {melds}",
}
MOVED = {
    "take": "took {card}",
    "draw": "drew {card}",
    "draw_unseen": "drew",
    "lay_off": "laid down",
}  # in short
THROWING = ", throwing {card}"  # after a knock or gin whose card is known
LAID_OFF = ", laid off {cards}"  # after the melds
ON_A_MELD = "{card} on {meld}"
NO_MELD = "no meld"
LEFT = ", deadwood {left}"  # after what was laid
DEALT = "{name} dealt"
SCORED = "{ending}: {name} scored {points}"
NOBODY_SCORED = "{ending}: nobody scored"
ENDINGS: dict[Ending, str] = {**{ending: ending.value.replace("_", " ") for ending in Ending}, Ending.DEAD: "dead hand"}

REPLAY: dict[str, Any] = {
    "did": DID,
    "moved": MOVED,
    "throwing": THROWING,
    "laid_off": LAID_OFF,
    "on_a_meld": ON_A_MELD,
    "no_meld": NO_MELD,
    "left": LEFT,
    "dealt": DEALT,
    "scored": SCORED,
    "nobody_scored": NOBODY_SCORED,
    "endings": {ending.value: words for ending, words in ENDINGS.items()},
}


def score_words(ending: str, winner: str | None, points: int | str) -> str:
    """Return the ending of a hand and its winner in words; ``points`` may be a sum."""
    if winner is None:
        return NOBODY_SCORED.format(ending=ending)
    return SCORED.format(ending=ending, name=winner, points=points)


def laid_down(melds: Melds, lay_offs: LayOffs, table: Melds) -> str:
    """Return the cards laid down, each lay-off with the meld of ``table`` on which it lies."""
    own = DID["lay_off"].format(melds=", ".join(map(_meld_words, melds)) or NO_MELD)
    fits = ", ".join(ON_A_MELD.format(card=NAMES[card], meld=_meld_words(table[number])) for card, number in lay_offs)
    return f"{own}{LAID_OFF.format(cards=fits)}" if fits else own


def _meld_words(meld: Cards) -> str:
    return " ".join(names(meld))
