"""What a seat sees of a hand, as text and as a picture, for the render modes of environments."""

import sys
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.gin.cards import NAMES, Cards, names
from arena.gin.match import Hand, Scoreline
from arena.gin.melds import arrange, deadwood, union
from arena.gin.rules import Rules
from arena.gin.seeing import see, watch
from arena.train.engine import hand_of

MODES: Final = ("human", "ansi", "rgb_array")
FPS: Final = 2  # a person can follow two decisions a second

CELL: Final = (24, 16)  # height and width of a card in pixels, of which the last line and column are its frame
UNSEEN, OWN, OTHER, PILE, UPCARD = range(5)  # where a card is, as indices of COLORS
COLORS: Final = np.array([(40, 40, 48), (60, 160, 80), (200, 70, 60), (120, 120, 128), (235, 200, 70)], np.uint8)


def check(mode: str | None) -> str | None:
    """Return a render mode. Raises: ValueError."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode: {mode!r:.80}; expected None, {', '.join(MODES)}")
    return mode


def frame(mode: str | None, state: Any, rules: Rules, seat: int) -> str | NDArray[np.uint8] | None:  # noqa: ANN401 - a row
    """Return what a seat sees, as text or picture; print it in the mode ``human``."""
    if mode == "rgb_array":
        return picture_of(state, seat)
    text = text_of(state, rules, seat) if mode else ""
    if mode == "human":
        sys.stdout.write(f"{text}\n\n")
    return text if mode == "ansi" else None


def text_of(state: Any, rules: Rules, seat: int) -> str:  # noqa: ANN401 - a row of a structured array
    """Return the hand as a seat sees it, in four lines; both hands are open when it is over."""
    hand = hand_of(state, rules)
    view = see(hand, Scoreline()) if hand.seat == seat else watch(hand, Scoreline())
    theirs = _melded(hand.cards[1 - seat]) if hand.result else f"{' '.join(names(view.opponent_holds)) or 'nothing'} known"
    upcard = NAMES[view.upcard] if view.pile else "none"
    return "\n".join(
        (
            f"seat {seat}  {_melded(view.cards)}",
            f"other   {theirs}",
            f"upcard  {upcard}, discard pile {len(view.pile)}, stock {view.stock}",
            f"        {_moment(hand)}",
        )
    )


def picture_of(state: Any, seat: int) -> NDArray[np.uint8]:  # noqa: ANN401
    """Return the 52 cards as an array of pixels (96 x 208 x 3): a row for each suit, a column for each rank, colors as COLORS.

    The other hand is open when it is over; before, it has those cards that are known to be in it.
    """
    places = np.full(52, UNSEEN)
    own, theirs = int(state["held"][seat]), int(state["held"][1 - seat])
    seen = theirs if state["ending"] >= 0 else theirs & int(state["took"][1 - seat])
    pile = state["pile"][: state["pile_count"]]
    places[_numbers(own)], places[_numbers(seen)], places[pile], places[pile[-1:]] = OWN, OTHER, PILE, UPCARD
    cells = np.repeat(np.repeat(COLORS[places].reshape(4, 13, 3), CELL[0], axis=0), CELL[1], axis=1)
    cells[CELL[0] - 1 :: CELL[0]] = cells[:, CELL[1] - 1 :: CELL[1]] = 0
    return cells


def _melded(held: Cards) -> str:
    """Return cards with their melds first, and the points of the rest."""
    melds = arrange(held)
    parts = (" ".join(names(part)) for part in (*melds, held & ~union(melds)) if part)
    return f"{' | '.join(parts)}, deadwood {deadwood(held)}"


def _moment(hand: Hand) -> str:
    if hand.result is None:
        return f"seat {hand.seat} acts, phase {hand.phase}"
    won = "nobody scores" if hand.result.winner is None else f"seat {hand.result.winner} scores {hand.result.points}"
    return f"over by {hand.result.ending}: {won}"


def _numbers(cards: Cards) -> NDArray[np.intp]:
    return np.flatnonzero(np.array([cards >> card & 1 for card in range(52)]))
