"""The arithmetic of :mod:`arena.gin.melds` on arrays: one element is the set of cards of one hand.

A review plays thousands of hands from one position. On arrays, each step costs a few nanoseconds a hand, where Python's integers
take microseconds. The results are those of ``arena.gin.melds``, which tests compare.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.gin.cards import SUIT, VALUES
from arena.gin.melds import deadwood
from arena.train.sets import ACES, NOT_KING

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

IMPOSSIBLE: Final = 1000  # points: more than any hand has

RUNS_LEAVE: Final[Ints] = np.array([deadwood(cards) for cards in range(1 << 13)], dtype=np.int64)  # cards of one suit have no sets
VALUE: Final[Ints] = np.array(VALUES, dtype=np.int64)
BIT: Final[Ints] = np.array([1 << card for card in range(52)], dtype=np.int64)
START: Final[Ints] = np.array([card // 13 * 13 for card in range(52)], dtype=np.int64)  # the shift to a card's suit


def deadwoods(held: Ints) -> Ints:
    """Return the least deadwood of each hand, in points. Rule: R1.6."""
    least = runs_leave(held)
    rows, rests = with_sets(held)
    if len(rows):
        first = _starts(rows)
        found = rows[first]
        least[found] = np.minimum(least[found], np.minimum.reduceat(runs_leave(rests), first))
    return least


def _starts(rows: Ints) -> Ints:
    """Return the places at which a new row begins in ascending rows."""
    return np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])


def after_throws(held: Ints, cards: Ints) -> Ints:
    """Return, for each hand of eleven cards, the least deadwood after the throw of each of its ``cards`` (hands x 11)."""
    least = _after_throws_of_runs(held, cards)
    rows, rests = with_sets(held)
    if len(rows):
        first = _starts(rows)
        found = rows[first]
        least[found] = np.minimum(least[found], np.minimum.reduceat(_after_throws_of_runs(rests, cards[rows]), first, axis=0))
    return least


def _after_throws_of_runs(rest: Ints, cards: Ints) -> Ints:
    """Return the points that the runs of ``rest`` leave without each card; IMPOSSIBLE for a card that is laid in a set."""
    start, bit = START[cards], BIT[cards]
    suit = rest[:, None] >> start & SUIT
    left = runs_leave(rest)[:, None] - RUNS_LEAVE[suit] + RUNS_LEAVE[suit & ~(bit >> start)]
    left[rest[:, None] & bit == 0] = IMPOSSIBLE
    return np.asarray(left)


def runs_leave(held: Ints) -> Ints:
    """Return the points that the best runs leave, without sets."""
    low = RUNS_LEAVE[held & SUIT] + RUNS_LEAVE[held >> 13 & SUIT]
    return np.asarray(low + RUNS_LEAVE[held >> 26 & SUIT] + RUNS_LEAVE[held >> 39])


def with_sets(held: Ints) -> tuple[Ints, Ints]:
    """Return every choice of one or more sets: the numbers of the hands, ascending, and the cards that are not in the sets."""
    parts = list(_set_choices(held))
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    rows = np.concatenate([part[0] for part in parts])
    rests = np.concatenate([part[1] for part in parts])
    order = np.argsort(rows, kind="stable")
    return rows[order], rests[order]


def _set_choices(held: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the choices of sets in parts: the numbers of the hands, and their cards that are not in the sets."""
    triple = triples(held)
    rows = np.flatnonzero(triple)
    rest, triple = held[rows], triple[rows]
    while len(rows):
        low = triple & -triple
        rank = ACES * low
        used = list(_sets_of(rows, rest, low, rank))
        yield from ((one[0], one[1]) for one in used)
        rows = np.concatenate([rows, *(one[0] for one in used)])
        rest = np.concatenate([rest, *(one[1] for one in used)])
        triple = np.concatenate([triple ^ low, *((triple ^ low)[one[2]] for one in used)])
        more = np.flatnonzero(triple)
        rows, rest, triple = rows[more], rest[more], triple[more]


def _sets_of(rows: Ints, rest: Ints, low: Ints, rank: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield the sets of one rank: the numbers of the hands, what is left of them, and their places in ``rows``."""
    without = rest & ~rank
    yield rows, without, np.arange(len(rows))
    four = np.flatnonzero(rest & rank == rank)
    for start in (0, 13, 26, 39) if len(four) else ():  # a set of three leaves one of the four cards
        yield rows[four], without[four] | low[four] << start, four


def triples(held: Ints) -> Ints:
    """Return the ranks of which a hand has three cards or more, as bits 0 to 12."""
    clubs, diamonds, hearts, spades = held & SUIT, held >> 13 & SUIT, held >> 26 & SUIT, held >> 39
    return clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)


def counts(held: Ints) -> Ints:
    """Return the number of cards in each element."""
    return np.bitwise_count(held).astype(np.int64)


def each(held: Ints, size: int) -> Ints:
    """Return the cards of hands of ``size`` cards, ascending (hands x size)."""
    found = np.empty((len(held), size), np.int64)
    for place in range(size):
        low = held & -held
        found[:, place] = number(low)
        held = held ^ low
    return found


def number(bit: Ints) -> Ints:
    """Return the cards of sets of one card: the exponent of a power of two as a float (IEEE 754)."""
    return (bit.astype(np.float64).view(np.int64) >> 52) - 1023


def meldable(held: Ints) -> Ints:
    """Return the cards of each hand that are in at least one possible set or run."""
    next_up = held >> 1 & NOT_KING
    first = held & next_up & next_up >> 1 & NOT_KING
    return np.asarray(first | first << 1 | first << 2 | triples(held) * ACES & held)
