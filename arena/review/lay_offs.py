"""The deadwood of many defenders after their best lay-offs, each against the best melds of its caller. Source: R6.2-R6.4."""

from functools import cache, lru_cache

import numpy as np

from arena.gin.cards import Melds
from arena.gin.melds import arrange, is_run, is_set, openings, union
from arena.review.vectors import ACES, NOT_ACE, NOT_KING, SUIT, Flags, Ints, counts, deadwoods, extends, runs_leave, with_sets


def after_lay_offs(callers: Ints, defenders: Ints) -> Ints:
    """Return the least deadwood of each defender if its caller lays what :func:`arena.gin.melds.arrange` chooses."""
    left = deadwoods(defenders)
    rows = np.flatnonzero(extends(callers) & defenders)  # nothing else can be laid off first
    if len(rows):
        in_runs, fourths = laid(callers[rows])
        left[rows] = defended(defenders[rows], in_runs, fourths)
    return left


def defended(defenders: Ints, in_runs: Ints, fourths: Ints) -> Ints:
    """Return the least deadwood of each defender against a caller's cards in runs and the missing fourth cards of its sets."""
    left = deadwoods(defenders)
    rows, some = _parts_of(reached(in_runs, fourths, defenders))  # a card may be worth more in a meld of one's own
    legal = reached(in_runs[rows], fourths[rows], some) == some
    rows, some = rows[legal], some[legal]
    np.minimum.at(left, rows, deadwoods(defenders[rows] & ~some))
    return left


def _parts_of(cards: Ints) -> tuple[Ints, Ints]:
    """Return every part of each set but the empty one: the numbers of the sets, and the cards."""
    rows, parts, rest = np.arange(len(cards)), np.zeros_like(cards), cards
    while rest.any():
        low = rest & -rest
        more = low != 0
        rows, parts = np.concatenate([rows, rows[more]]), np.concatenate([parts, (parts | low)[more]])
        rest = np.concatenate([rest & ~low, (rest & ~low)[more]])
    return rows[parts != 0], parts[parts != 0]


def reached(in_runs: Ints, fourths: Ints, held: Ints) -> Ints:
    """Return the cards of ``held`` that can be laid off if all are: beside a run, one after the other, or on a set of three."""
    grown = in_runs
    while True:
        more = grown | (grown << 1 & NOT_ACE | grown >> 1 & NOT_KING) & held
        if np.array_equal(more, grown):
            return np.asarray((grown & ~in_runs | fourths) & held)
        grown = more


def laid(callers: Ints) -> tuple[Ints, Ints]:
    """Return, for the melds that each caller lays, its cards in runs and the missing fourth cards of its sets."""
    rows, rests = with_sets(callers)
    rows, rests = np.concatenate([np.arange(len(callers)), rows]), np.concatenate([callers, rests])
    in_runs, opened = _runs(rests)
    fourths = _fourths(callers[rows] & ~rests)
    opened = counts((opened | fourths) & ~callers[rows])
    keys = 64 * runs_leave(rests) + opened
    order = np.lexsort((keys, rows))
    first = np.flatnonzero(np.r_[True, rows[order][1:] != rows[order][:-1]])
    best = order[first]
    for tied in np.flatnonzero(_ties(keys[order], rows[order], first)):
        in_runs[best[tied]], fourths[best[tied]] = _arranged(int(callers[tied]))
    return in_runs[best], fourths[best]


def _ties(keys: Ints, rows: Ints, first: Ints) -> Flags:
    """Return whether the second choice of each caller is as good as its first: then the order of the cards decides."""
    second = np.minimum(first + 1, len(keys) - 1)
    return np.asarray((second > first) & (rows[second] == rows[first]) & (keys[second] == keys[first]))


@lru_cache(maxsize=1 << 14)
def _arranged(caller: int) -> tuple[int, int]:
    """Return the cards in runs and the missing fourth cards of the melds that a caller lays."""
    return parts(arrange(caller))


def parts(melds: Melds) -> tuple[int, int]:
    """Return the cards of melds that are in runs, and the missing fourth cards of its sets."""
    return union(tuple(filter(is_run, melds))), openings(tuple(filter(is_set, melds)))


def _fourths(in_sets: Ints) -> Ints:
    """Return the missing fourth card of each set of three."""
    ranks = (in_sets | in_sets >> 13 | in_sets >> 26 | in_sets >> 39) & SUIT
    return np.asarray(ranks * ACES & ~in_sets)


def _runs(rests: Ints) -> tuple[Ints, Ints]:
    """Return the cards in the best runs of each hand, and the cards that could be laid directly on them."""
    in_runs, opened = np.zeros_like(rests), np.zeros_like(rests)
    for start in (0, 13, 26, 39):
        suits, which = np.unique(rests >> start & SUIT, return_inverse=True)
        table = np.array([_runs_of(int(suit)) for suit in suits], np.int64)
        in_runs |= table[which, 0] << start
        opened |= table[which, 1] << start
    return in_runs, opened


@cache  # at most 8,192 pairs of numbers
def _runs_of(suit: int) -> tuple[int, int]:
    melds = arrange(suit)
    return union(melds), openings(melds)
