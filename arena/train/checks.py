"""Checks what users write into the kernel's memory, so that the kernel, which checks no index, stays within its arrays."""

from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.gin.cards import DECK
from arena.gin.rules import MOST_DEADWOOD, MOST_MULTIPLIER, Rules
from arena.gin.rulesets import RULESETS
from arena.train import native

STATE = np.dtype(native.HandState)  # of a hand, as ``Hands.states`` holds it
States = NDArray[np.void]

_RANGES = {
    "phase": (0, native.OVER),
    "seat": (0, 1),
    "dealer": (0, 1),
    "top": (21, 52),
    "bottom": (21, 52),
    "pile_count": (0, 32),
    "passes": (0, 2),
    "takes": (0, 1001),  # ``Rules.max_takes`` is at most 1000
    "knock_limit": (0, MOST_DEADWOOD),
    "multiplier": (1, MOST_MULTIPLIER),
    "drawn": (-1, 51),
    "taken": (0, 1),
    "winner": (-1, 1),
    "ending": (-1, 5),
}


def rules(given: Rules | str | None) -> Rules:
    """Return rules, those of a built-in ruleset by its name; None: the tournament rules. Raises: ValueError."""
    if given is None:
        return Rules()
    named = {ruleset().name: ruleset for ruleset in RULESETS}
    if isinstance(given, str) and given in named:
        return named[given]()
    if isinstance(given, Rules):
        return given
    raise ValueError(f"rules: {given!r:.80}; expected a Rules of arena.gin.rules, or the name of a ruleset: {', '.join(named)}")


def number(name: str, given: object, least: int, most: int | None = None) -> int:
    """Return a whole number within bounds. Raises: ValueError."""
    expected = f"at least {least}" if most is None else f"{least} or {most}" if most == least + 1 else f"{least} to {most}"
    try:
        found = index(given)  # type: ignore[arg-type]  # what has no __index__ is refused
    except TypeError:
        raise ValueError(f"{name}: {given!r:.80}; expected a whole number, {expected}") from None
    if found < least or (most is not None and found > most):
        raise ValueError(f"{name}: {found}; expected {expected}")
    return found


def seed(given: object) -> np.random.SeedSequence:
    """Return the source of random numbers of a seed. Raises: ValueError."""
    try:
        return np.random.SeedSequence(given)  # type: ignore[arg-type]  # which says what it cannot use
    except (TypeError, ValueError):
        raise ValueError(f"seed: {given!r:.80}; expected a whole number, at least 0, or several") from None


def rows(given: ArrayLike, size: int) -> NDArray[np.intp]:
    """Return the numbers of some rows, which are given by numbers or by a mask. Raises: ValueError."""
    array = np.asarray(given)
    if array.dtype == np.bool_:
        if array.shape != (size,):
            raise ValueError(f"rows: a mask of shape {array.shape}; expected {(size,)}")
        return np.flatnonzero(array)
    return whole_numbers("rows", array, (array.size,), size - 1).astype(np.intp)


def whole_numbers(name: str, given: ArrayLike, shape: tuple[int, ...], most: int) -> NDArray[Any]:
    """Return an array of whole numbers from 0 to ``most``. Raises: ValueError, with the first row that is wrong."""
    array = np.asarray(given)
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"{name}: dtype {array.dtype}; expected whole numbers")
    if array.shape != shape:
        raise ValueError(f"{name}: shape {array.shape}; expected {shape}")
    if array.size and (array.min() < 0 or array.max() > most):
        place = tuple(np.argwhere((array < 0) | (array > most))[0])
        raise ValueError(f"{name}: row {place[0]}: {array[place]}; expected 0 to {most}")
    return array


def decks(given: ArrayLike, size: int) -> NDArray[Any]:
    """Return decks (size x 52). Raises: ValueError, if one is not a permutation of the cards."""
    array = whole_numbers("decks", given, (size, 52), 51)
    refuse("decks", ~are_permutations(array), "a card is missing")
    return array


def are_permutations(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the rows in which each of the 52 cards stands once."""
    return np.asarray((np.sort(array, axis=1) == np.arange(52)).all(axis=1))


def states(given: ArrayLike) -> States:
    """Return an array of states, all of which the kernel can play on. Raises: ValueError, with the first row that it cannot."""
    array = np.asarray(given)
    if array.dtype != STATE or array.ndim != 1:
        raise ValueError(f"states: dtype {array.dtype}, {array.ndim} dimensions; expected those of Hands.states")
    for name, (least, most) in _RANGES.items():
        refuse(f"states: {name}", (array[name] < least) | (array[name] > most), f"not from {least} to {most}")
    refuse("states: deck", ~are_permutations(array["deck"]), "a card is missing")
    playing = array[array["phase"] != native.OVER]
    rows = np.flatnonzero(array["phase"] != native.OVER)
    refuse("states", ~_complete(playing), "held, discard pile and stock are not the 52 cards, or do not fit the phase", rows)
    return array


def _complete(hands: States) -> NDArray[np.bool_]:
    """Return a mask of the hands in which each card is in one place only, and the numbers of cards and of passes fit the phase."""
    phase, seat, drawn = hands["phase"], hands["seat"], hands["drawn"]
    places = np.arange(52)
    bits = np.uint64(1) << hands["deck"].astype(np.uint64)
    stocked = (places >= hands["top"][:, None]) & (places < hands["bottom"][:, None])
    stock = np.bitwise_or.reduce(np.where(stocked, bits, np.uint64(0)), axis=1)
    in_pile = np.arange(32) < hands["pile_count"][:, None]
    # a shift by more than 63 is undefined; an invalid card fails the comparison with DECK
    pile = np.bitwise_or.reduce(
        np.where(in_pile, np.uint64(1) << np.minimum(hands["pile"], 63).astype(np.uint64), np.uint64(0)), axis=1
    )
    zero, one = hands["held"][:, 0], hands["held"][:, 1]
    counts = [np.bitwise_count(part).astype(int) for part in (zero, one, pile, stock)]
    throws = (phase == native.AT_DISCARD) | (phase == native.AT_LAST_KNOCK)  # the seat holds eleven cards
    drawn_held = hands["held"][np.arange(len(hands)), seat] >> np.maximum(drawn, 0).astype(np.uint64) & np.uint64(1)
    is_first_throw = (phase == native.AT_DISCARD) & (counts[2] == 0) & (counts[3] == 31)  # of eleven dealt cards (R3.5)
    stock_is_out = (phase == native.AT_LAST_TAKE) | (phase == native.AT_LAST_KNOCK)
    return np.asarray(
        (zero | one | pile | stock == np.uint64(DECK))
        & (sum(counts) == 52)
        & (pile == hands["piled"])
        & (counts[2] == hands["pile_count"])
        & (counts[0] == 10 + (throws & (seat == 0)))
        & (counts[1] == 10 + (throws & (seat == 1)))
        & np.where(throws & (drawn >= 0), drawn_held == 1, (drawn < 0) & (~throws | is_first_throw))
        & (throws | (counts[2] > 0))  # there is an upcard
        & (stock_is_out | throws | (counts[3] > 2))  # R5.1
        & ((phase != native.AT_UPCARD) | (hands["passes"] < 2))
        & (phase != native.AT_LAY_OFF)  # the kernel asks for no lay-offs
    )


def refuse(name: str, wrong: NDArray[np.bool_], reason: str, rows: NDArray[np.intp] | None = None) -> None:
    """Raise ValueError for the first row that is wrong, if any; ``rows`` are the numbers to show for the rows of ``wrong``."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name}: row {row if rows is None else rows[row]}: {reason}")
